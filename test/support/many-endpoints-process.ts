/**
 * A worker of very many endpoints as a process of its own. Argument: `ManyEndpointsOrder` as JSON. Prints `{ ready: true }`,
 * its log lines, and for each line of standard input what it holds in memory then: `{ live, resident }`, in bytes.
 */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { pino } from "pino";
import { startWorker } from "../../src/worker/start-worker.ts";
import { liveBytes } from "./live-memory.ts";
import { configOfMany, type ManyEndpoints } from "./many-endpoints.ts";

export interface ManyEndpointsOrder extends ManyEndpoints {
  readonly address: string;
  readonly laneIdleMs: number;
}

const order = JSON.parse(process.argv[2] ?? "") as ManyEndpointsOrder; // written by `startChild`
const lines = new Writable({
  write(chunk: Buffer, _encoding, done) {
    process.stdout.write(chunk, () => done());
  },
});
const worker = await startWorker({
  address: order.address,
  config: configOfMany(order),
  environment: {},
  laneIdleMs: order.laneIdleMs,
  log: pino({ level: "info", base: null }, lines),
});
await worker.ready;
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);

process.stdin.once("end", () => process.exit(1));
createInterface({ input: process.stdin }).on("line", (asked) => {
  const live = liveBytes();
  process.stdout.write(`${JSON.stringify({ asked, live, resident: process.memoryUsage.rss() })}\n`);
});
