/** The HTTP API inside `dev`: beside the rest if it can be, and with a word about what it goes without. */
import type { Config, Source } from "../config/config.ts";
import { verifyVariables } from "../config/resolve-verify.ts";
import { CountersignError } from "../errors.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { claimPort } from "../temporal/free-port.ts";
import type { CliContext, Environment } from "./context.ts";
import { expectEndpoints } from "./counters.ts";

const IP = "127.0.0.1";
const DEFAULT_PORT = 8787;

export interface DevHttp {
  readonly config: Config;
  /** Of the Temporal server. */
  readonly address: string;
  /** Absent = the usual one, if it is free. */
  readonly port: number | undefined;
  readonly log: Logger;
  /** Shared with the workers: what they attempt is counted here. */
  readonly metrics: Metrics;
}

/** Null when the usual port is taken; throws `server_unavailable` when the one asked for is. */
export async function startDevHttp(
  { environment, terminal }: Pick<CliContext, "environment" | "terminal">,
  { config, address, port, log, metrics }: DevHttp,
): Promise<RunningServer | null> {
  const wanted = port ?? DEFAULT_PORT;
  const claimed = await claimPort(IP, wanted);
  if (claimed.kind === "taken" && port === undefined) {
    terminal.note(
      `The HTTP API is left out: port ${wanted} cannot be used (${claimed.reason}). Choose one with --http-port.`,
    );
    return null;
  }
  if (claimed.kind === "taken") {
    throw new CountersignError(
      "server_unavailable",
      `Port ${wanted} on ${IP} cannot be used (${claimed.reason}); choose another one with --http-port.`,
      { details: { port: wanted } },
    );
  }
  expectEndpoints(metrics, config, Object.keys(config.endpoints));
  const { usable, notes } = usableSources(config, environment);
  for (const note of notes) terminal.note(note);
  // At a desk nobody waits for clients to leave.
  const limits = { lameDuckMs: 0 };
  return await startServer({
    config: { ...config, sources: usable },
    environment,
    address,
    host: IP,
    port: wanted,
    log,
    metrics,
    limits,
  });
}

export interface UsableSources {
  readonly usable: Config["sources"];
  /** Full sentences. */
  readonly notes: readonly string[];
}

/** A newcomer has no account at every provider: their hooks are closed, and everything else works. */
export function usableSources({ sources }: Pick<Config, "sources">, environment: Environment): UsableSources {
  const judged = Object.values(sources).map((source): readonly [Source, readonly string[]] => [
    source,
    verifyVariables(source).filter((name) => (environment[name] ?? "") === ""),
  ]);
  return {
    usable: Object.fromEntries(
      judged.map(([source, missing]) => [
        source.name,
        missing.length === 0 ? source : { ...source, verify: null, idFrom: null },
      ]),
    ),
    notes: judged.flatMap(([{ name }, missing]) =>
      missing.length === 0 ? [] : [`Source ${name} takes no webhooks here: ${missing.join(", ")} not set.`],
    ),
  };
}
