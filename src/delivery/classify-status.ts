/** What an answer or a transport failure means for the delivery: the default status table, in code. */
import type { AttemptCode, Certainty, Outcome, TransportCode } from "./attempt.ts";

/** Per-endpoint changes to the status table. */
export type StatusOverrides = Readonly<Record<number, "delivered" | "retry" | "refused">>;

export interface StatusInput {
  /** The final status received; numbers outside 100–599 count as 500 (RFC 9110 §15). */
  readonly status: number;
  readonly overrides: StatusOverrides;
  /** false = never repeated blindly. */
  readonly idempotent: boolean;
  /** The answer carried a Retry-After that could be read. */
  readonly hasRetryAfter: boolean;
}

/**
 * 408, 425 and 429 ask us to come back; 409, 423 and 424 say somebody else is in
 * the way; 421 deserves another connection (once, see `nextStep`). Each says that
 * the request was not applied, so they are retried although they are 4xx.
 */
const RETRIED_CLIENT_ERRORS: ReadonlySet<number> = new Set([408, 409, 421, 423, 424, 425, 429]);

/** 501, 505, 508, 510, 511 do not mend by waiting; 507 must not be repeated unasked (RFC 4918 §11.5). */
const REFUSING_SERVER_ERRORS: ReadonlySet<number> = new Set([501, 505, 507, 508, 510, 511]);

/** Not processed: 503 by its meaning, the others (Cloudflare) because the edge never reached or trusted the origin. */
const UNPROCESSED_SERVER_ERRORS: ReadonlySet<number> = new Set([503, 521, 523, 525, 526, 530]);

/**
 * Decides by the status alone; an override wins, whatever the endpoint is.
 *
 * Nothing below 400 but 2xx is success: redirects are never followed, and a 304
 * or 399 has applied nothing. A 1xx as the final status (an unasked 101, say) and
 * every other 5xx leave open whether the effect happened, as 500 does: retried
 * under the same key, but `uncertain` at an endpoint that is not idempotent.
 */
export function classifyStatus({ status, overrides, idempotent, hasRetryAfter }: StatusInput): Outcome {
  const override = overrides[status];
  if (override !== undefined) return override;
  if (status >= 200 && status < 300) return "delivered";
  if (status >= 300 && status < 400) return "refused";
  if (status >= 400 && status < 500) return classifyClientError(status, hasRetryAfter);
  if (REFUSING_SERVER_ERRORS.has(status)) return "refused";
  if (UNPROCESSED_SERVER_ERRORS.has(status)) return "retry";
  return idempotent ? "retry" : "uncertain";
}

function classifyClientError(status: number, hasRetryAfter: boolean): Outcome {
  if (status === 413 && hasRetryAfter) return "retry";
  return RETRIED_CLIENT_ERRORS.has(status) ? "retry" : "refused";
}

export interface FailureInput {
  readonly code: TransportCode;
  readonly certainty: Exclude<Certainty, "answered">;
}

/**
 * Decides where no status line arrived.
 *
 * Whatever the code, a request that may have left is `uncertain`. What never
 * left is retried, unknown causes included, save where only a person can help:
 * a forbidden address, or a request that cannot be formed.
 */
export function classifyFailure({ code, certainty }: FailureInput): Outcome {
  if (certainty === "unknown") return "uncertain";
  if (code === "blocked_address" || code === "request_invalid") return "refused";
  return code === "canceled" ? "canceled" : "retry";
}

export type CertificateCode =
  | "tls_expired"
  | "tls_not_yet_valid"
  | "tls_wrong_host"
  | "tls_self_signed"
  | "tls_unknown_ca"
  | "tls_revoked";

const CERTIFICATE_CODES: ReadonlySet<AttemptCode> = new Set<CertificateCode>([
  "tls_expired",
  "tls_not_yet_valid",
  "tls_wrong_host",
  "tls_self_signed",
  "tls_unknown_ca",
  "tls_revoked",
]);

/** A verdict on the certificate itself: it stands until somebody acts, unlike a broken handshake. */
export function isCertificateCode(code: AttemptCode): code is CertificateCode {
  return CERTIFICATE_CODES.has(code);
}
