/**
 * The HTTP API as a process of its own. Argument: `ServerOrder` as JSON. Prints `{ ready: true, url }`;
 * it ends by a signal, or when its standard input does.
 */
import type { Config } from "../../src/config/config.ts";
import { startServer } from "../../src/server/start-server.ts";
import { createLogger } from "../../src/telemetry/logger.ts";

export interface ServerOrder {
  readonly address: string;
  /** Parsed, and free of functions. */
  readonly config: Config;
  readonly port: number;
}

const { address, config, port } = JSON.parse(process.argv[2] ?? "") as ServerOrder; // written by `startChild`
const log = createLogger("silent");
const server = await startServer({ address, config, port, host: "127.0.0.1", environment: {}, log });
process.stdout.write(`${JSON.stringify({ ready: true, url: server.url })}\n`);

process.once("SIGTERM", () => void server.stop().then(() => process.exit(0)));
// The parent is gone: nobody is left to stop this process in good order.
process.stdin.once("end", () => process.exit(1)).resume();
