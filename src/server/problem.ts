/** The one place where an error becomes a status and problem JSON (RFC 9457). */
import { type ErrorCode, isCountersignError } from "../errors.ts";
import { RETRY_AFTER_SECONDS } from "./limits.ts";

/** What only HTTP can refuse; the rest has the codes of our errors. */
export type HttpCode =
  | ErrorCode
  | "bad_request"
  | "bad_signature"
  | "batch_incomplete"
  | "cut_off"
  | "forbidden"
  | "internal"
  | "method_not_allowed"
  | "overloaded"
  | "request_timeout"
  | "too_many_requests"
  | "unauthorized"
  | "unsupported_media_type";

/** A refusal on its way to the client. */
export interface Problem {
  readonly status: number;
  readonly code: HttpCode;
  /** A full sentence. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Facts a client may act on; extension members of the answer. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export function problemResponse(problem: Problem): Response {
  const { status, headers = {} } = problem;
  return new Response(problemText(problem), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  });
}

export function problemText({ status, code, detail, members = {} }: Problem): string {
  const standard = { type: `urn:countersign:problem:${code}`, title: TITLES[code], status, detail, code };
  return JSON.stringify({ ...standard, ...members, ...standard });
}

/** What is not ours is our fault, and its words stay in the log. */
export function problemOf(error: unknown): Problem {
  if (!isCountersignError(error))
    return { status: 500, code: "internal", detail: "This should not have happened; the server's log says more." };
  const status = statusOf(error.code);
  const retry = status === 503 ? { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } } : {};
  return { status, code: error.code, detail: endSentence(error.message), members: error.details, ...retry };
}

function statusOf(code: ErrorCode): number {
  switch (code) {
    case "bad_argument":
    case "bad_event":
    case "bad_id":
    case "duplicate_member":
    case "invalid_json":
      return 400;
    case "not_found":
    case "unknown_endpoint":
      return 404;
    case "conflict":
    case "endpoint_held":
    case "refused":
      return 409;
    case "body_too_large":
      return 413;
    case "no_route":
    case "requester_required":
    case "unknown_source":
      return 422;
    case "config_invalid":
    case "config_not_found":
    case "handler_missing":
    case "missing_env":
      return 500;
    case "search_attributes_missing":
    case "server_unavailable":
    case "temporal_unreachable":
    case "unsupported_server":
      return 503;
    case "timeout":
      return 504;
  }
}

/** Come again: whatever was sent is not known to be safe. */
export function unavailable(code: "overloaded" | "temporal_unreachable", detail: string): Problem {
  return { status: 503, code, detail, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } };
}

function endSentence(words: string): string {
  return /[.?!]\)?$/.test(words) ? words : `${words}.`;
}

const TITLES: Readonly<Record<HttpCode, string>> = {
  bad_argument: "The request cannot be understood",
  bad_event: "This is not an event",
  bad_id: "This is not an event id",
  bad_request: "The request cannot be understood",
  bad_signature: "The signature does not verify",
  batch_incomplete: "Not every event of the batch was accepted",
  body_too_large: "The body is too large",
  config_invalid: "The configuration is not valid",
  config_not_found: "There is no configuration",
  conflict: "The id was used for other content",
  cut_off: "The request ended too early",
  duplicate_member: "A member is there twice",
  endpoint_held: "The endpoint is held",
  forbidden: "The key may not do this",
  handler_missing: "A handler is missing",
  internal: "Unexpected failure",
  invalid_json: "This is not JSON",
  method_not_allowed: "Not with this method",
  missing_env: "An environment variable is missing",
  no_route: "No route matches",
  not_found: "There is no such thing",
  overloaded: "Too much at once",
  refused: "It did not count",
  request_timeout: "The request took too long",
  requester_required: "It must be known who asks",
  search_attributes_missing: "The search attributes are missing",
  server_unavailable: "A server is missing",
  temporal_unreachable: "Temporal does not answer",
  timeout: "It took too long",
  too_many_requests: "Too many failed attempts",
  unauthorized: "A valid key is needed",
  unknown_endpoint: "There is no such endpoint",
  unknown_source: "There is no such source",
  unsupported_media_type: "Not in this form",
  unsupported_server: "The Temporal server is too old",
};
