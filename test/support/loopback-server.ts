/** Loopback servers that answer as badly as a test wants, and count what they received. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { TlsOptions } from "node:tls";

/** One request as it stood on the wire. */
export interface ReceivedRequest {
  readonly head: string;
  readonly body: Buffer;
  /** Counts from 1 over the whole server. */
  readonly number: number;
}

/** Called for each complete request; whatever it writes is the answer. */
export type Answering = (socket: Socket, request: ReceivedRequest) => void;

export interface LoopbackServer {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Connections whose client has neither ended nor cut them. */
  readonly openCount: () => number;
  readonly connectionCount: () => number;
  readonly close: () => Promise<void>;
}

export interface LoopbackOptions {
  readonly host?: string;
  readonly tls?: TlsOptions;
  /** Replaces reading requests: gets the bare connection. */
  readonly onConnection?: (socket: Socket) => void;
}

const TLS_FOLDER = new URL("../vectors/tls/", import.meta.url);

/** A file of the certificate folder, as text. */
export function tlsFile(name: string): string {
  return readFileSync(new URL(name, TLS_FOLDER), "utf8");
}

/** An answer of status and headers with an empty body. */
export function answerWith(status: number, headers: readonly string[] = []): Answering {
  const lines = [`HTTP/1.1 ${status} X`, "Content-Length: 0", ...headers];
  return (socket) => void socket.write(`${lines.join("\r\n")}\r\n\r\n`);
}

export async function startLoopback(answer: Answering, options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const open = new Set<Socket>();
  let connections = 0;
  const onConnection = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    open.add(socket);
    const forget = () => open.delete(socket);
    socket.on("end", forget).on("close", forget).on("error", forget);
    socket.on("close", () => sockets.delete(socket));
    if (options.onConnection !== undefined) return options.onConnection(socket);
    readRequests(socket, (head, body) => {
      const request = { head, body, number: requests.length + 1 };
      requests.push(request);
      answer(socket, request);
    });
  };
  // Half-open, so that a test decides who closes when.
  const server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true }, onConnection)
      : createTlsServer(options.tls, onConnection);
  server.on("tlsClientError", () => undefined);
  const host = options.host ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const scheme = options.tls === undefined ? "http" : "https";
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}/hook`,
    requests,
    openCount: () => open.size,
    connectionCount: () => connections,
    close: () => closeAll(server, sockets),
  };
}

/** Cuts a connection's bytes into requests with `Content-Length` bodies. */
function readRequests(socket: Socket, onRequest: (head: string, body: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = pending.subarray(0, headEnd).toString("latin1");
      const bodyEnd = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (pending.byteLength < bodyEnd) return;
      const body = pending.subarray(headEnd + 4, bodyEnd);
      pending = pending.subarray(bodyEnd);
      onRequest(head, body);
    }
  });
}

function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Resolves once `isTrue` holds; fails after `deadlineMs`. */
export async function eventually(isTrue: () => boolean, deadlineMs = 5_000): Promise<void> {
  const until = Date.now() + deadlineMs;
  while (!isTrue()) {
    if (Date.now() > until) throw new Error("The condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
