/** The product's front door with a producer before it, and beside it somebody who has only the SDK. No worker: nothing runs what they start. */
import { randomBytes } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { Agent, request } from "undici";
import { hashSecret } from "../../src/access/key-hash.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../src/access/key-text.ts";
import { startServer } from "../../src/server/start-server.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import type { BenchEvent, Contender, Stage } from "../scenario.ts";
import { configOf } from "./config.ts";

/** Events of this type are posted; any other is started with the SDK. */
const POSTED = "posted";

export async function openDoor(stage: Stage): Promise<Contender> {
  const { id, secret } = makeKey(randomBytes(KEY_BYTES));
  const keys = [{ id, role: "ingest", sources: ["bench"], hash: hashSecret(secret) }] as const;
  const config = configOf(stage, { [POSTED]: {} }, { keys });
  const { address } = stage;
  const log = createLogger("warn");
  const server = await startServer({ config, address, environment: {}, log, host: "127.0.0.1", port: 0 });
  const post = producerOf(`${server.url}/v1/events`, `Bearer ${formatKey({ id, secret })}`);
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const start = async (event: BenchEvent): Promise<void> => {
    const { taskQueue } = config.temporal;
    const options = { taskQueue, workflowId: idOf(event), workflowIdReusePolicy: "REJECT_DUPLICATE" } as const;
    await workflow.start("event", { ...options, args: [event] });
  };
  return {
    async submit(event) {
      await (event.type === POSTED ? post(event) : start(event));
      return idOf(event);
    },
    async close() {
      await server.stop();
      await connection.close();
    },
  };
}

function idOf({ source, id }: BenchEvent): string {
  return `${source}/${id}`;
}

function producerOf(url: string, authorization: string): (event: BenchEvent) => Promise<void> {
  const dispatcher = new Agent({ connections: 64 });
  const headers = { authorization, "content-type": "application/json" };
  return async (event) => {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: "POST",
      headers,
      body: JSON.stringify(event),
    });
    const answer = await body.text();
    if (statusCode !== 202) throw new Error(`The server answered ${statusCode}: ${answer}`);
  };
}
