/** One request over one connection: deadline, cancellation, bounded response, certainty. */
import type { Dispatcher } from "undici";
import type { TransportCode } from "../delivery/attempt.ts";
import type { Connections } from "./connections.ts";
import type { Answer, Exchange, OutgoingRequest, TransportFailure } from "./exchange.ts";
import { failureOf } from "./failure-code.ts";
import { mayHaveLeft, newTrace, progressOf } from "./request-events.ts";
import { type BodyKeeper, createKeeper } from "./keep-body.ts";
import type { RequestEvents, RequestTrace } from "./request-events.ts";

export interface Wire {
  readonly connections: Connections;
  readonly url: URL;
  readonly events: RequestEvents;
}

type Settlement = Omit<Answer, "elapsedMs"> | Omit<TransportFailure, "elapsedMs">;
type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Read so that the connection can be used again; beyond that it is dropped rather than drained. */
export const MAX_BODY_BYTES = 64 * 1024;

/** A body that stalls ends sooner than the total deadline: nothing of it is wanted. */
const BODY_IDLE_MS = 5_000;

const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends once and reports; rejects only for a request that breaks its own type.
 *
 * Resolves at the total deadline even while a connection is still being made:
 * undici does not abort that phase, so the request is marked and dropped
 * before its first byte should the connection come up later.
 */
export async function exchangeOnce(wire: Wire, request: OutgoingRequest): Promise<Exchange> {
  const { timeouts, signal } = request;
  const startedAt = performance.now();
  if (signal?.aborted === true) return { kind: "failure", code: "canceled", certainty: "not-sent", elapsedMs: 0 };
  const options = dispatchOptions(wire.url, request);
  const trace = newTrace();
  const { settled, handler, stop } = createHandler(wire, trace, createKeeper(request.keepBodyBytes));
  const cancel = (): void => stop("canceled");
  signal?.addEventListener("abort", cancel, { once: true });
  const deadline = setTimeout(() => stop("timeout_total"), Math.min(timeouts.totalMs, MAX_TIMER_MS));
  const lease = wire.connections.lease((client) => client.dispatch(options, handler));

  const settlement = await settled;
  lease.release(trace.started ? "keep" : "discard");
  clearTimeout(deadline);
  signal?.removeEventListener("abort", cancel);
  return { ...settlement, elapsedMs: Math.round(performance.now() - startedAt) };
}

function dispatchOptions(url: URL, request: OutgoingRequest): Dispatcher.DispatchOptions {
  const { body, timeouts } = request;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { ...request.headers },
    // A view, not a copy: what was signed is what is sent.
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    idempotent: false,
    headersTimeout: timeouts.headersMs ?? 0,
    bodyTimeout: Math.min(BODY_IDLE_MS, timeouts.totalMs),
    reset: request.freshConnection === true,
  };
}

/** Our side of undici's callbacks; the first settlement counts. */
function createHandler(wire: Wire, trace: RequestTrace, keeper: BodyKeeper) {
  const secure = wire.url.protocol === "https:";
  let answer: Omit<Answer, "elapsedMs"> | null = null;
  let controller: Dispatcher.DispatchController | null = null;
  let bodyBytes = 0;
  let isSettled = false;
  let resolveSettled: (settlement: Settlement) => void = () => undefined;
  const settled = new Promise<Settlement>((resolve) => (resolveSettled = resolve));

  const settle = (settlement: Settlement): void => {
    isSettled = true;
    resolveSettled(settlement);
  };
  /** A status that has arrived decides, whatever `code` says. */
  const conclude = (code: TransportCode): void => settle(answer ?? ownFailure(code, trace));
  /** Our own decision ends it: the connection is dropped, not drained. */
  const stop = (code: TransportCode): void => {
    if (isSettled) return;
    conclude(code);
    // undici answers an abort by opening a connection that nobody needs; a broken one it just forgets.
    if (trace.socket === null) controller?.abort(new Error(code));
    else trace.socket.destroy(new Error(code));
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (given) => {
      controller = given;
      if (isSettled) given.abort(new Error("The request was given up before it was sent"));
      else wire.events.begin(trace);
    },
    onResponseStart: (_controller, status, headers) => {
      // 1xx are not the answer (RFC 9110 §15.2).
      if (status >= 200) answer = readAnswer(status, headers);
    },
    onResponseData: (_controller, chunk) => {
      bodyBytes += chunk.byteLength;
      keeper.take(chunk);
      if (bodyBytes > MAX_BODY_BYTES) stop("transport_failed");
    },
    onResponseEnd: () => {
      if (answer === null) conclude("transport_failed");
      else settle({ ...answer, ...keeper.whole() });
    },
    onResponseError: (_controller, error) => {
      const failure = failureOf(error, { sent: mayHaveLeft(trace), secure });
      settle(answer ?? { kind: "failure", ...failure, ...progressIf(failure.certainty, trace) });
    },
  };
  return { settled, handler, stop };
}

function ownFailure(code: TransportCode, trace: RequestTrace): Settlement {
  const certainty = mayHaveLeft(trace) ? "unknown" : "not-sent";
  return { kind: "failure", code, certainty, ...progressIf(certainty, trace) };
}

function progressIf(certainty: TransportFailure["certainty"], trace: RequestTrace): Pick<TransportFailure, "progress"> {
  const progress = certainty === "unknown" ? progressOf(trace) : null;
  return progress === null ? {} : { progress };
}

function readAnswer(status: number, headers: ResponseHeaders): Omit<Answer, "elapsedMs"> {
  return {
    kind: "answer",
    status,
    retryAfter: valuesOf(headers["retry-after"]),
    date: valuesOf(headers["date"])[0] ?? null,
    location: valuesOf(headers["location"])[0] ?? null,
  };
}

function valuesOf(field: string | readonly string[] | undefined): readonly string[] {
  if (field === undefined) return [];
  return typeof field === "string" ? [field] : [...field];
}
