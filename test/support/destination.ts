/** A loopback destination that records each request whole and answers by script: one script per path. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came in. */
export interface DestinationRequest {
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of the `idempotency-key` header; empty when there is none. */
  readonly key: string;
  /** Milliseconds since the epoch, when the whole request was there. */
  readonly atMs: number;
  /** Counts from 1 for this path and key. */
  readonly nth: number;
}

/** What is answered; `cut` closes the connection without an answer, `hang` leaves it open. */
export interface ScriptedAnswer {
  /** 200 when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly delayMs?: number;
  readonly how?: "answer" | "cut" | "hang";
}

/** The n-th request of a key gets the n-th answer, the last one for ever; or a function decides, when it likes. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: DestinationRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface Destination {
  /** Without a path. */
  readonly url: string;
  /** In the order in which they were complete. */
  readonly requests: readonly DestinationRequest[];
  /** Those of one delivery. */
  requestsOf(idempotencyKey: string): readonly DestinationRequest[];
  /** Replaces the script of a path, with or without its query; a path without one answers 200. */
  script(path: string, script: Script): void;
  close(): Promise<void>;
}

export async function startDestination(scripts: Readonly<Record<string, Script>> = {}): Promise<Destination> {
  const byPath = new Map(Object.entries(scripts));
  const requests: DestinationRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await receive(request);
    const nth = requests.filter(({ path, key }) => path === received.path && key === received.key).length + 1;
    const whole = { ...received, nth };
    requests.push(whole);
    answer(response, await answerTo(byPath.get(whole.path) ?? byPath.get(withoutQuery(whole.path)) ?? [], whole));
  };
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    requestsOf: (idempotencyKey) => requests.filter(({ key }) => key === idempotencyKey),
    script: (path, script) => void byPath.set(path, script),
    close: async () => await closeAll(server),
  };
}

function withoutQuery(path: string): string {
  return path.split("?")[0] ?? "";
}

async function receive(request: IncomingMessage): Promise<Omit<DestinationRequest, "nth">> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set, so chunks are buffers
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const key = headers["idempotency-key"] ?? "";
  return { path: request.url ?? "", headers, body: Buffer.concat(chunks), key, atMs: Date.now() };
}

async function answerTo(script: Script, request: DestinationRequest): Promise<ScriptedAnswer> {
  if (typeof script === "function") return await script(request);
  return script[Math.min(request.nth, script.length) - 1] ?? {};
}

function answer(
  response: ServerResponse,
  { status = 200, headers = {}, body = "", delayMs = 0, how = "answer" }: ScriptedAnswer,
): void {
  if (how === "hang") return;
  setTimeout(() => {
    if (how === "cut") return void response.destroy();
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.writeHead(status).end(body);
  }, delayMs);
}

async function closeAll(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
