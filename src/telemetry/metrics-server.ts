/** `/metrics` and `/healthz` of a process that has no HTTP API: a worker. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CountersignError, systemCodeOf } from "../errors.ts";
import type { Logger } from "./logger.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsServerOptions {
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  readonly log: Logger;
}

export interface MetricsServer {
  /** Such as `http://127.0.0.1:9464`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Scrapers are few; whoever opens more connections must not take the worker's. */
const MAX_CONNECTIONS = 100;
const REQUEST_TIME_MS = 10_000;

/** Throws `server_unavailable` when the address cannot be listened on; after that nothing it meets reaches the process. */
export async function serveMetrics({ metrics, host, port, log }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer(
    { headersTimeout: REQUEST_TIME_MS, requestTimeout: REQUEST_TIME_MS },
    (request, response) => void respond(metrics, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  await bind(server, host, port);
  server.on("error", (error) => log.warn({ err: error }, "metrics.server_error"));
  const { port: bound } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A scraper keeps its connection open for the next time.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  } catch (error) {
    throw new CountersignError(
      "server_unavailable",
      `The address ${host}, port ${port}, cannot be listened on for metrics (${systemCodeOf(error)}): choose another one with --metrics-host and --metrics-port.`,
      { cause: error, details: { host, port } },
    );
  }
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const TEXT = "text/plain; charset=utf-8";
const NOT_FOUND: Answer = { status: 404, contentType: TEXT, body: "There are /metrics and /healthz here.\n" };
const BAD_METHOD: Answer = { status: 405, contentType: TEXT, body: "This address takes GET, HEAD.\n" };
const FAILED: Answer = { status: 500, contentType: TEXT, body: "The metrics cannot be written.\n" };

async function respond(
  metrics: MetricsServerOptions["metrics"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType, body } = await answerTo(metrics, request).catch(() => FAILED);
  const allow = status === BAD_METHOD.status ? { allow: "GET, HEAD" } : {};
  response.writeHead(status, { ...allow, "content-type": contentType, "cache-control": "no-store" }).end(body);
}

async function answerTo(
  metrics: MetricsServerOptions["metrics"],
  { method, url = "" }: IncomingMessage,
): Promise<Answer> {
  const [path] = url.split("?");
  if (path !== "/metrics" && path !== "/healthz") return NOT_FOUND;
  if (method !== "GET" && method !== "HEAD") return BAD_METHOD;
  if (path === "/healthz") return { status: 200, contentType: "application/json", body: '{"status":"ok"}' };
  return { status: 200, contentType: metrics.contentType, body: await metrics.text() };
}
