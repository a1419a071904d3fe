/** The body of a request, within bounds of size, time and memory. */
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { BytesOf } from "./capacity.ts";
import { headersOf, oneHeader } from "./request-headers.ts";
import { type Problem, problemResponse, unavailable } from "./problem.ts";
import type { HttpContext, ServerContext } from "./server-context.ts";

export interface Sent {
  readonly context: HttpContext;
  readonly maxBytes: number;
  /** Absent = of somebody with a key. */
  readonly whose?: BytesOf;
}

/** Reads the body and hands it on; its bytes count as held until the answer is there. */
export async function withBody(
  { limits, capacity }: Pick<ServerContext, "limits" | "capacity">,
  { context, maxBytes, whose = "key" }: Sent,
  use: (bytes: Uint8Array) => Promise<Response>,
): Promise<Response> {
  let held = 0;
  const hold = (bytes: number): boolean => {
    if (!capacity.take(bytes, whose)) return false;
    held += bytes;
    return true;
  };
  try {
    const declared = Number(oneHeader(headersOf(context), "content-length") ?? 0);
    // Told at once: reading what will be refused helps nobody.
    if (declared > maxBytes) return problemResponse(tooLarge(maxBytes));
    invite(context);
    const body = await collect(streamOf(context), { maxBytes, timeMs: limits.bodyTimeMs, hold });
    return body instanceof Uint8Array ? await use(body) : problemResponse(body);
  } finally {
    capacity.give(held, whose);
  }
}

/**
 * RFC 9110 §10.1.1: only now is it worth sending.
 *
 * Who is told no instead is also told that the connection ends (Node sees to that): what comes next is no body.
 */
function invite({ env }: HttpContext): void {
  const { headers, httpVersion } = env?.incoming ?? {};
  if (headers?.expect !== undefined && httpVersion !== "1.0") env.outgoing?.writeContinue();
}

/** The request of Node itself where there is one: a web stream around it would go on reading by itself. */
function streamOf({ env, req }: HttpContext): Readable | null {
  if (env?.incoming !== undefined) return env.incoming;
  // The same class, declared once by Node and once by the DOM.
  return req.raw.body === null ? null : Readable.fromWeb(req.raw.body as ReadableStream<Uint8Array>);
}

interface Bounds {
  readonly maxBytes: number;
  readonly timeMs: number;
  /** Asks for room for a chunk. */
  hold(bytes: number): boolean;
}

/** What is not read stays where it is; the connection is closed by whoever owns it. */
async function collect(stream: Readable | null, { maxBytes, timeMs, hold }: Bounds): Promise<Uint8Array | Problem> {
  if (stream === null) return new Uint8Array();
  return await new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const finish = (result: Uint8Array | Problem): void => {
      clearTimeout(timer);
      stream.off("data", onData).off("end", onEnd).off("close", onCut).pause();
      resolve(result);
    };
    const onData = (chunk: Uint8Array): void => {
      size += chunk.byteLength;
      if (size > maxBytes) return finish(tooLarge(maxBytes));
      if (!hold(chunk.byteLength)) return finish(noRoom());
      chunks.push(chunk);
    };
    const onEnd = (): void => finish(Buffer.concat(chunks));
    const onCut = (): void => finish(cutOff());
    const timer = setTimeout(() => finish(tooSlow(timeMs)), timeMs);
    stream
      .on("error", () => undefined)
      .on("data", onData)
      .on("end", onEnd)
      .on("close", onCut);
  });
}

function tooLarge(maxBytes: number): Problem {
  const detail = `The body of this request may have at most ${maxBytes} bytes.`;
  return { status: 413, code: "body_too_large", detail, members: { maxBytes } };
}

function tooSlow(timeMs: number): Problem {
  const detail = `The body did not arrive within ${timeMs / 1000} s.`;
  return { status: 408, code: "request_timeout", detail, headers: { connection: "close" } };
}

function noRoom(): Problem {
  return unavailable("overloaded", "Too many bodies are being read at once; send it again.");
}

/** Nobody is left to read it. */
function cutOff(): Problem {
  return { status: 400, code: "cut_off", detail: "The connection closed before the body was complete." };
}
