/**
 * The HTTP API as a process of its own. Argument: `ServerOrder` as JSON. Prints `{ ready: true, url }`, and
 * `Size` for each line of standard input; it ends by a signal, or when its standard input does.
 */
import { createInterface } from "node:readline";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Config } from "../../src/config/config.ts";
import { startServer } from "../../src/server/start-server.ts";
import { createLogger } from "../../src/telemetry/logger.ts";

export interface ServerOrder {
  /** Of the Temporal server. */
  readonly address: string;
  /** Parsed, and free of functions. */
  readonly config: Config;
  /** 0 = a free one. */
  readonly port: number;
}

export interface Size {
  /** What is in use after a full collection: on the heap, and beside it for buffers. */
  readonly heldBytes: number;
  /** Of the process, as the system sees it. */
  readonly rssBytes: number;
}

const { address, config, port } = JSON.parse(process.argv[2] ?? "") as ServerOrder; // written by `startChild`
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag exposes
const log = createLogger("silent");
const server = await startServer({ address, config, port, host: "127.0.0.1", environment: {}, log });
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
print({ ready: true, url: server.url });

process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)));
// The parent is gone: nobody is left to stop this process in good order.
process.stdin.once("end", () => process.exit(1));
createInterface({ input: process.stdin }).on("line", () => print(size()));

function size(): Size {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heldBytes: heapUsed + external, rssBytes: rss };
}
