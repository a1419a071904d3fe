/**
 * A worker as a process of its own. Argument: `WorkerOrder` as JSON. Prints `{ ready: true }`, then each attempt as a line;
 * each line of standard input is an event that it submits itself: an eager start.
 */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { Config } from "../../src/config/config.ts";
import { startWorker } from "../../src/worker/start-worker.ts";

export interface WorkerOrder {
  readonly address: string;
  /** Parsed, and free of functions. */
  readonly config: Config;
  readonly only?: readonly string[];
  /** Workflow task slots; absent = the worker's default. */
  readonly concurrency?: number;
}

const order = JSON.parse(process.argv[2] ?? "") as WorkerOrder; // written by `startChild`
const lines = new Writable({
  write(chunk: Buffer, _encoding, done) {
    process.stdout.write(chunk, () => done());
  },
});
const worker = await startWorker({
  address: order.address,
  config: order.config,
  environment: {},
  log: pino({ level: "info", base: null }, lines),
  ...(order.only === undefined ? {} : { only: order.only }),
  ...(order.concurrency === undefined ? {} : { concurrency: order.concurrency }),
});
await worker.ready;
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);

process.once("SIGTERM", () => void worker.stop().then(() => process.exit(0)));
// The parent is gone: nobody is left to stop this process in good order.
process.stdin.once("end", () => process.exit(1));
createInterface({ input: process.stdin }).on("line", (line) => void worker.client.submit(JSON.parse(line)));
