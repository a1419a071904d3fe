/** The app on a socket: bounds on headers, connections and time, and an end that drops no request it has taken. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { CountersignError, systemCodeOf } from "../errors.ts";
import { answerBrokenRequest, refuseTunnel } from "./broken-request.ts";
import type { App } from "./create-app.ts";
import { createTurns, type Turns } from "./in-turn.ts";
import type { ServerLimits } from "./limits.ts";
import { problemResponse } from "./problem.ts";
import { requestProblem, UNREADABLE } from "./request-problem.ts";

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
  const turns = createTurns();
  const server = serverWith(limits);
  const open = connectionsOf(server);
  const answer = listenerOf(app, host);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    turns.take(request, response, () => {
      void answer(request, response).then(() => cutUnlessRead(response, limits));
    });
  server
    .on("request", onRequest)
    // Who asks first is told to come on by whoever reads the body.
    .on("checkContinue", onRequest)
    .on("checkExpectation", onRequest)
    .on("connect", (_request: IncomingMessage, socket: Duplex) => refuseTunnel(socket))
    .on("clientError", (error: Error, socket: Duplex) =>
      turns.afterAnswers(socket, () => answerBrokenRequest(error, socket)),
    );
  await bind(server, host, port);
  const { port: bound } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: async () => await drain({ server, open, turns }, limits),
  };
}

function serverWith(limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headerTimeMs,
    requestTimeout: limits.headerTimeMs + limits.bodyTimeMs + MARGIN_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    keepAliveTimeout: limits.keepAliveMs,
    // Told by ourselves, with a reason.
    requireHostHeader: false,
  });
  server.maxConnections = limits.maxConnections;
  // What goes beyond would be dropped without a word; the bytes are bounded as it is.
  server.maxHeadersCount = 0;
  // Not in the documentation of Node, but what its code asks: a client that has said all still wants its answer.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Requests on which servers could differ end here, the others at the app. */
function listenerOf(app: App, hostname: string): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const fetch = async (request: Request, env: unknown): Promise<Response> => {
    const { incoming, outgoing } = env as HttpBindings; // HTTP/1 is all that is listened for
    const problem = requestProblem(incoming);
    return problem === null ? await app.fetch(request, { incoming, outgoing }) : problemResponse(problem);
  };
  const errorHandler = () => problemResponse(UNREADABLE);
  return getRequestListener(fetch, { overrideGlobalObjects: false, hostname, errorHandler });
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

/** Whoever asks and does not read would keep the answer here for ever. */
function cutUnlessRead(response: ServerResponse, { readTimeMs }: ServerLimits): void {
  const { socket } = response;
  if (socket === null || response.writableFinished) return;
  const timer = setTimeout(() => socket.destroy(), readTimeMs);
  response.once("close", () => clearTimeout(timer));
}

/** Those that are open now. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

interface Draining {
  readonly server: Server;
  readonly open: ReadonlySet<Socket>;
  readonly turns: Turns;
}

/**
 * Answers say `Connection: close` by now. For a moment requests are still taken, so that clients which keep their
 * connections busy leave by themselves; then connections without a request are closed, and the rest may finish.
 */
async function drain({ server, open, turns }: Draining, { lameDuckMs, drainMs }: ServerLimits): Promise<void> {
  await pause(lameDuckMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node waits for whoever has connected and said nothing yet, or not all of its headers, and no longer looks at its time.
  for (const socket of open) if (!turns.isBusy(socket)) socket.destroy();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
}
