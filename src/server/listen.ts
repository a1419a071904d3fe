/** The app on a socket: bounds on headers, connections and time, and an end that drops no request it has taken. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { CountersignError, systemCodeOf } from "../errors.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import type { App } from "./create-app.ts";
import type { ServerLimits } from "./limits.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  readonly limits: ServerLimits;
}

export interface Listener {
  /** Such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Resolves when every request that was taken has been answered, or had its time. */
  close(): Promise<void>;
}

/** How often Node looks for requests that are over their time. */
const LOOK_EVERY_MS = 1000;
/** The body has a clock of its own, which can still answer; this one only cuts. */
const MARGIN_MS = 5000;

/** Throws `server_unavailable` when the address cannot be listened on. */
export async function listen(app: App, { host, port, limits }: ListenOptions): Promise<Listener> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: host });
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headerTimeMs,
    requestTimeout: limits.headerTimeMs + limits.bodyTimeMs + MARGIN_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    keepAliveTimeout: limits.keepAliveMs,
  });
  server.maxConnections = limits.maxConnections;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response);
  server
    .on("request", onRequest)
    .on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      // Who asks first is not asked for more than will be read.
      if (Number(request.headers["content-length"] ?? 0) <= limits.maxEventBytes) response.writeContinue();
      onRequest(request, response);
    })
    .on("clientError", answerBrokenRequest);
  await bind(server, host, port);
  const { port: bound } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: async () => await drain(server, limits),
  };
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  } catch (error) {
    const reason = systemCodeOf(error);
    throw new CountersignError(
      "server_unavailable",
      `The address ${host}, port ${port}, cannot be listened on (${reason}): choose another one with --host and --port.`,
      { cause: error, details: { host, port } },
    );
  }
}

/**
 * Answers say `Connection: close` by now. For a moment requests are still taken, so that clients which keep their
 * connections busy leave by themselves; then quiet connections are closed, and the rest may finish.
 */
async function drain(server: Server, { lameDuckMs, drainMs }: ServerLimits): Promise<void> {
  await pause(lameDuckMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
}
