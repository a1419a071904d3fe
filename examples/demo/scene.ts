/** Everything the demo needs, in this process: a Temporal server, a destination, a worker. */
import { Client, Connection } from "@temporalio/client";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { type RunningWorker, startWorker } from "../../src/worker/start-worker.ts";
import type { FirstAnswer } from "./answers.ts";
import { APPROVER, REQUESTER } from "./people.ts";
import { NAMESPACE } from "./transcript.ts";
import { CUT_PATH, type Destination, MOODY_PATH, REFUND_PATH, startDestination } from "./destination.ts";

export interface Scene {
  readonly destination: Destination;
  readonly server: DevServer;
  readonly worker: RunningWorker;
  /** Plain Temporal, as anybody has it: the refund is approved by a signal. */
  readonly temporal: Client;
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly answer: FirstAnswer;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Told before a Temporal server is downloaded. */
  announce(sentence: string): void;
}

/** The server is ours whatever the environment names: a demo must not write into somebody's namespace. */
export async function openScene({ answer, environment, announce }: SceneOptions): Promise<Scene> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.close();
  };
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("TEMPORAL_")));
  try {
    const destination = await startDestination(answer);
    opened.push(destination);
    const server = await startDevServer({ environment, namespace: NAMESPACE, uiPort: 0, announce });
    opened.push({ close: server.stop });
    const config = parseConfig(configFor(destination.url, answer), { path: null });
    const worker = await startWorker({ config, environment: own, address: server.address, log: createLogger("error") });
    opened.push({ close: async () => await worker.stop() });
    const connection = await Connection.connect({ address: server.address });
    opened.push({ close: async () => await connection.close() });
    await worker.ready;
    return { destination, server, worker, temporal: new Client({ connection, namespace: NAMESPACE }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a `countersign.config.ts` would hold. */
function configFor(url: string, answer: FirstAnswer): unknown {
  // Nobody wants to watch 20 s of silence; a short limit is only for the destination that is meant to meet it.
  const crmTotal = answer === "timeout" ? "2s" : "20s";
  const endpoint = (path: string, total: string): object => ({
    url: `${url}${path}`,
    retry: "quick",
    timeouts: { total },
    allowPrivate: ["127.0.0.0/8"],
  });
  return {
    sources: { shop: {} },
    endpoints: {
      crm: endpoint(MOODY_PATH, crmTotal),
      ledger: endpoint(CUT_PATH, "20s"),
      payments: { ...endpoint(REFUND_PATH, "20s"), idempotent: false },
    },
    routes: [
      { match: { source: "shop", type: "order.*" }, to: ["crm"] },
      { match: { source: "shop", type: "invoice.*" }, to: ["ledger"] },
      {
        match: { source: "shop", type: "refund.*" },
        to: ["payments"],
        approval: {
          when: { "data.amount": { gt: 500 } },
          approvers: ["group:finance"],
          fourEyes: true,
          expires: "24h",
        },
      },
    ],
    people: { [APPROVER]: { groups: ["finance"] }, [REQUESTER]: { groups: ["finance"] } },
  };
}
