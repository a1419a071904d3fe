/** What goes out and what came back: the vocabulary of the one place bytes leave. */
import type { Certainty, SendPhase, TransportCode } from "../delivery/attempt.ts";

/** One request, ready to send. Redirects are never followed, nothing is retried here. */
export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeouts: { readonly connectMs: number; readonly headersMs: number | null; readonly totalMs: number };
  /** CIDR blocks that may be reached although they are not public. */
  readonly allowPrivate: readonly string[];
  /** Ports besides 443 and 8443. */
  readonly ports: readonly number[];
  /** After 408 or 421: do not reuse a pooled connection (RFC 9110 §15.5.9, §15.5.20). */
  readonly freshConnection?: boolean;
  /** The answer's body is wanted, up to so many bytes; absent = nothing of it is kept. */
  readonly keepBodyBytes?: number;
  /** Cancellation from outside: worker shutdown or an operator. */
  readonly signal?: AbortSignal;
}

/**
 * A status line arrived: it decides, whatever happened to the body.
 *
 * `headers` holds only the few that decisions read, lower case; a field sent
 * several times is an array. Nothing of the body is kept unless the request asked for it.
 */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly retryAfter: readonly string[];
  readonly date: string | null;
  readonly location: string | null;
  /** Only with `keepBodyBytes`, and only where all of it came and was no larger. */
  readonly body?: Uint8Array;
  readonly elapsedMs: number;
}

/** How far a request got that may have left, as its connection counted. */
export interface SendProgress {
  readonly phase: SendPhase;
  /**
   * Of this request alone, also on a connection that served others before. With `sending` an upper
   * bound: a part of it did not leave.
   */
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

/** No status line: what is known about the request's fate, by undici's diagnostics events. */
export interface TransportFailure {
  readonly kind: "failure";
  readonly code: TransportCode;
  readonly certainty: Exclude<Certainty, "answered">;
  /** With certainty `unknown`, where the connection is known. */
  readonly progress?: SendProgress;
  readonly elapsedMs: number;
}

export type Exchange = Answer | TransportFailure;

/** Sends one request and reports; never throws. */
export type Send = (request: OutgoingRequest) => Promise<Exchange>;
