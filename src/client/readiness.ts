/** Whether this namespace can take our starts: attributes registered once, worker versions looked at every few seconds. */
import type { Client } from "@temporalio/client";
import type { Config } from "../config/config.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { ensureSearchAttributes } from "../temporal/search-attributes.ts";
import { readDeployment, requireCurrentVersion } from "./deployment.ts";
import type { Session, StartConditions } from "./session.ts";

interface ReadinessParts {
  readonly client: Client;
  readonly config: Config;
  readonly eager: boolean;
}

/** A ramp that begins is noticed within this time. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;

/** Costs no call on the way of an ordinary submit; a failure is not remembered. */
export function createReadiness({ client, config, eager }: ReadinessParts): Pick<Session, "prepared" | "ready"> {
  const prepared = once(async () => await ensureSearchAttributes(client.connection, client.options.namespace));
  let looked: { readonly atMs: number; readonly conditions: StartConditions } | null = null;
  const ready = async (): Promise<StartConditions> => {
    await prepared();
    const { deployment } = config;
    if (deployment === null) return { eager };
    if (looked !== null && Date.now() - looked.atMs < LOOK_AGAIN_MS) return looked.conditions;
    const state = await readDeployment(client, deployment);
    requireCurrentVersion(state, deployment);
    looked = { atMs: Date.now(), conditions: { eager: eager && !state.ramping } };
    return looked.conditions;
  };
  return { prepared, ready };
}

function once(prepare: () => Promise<void>): () => Promise<void> {
  let prepared: Promise<void> | null = null;
  return async () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    await prepared;
  };
}
