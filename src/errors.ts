/**
 * The one error class of this product.
 *
 * Everything a peer, a person or a receiver can cause is data; only misuse and
 * broken assumptions throw, always as a `CountersignError` with a stable code.
 */

/** The closed set of codes. Docs, exit codes and HTTP statuses hang on these names. */
export type ErrorCode =
  | "bad_event"
  | "bad_id"
  | "bad_argument"
  | "body_too_large"
  | "config_invalid"
  | "config_not_found"
  | "conflict"
  | "duplicate_member"
  | "endpoint_held"
  | "handler_missing"
  | "invalid_json"
  | "missing_env"
  | "no_route"
  | "not_found"
  | "refused"
  | "requester_required"
  | "search_attributes_missing"
  | "server_unavailable"
  | "temporal_unreachable"
  | "timeout"
  | "unknown_endpoint"
  | "unknown_source"
  | "unsupported_server";

export interface CountersignErrorOptions {
  readonly cause?: unknown;
  /** Facts a caller may act on, plain JSON and never a secret. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Misuse or a broken assumption, said in one full sentence.
 *
 * `message` names the offending value and what is accepted, never a secret.
 */
export class CountersignError extends Error {
  override readonly name = "CountersignError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;

  constructor(code: ErrorCode, message: string, options: CountersignErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Tells our own errors from everything else, also across two copies of this package. */
export function isCountersignError(value: unknown): value is CountersignError {
  return value instanceof Error && value.name === "CountersignError" && "code" in value;
}

/** What the system calls a failure, such as `ENOENT` or `EADDRINUSE`; its sentence may hold more than may be shown. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
