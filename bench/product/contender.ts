/** The product as an application embeds it: `startWorker()`, whose client submits eagerly. */
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { startWorker } from "../../src/worker/start-worker.ts";
import type { Contender, Stage } from "../scenario.ts";

/** Each endpoint lives at the path of its name, and is routed to by the type of its name. */
export async function openProduct(stage: Stage, endpoints: Readonly<Record<string, RawEndpoint>>): Promise<Contender> {
  const raw = {
    // A queue of its own: the processes of several scenarios are up at the same time.
    temporal: { taskQueue: `countersign-${stage.scenario}` },
    sources: { bench: {} },
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => [
        name,
        { url: `${stage.destinationUrl}/${name}`, allowPrivate: ["127.0.0.0/8"], ...endpoint },
      ]),
    ),
    routes: Object.keys(endpoints).map((name) => ({ match: { type: name }, to: [name] })),
  };
  const config = parseConfig(raw, { path: null });
  const worker = await startWorker({ config, environment: {}, address: stage.address, log: createLogger("warn") });
  await worker.ready;
  return {
    submit: async (event) => (await worker.client.submit(event)).workflowId,
    close: async () => await worker.stop(),
  };
}
