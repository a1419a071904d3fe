/** The product as an application embeds it: `startWorker()`, whose client submits eagerly. */
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { startWorker } from "../../src/worker/start-worker.ts";
import type { Contender, Stage } from "../scenario.ts";
import { configOf } from "./config.ts";

export async function openProduct(stage: Stage, endpoints: Readonly<Record<string, RawEndpoint>>): Promise<Contender> {
  const config = configOf(stage, endpoints);
  const worker = await startWorker({ config, environment: {}, address: stage.address, log: createLogger("warn") });
  await worker.ready;
  return {
    submit: async (event) => (await worker.client.submit(event)).workflowId,
    close: async () => await worker.stop(),
  };
}
