/**
 * What undici announces on its diagnostics channels about one request.
 *
 * The channels are process-wide and carry undici's own request object, which
 * callers never see. `onRequestStart` of a handler runs in the same synchronous
 * call as the announcement of the headers, so it opens a bracket that ties the
 * two together; requests of anybody else in the process fall outside it.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Socket } from "node:net";
import type { SendProgress } from "./exchange.ts";

/** Filled in while the request runs. */
export interface RequestTrace {
  /** The handler was told that writing begins. */
  started: boolean;
  /** `undici:client:sendHeaders` was seen for this request. */
  headersSent: boolean;
  /** `undici:request:bodySent` was seen for this request. */
  bodySent: boolean;
  /** All of it was handed on to the operating system; before, a part still waited in this process. */
  flushed: boolean;
  /** The connection it was written to; null until then. */
  socket: Socket | null;
  /** What that connection had carried before, bytes. */
  before: { readonly written: number; readonly read: number };
}

export interface RequestEvents {
  /** Called from `onRequestStart`; fills `trace` from then on. */
  readonly begin: (trace: RequestTrace) => void;
  readonly stop: () => void;
}

export function newTrace(): RequestTrace {
  return {
    started: false,
    headersSent: false,
    bodySent: false,
    flushed: false,
    socket: null,
    before: { written: 0, read: 0 },
  };
}

/**
 * Whether bytes of the request may have left.
 *
 * "Not sent" needs both witnesses to agree: should a later undici stop
 * announcing its headers, outcomes become unknown, never falsely safe.
 */
export function mayHaveLeft(trace: RequestTrace): boolean {
  return trace.headersSent || trace.started;
}

/** Null where it is not known over which connection it went. */
export function progressOf({ socket, before, bodySent, flushed }: RequestTrace): SendProgress | null {
  if (socket === null) return null;
  const { written, read } = carriedBy(socket);
  const isFlushed = flushed || (bodySent && !socket.destroyed && socket.writableLength === 0);
  return {
    phase: isFlushed ? "sent" : "sending",
    bytesSent: Math.max(0, written - before.written),
    bytesReceived: Math.max(0, read - before.read),
  };
}

/** The body was handed to the socket, where a large one waits for a slow receiver. */
function noteFlush(trace: RequestTrace): void {
  const { socket } = trace;
  if (socket === null) return;
  if (socket.writableLength === 0) trace.flushed = true;
  else socket.once("drain", () => (trace.flushed = true));
}

function carriedBy(socket: Socket | null): RequestTrace["before"] {
  return { written: socket?.bytesWritten ?? 0, read: socket?.bytesRead ?? 0 };
}

export function watchRequests(): RequestEvents {
  const traces = new WeakMap<object, RequestTrace>();
  let begun: RequestTrace | null = null;

  const onSendHeaders = (message: unknown): void => {
    const request = requestOf(message);
    if (begun === null || request === null) return;
    begun.headersSent = true;
    begun.socket = socketOf(message);
    begun.before = carriedBy(begun.socket);
    traces.set(request, begun);
    begun = null;
  };
  const onBodySent = (message: unknown): void => {
    const request = requestOf(message);
    const trace = request === null ? undefined : traces.get(request);
    if (trace === undefined) return;
    trace.bodySent = true;
    noteFlush(trace);
  };

  subscribe("undici:client:sendHeaders", onSendHeaders);
  subscribe("undici:request:bodySent", onBodySent);
  return {
    begin: (trace) => {
      trace.started = true;
      begun = trace;
    },
    stop: () => {
      unsubscribe("undici:client:sendHeaders", onSendHeaders);
      unsubscribe("undici:request:bodySent", onBodySent);
    },
  };
}

function requestOf(message: unknown): object | null {
  if (typeof message !== "object" || message === null || !("request" in message)) return null;
  return typeof message.request === "object" ? message.request : null;
}

function socketOf(message: unknown): Socket | null {
  const socket: unknown =
    typeof message === "object" && message !== null && "socket" in message ? message.socket : null;
  return socket instanceof Socket ? socket : null;
}
