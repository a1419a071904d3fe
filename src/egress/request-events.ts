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

/** Filled in while the request runs. */
export interface RequestTrace {
  /** The handler was told that writing begins. */
  started: boolean;
  /** `undici:client:sendHeaders` was seen for this request. */
  headersSent: boolean;
  /** `undici:request:bodySent` was seen for this request. */
  bodySent: boolean;
  /** The connection it was written to; null until then. */
  socket: Socket | null;
}

export interface RequestEvents {
  /** Called from `onRequestStart`; fills `trace` from then on. */
  readonly begin: (trace: RequestTrace) => void;
  readonly stop: () => void;
}

export function newTrace(): RequestTrace {
  return { started: false, headersSent: false, bodySent: false, socket: null };
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

export function watchRequests(): RequestEvents {
  const traces = new WeakMap<object, RequestTrace>();
  let begun: RequestTrace | null = null;

  const onSendHeaders = (message: unknown): void => {
    const request = requestOf(message);
    if (begun === null || request === null) return;
    begun.headersSent = true;
    begun.socket = socketOf(message);
    traces.set(request, begun);
    begun = null;
  };
  const onBodySent = (message: unknown): void => {
    const request = requestOf(message);
    const trace = request === null ? undefined : traces.get(request);
    if (trace !== undefined) trace.bodySent = true;
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
