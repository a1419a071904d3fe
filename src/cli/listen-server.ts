/** A local destination: reads each request whole, remembers keys, verifies signatures, answers as told. Nothing of Temporal. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { CountersignError } from "../errors.ts";
import { parseVerifyingKey } from "../signing/secret.ts";
import { verifyStandardWebhook } from "../signing/standard-webhooks.ts";
import type { RefusalReason } from "../signing/verdict.ts";
import { ACCEPTING, type ListenAnswer } from "./listen-answers.ts";

export type SignatureCheck =
  | { readonly signature: "valid" }
  | { readonly signature: "refused"; readonly reason: RefusalReason }
  /** `signed`: the request carries a signature, but there is no secret to check it with. */
  | { readonly signature: "not-checked"; readonly signed: boolean };

export interface IncomingRequest {
  /** Counts from 1 over the whole server. */
  readonly number: number;
  /** RFC 3339. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly body: Buffer;
  readonly idempotencyKey: string | null;
  /** How many earlier requests carried this key. */
  readonly seenBefore: number;
  readonly check: SignatureCheck;
}

export interface AnsweredRequest extends IncomingRequest {
  readonly answer: ListenAnswer;
}

export interface ListenOptions {
  /** Absent or 0 = a free one. */
  readonly port?: number;
  /** Absent = 127.0.0.1. */
  readonly host?: string;
  /** Standard Webhooks secrets, any of which may have signed; absent or empty = not checked. */
  readonly secrets?: readonly string[];
  /** Absent = always 200. */
  readonly answer?: (request: IncomingRequest) => ListenAnswer;
  /** Told just before the answer goes out. */
  readonly onRequest?: (request: AnsweredRequest) => void;
}

export interface ListenServer {
  readonly port: number;
  readonly url: string;
  /** Cuts whatever is open. */
  close(): Promise<void>;
}

/** No event is larger than 1 MiB; its base64 envelope is. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Enough for any session at a desk, and a bound all the same. */
const MAX_KEYS = 100_000;

/** Throws `config_invalid` for a secret that is none, `server_unavailable` when the port cannot be had. */
export async function startListenServer(options: ListenOptions = {}): Promise<ListenServer> {
  const { host = "127.0.0.1", secrets = [] } = options;
  for (const secret of secrets) parseVerifyingKey(secret);
  const requests = new Map<string, number>();
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (body === null) return refuseLargeBody(response);
      count += 1;
      const incoming = describe({ request, body, secrets, requests, number: count });
      const answered = { ...incoming, answer: options.answer?.(incoming) ?? ACCEPTING };
      options.onRequest?.(answered);
      carryOut(answered.answer, response);
    });
  });
  // What is no HTTP at all is nobody's request; the client learns by the closed connection.
  server.on("clientError", (_error, socket) => socket.destroy());
  const port = await listen(server, { host, port: options.port ?? 0 });
  return { port, url: `http://${host}:${port}/`, close: async () => await close(server) };
}

interface Received {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly secrets: readonly string[];
  readonly requests: Map<string, number>;
  readonly number: number;
}

function describe({ request, body, secrets, requests, number }: Received): IncomingRequest {
  const { method = "", url: path = "", headers } = request;
  const idempotencyKey = singleHeader(headers, "idempotency-key");
  const seenBefore = idempotencyKey === null ? 0 : (requests.get(idempotencyKey) ?? 0);
  if (idempotencyKey !== null) remember(requests, idempotencyKey, seenBefore + 1);
  const check = checkSignature({ headers, body, secrets });
  return { number, at: new Date().toISOString(), method, path, headers, body, idempotencyKey, seenBefore, check };
}

/** The header when it is there exactly once. */
export function singleHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

function remember(requests: Map<string, number>, key: string, count: number): void {
  requests.delete(key);
  requests.set(key, count);
  const [oldest] = requests.keys();
  if (requests.size > MAX_KEYS && oldest !== undefined) requests.delete(oldest);
}

function checkSignature({
  headers,
  body,
  secrets,
}: Pick<IncomingRequest, "headers" | "body"> & { readonly secrets: readonly string[] }): SignatureCheck {
  if (secrets.length === 0) return { signature: "not-checked", signed: headers["webhook-signature"] !== undefined };
  const verdict = verifyStandardWebhook({ headers, body, secrets, nowSeconds: Math.floor(Date.now() / 1000) });
  return verdict.ok ? { signature: "valid" } : { signature: "refused", reason: verdict.reason };
}

/** The bytes of the body; null when there are too many. Never resolves for a request whose sender left in the middle. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  return await new Promise((resolve) => {
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) resolve(null);
      else chunks.push(chunk);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
  });
}

function refuseLargeBody(response: ServerResponse): void {
  response.writeHead(413, { connection: "close" }).end();
}

function carryOut(answer: ListenAnswer, response: ServerResponse): void {
  switch (answer.do) {
    case "answer":
      response.writeHead(answer.status, answer.retryAfter === null ? {} : { "retry-after": answer.retryAfter }).end();
      return;
    case "cut":
      response.socket?.destroy();
      return;
    case "hang":
      return;
  }
}

async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new CountersignError(
          "server_unavailable",
          `Cannot listen on ${host}:${port} (${error.code ?? error.message}): choose another --port, or 0 for a free one.`,
        ),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
