/** What one try of one delivery was and meant. Shapes only; see `classify.ts` and `next-step.ts`. */

/** What an attempt meant. `rejected` is not here: that is a person's word only. */
export type Outcome = "delivered" | "retry" | "refused" | "uncertain" | "canceled";

/** `not-sent`: no byte of the request left. `unknown`: it left, no answer. `answered`: a status line arrived. */
export type Certainty = "not-sent" | "unknown" | "answered";

/** How far a request got that no answer came to: `sending` = not all of it was written, `sent` = all of it was. */
export type SendPhase = "sending" | "sent";

/** How an attempt is executed; chosen per attempt by `chooseWay`. */
export type Way = "local" | "direct" | "lane";

/** Transport failures: the part of the closed code set that egress can report. */
export type TransportCode =
  | "connect_refused"
  | "connect_reset"
  | "connect_timeout"
  | "unreachable"
  | "dns_not_found"
  | "dns_failed"
  | "tls_expired"
  | "tls_not_yet_valid"
  | "tls_wrong_host"
  | "tls_self_signed"
  | "tls_unknown_ca"
  | "tls_revoked"
  | "tls_protocol"
  | "tls_reset"
  | "timeout_headers"
  | "timeout_total"
  | "reset_after_send"
  | "closed_after_send"
  | "response_malformed"
  | "response_headers_too_large"
  | "blocked_address"
  | "request_invalid"
  | "transport_failed"
  | "canceled";

/** The closed set of attempt codes; `http_<status>` for every answer. */
export type AttemptCode =
  | TransportCode
  | `http_${number}`
  | "handler_done"
  | "handler_failed"
  | "handler_refused"
  | "worker_lost";

/**
 * One attempt as it stands in the event state: never a body, never a secret.
 *
 * `number` counts from 1 over the whole delivery. `at` is the start, RFC 3339 UTC.
 */
export interface AttemptRecord {
  readonly number: number;
  readonly at: string;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly certainty: Certainty;
  /** Present when `certainty` is `answered` and the endpoint speaks HTTP. */
  readonly status?: number;
  readonly code: AttemptCode;
  /** What the endpoint asked for, milliseconds from the answer; absent = no usable Retry-After. */
  readonly retryAfterMs?: number;
  /** The header as received, at most 100 characters; present whenever one came, usable or not. */
  readonly retryAfterRaw?: string;
  /** `Location` of a refused redirect, without query, at most 300 characters. */
  readonly location?: string;
  /** Receipt reference of a handler, at most 200 visible ASCII characters. */
  readonly reference?: string;
  /** How far the request got; with certainty `unknown` at a URL. */
  readonly phase?: SendPhase;
  /** Of this request on its connection, bytes; with `phase`. With `sending`, at most so many went out. */
  readonly bytesSent?: number;
  readonly bytesReceived?: number;
  /** Of the endpoint, where it is another one than the attempt before, or the plan, had. */
  readonly configVersion?: string;
  /** When the next attempt is due; absent = none planned. */
  readonly nextAt?: string;
  readonly via: Way;
  /** Time it waited in a lane before it was taken up. */
  readonly heldMs?: number;
}
