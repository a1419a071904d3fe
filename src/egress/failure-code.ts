/** From what went wrong, and how far the request had got, to one stable code and a certainty. */
import type { TransportCode } from "../delivery/attempt.ts";
import type { TransportFailure } from "./exchange.ts";

/** How far this request had got when it failed. */
export interface RequestPhase {
  /** undici announced its headers: bytes may have left. */
  readonly sent: boolean;
  /** The connection is, or was to be, TLS. */
  readonly secure: boolean;
}

export type FailureVerdict = Pick<TransportFailure, "code" | "certainty">;

/** Error code the guard's own refusals carry through undici. */
export const BLOCKED_ADDRESS = "COUNTERSIGN_BLOCKED_ADDRESS";

const BEFORE_SEND: Readonly<Record<string, TransportCode>> = {
  [BLOCKED_ADDRESS]: "blocked_address",
  ENOTFOUND: "dns_not_found",
  EAI_NONAME: "dns_not_found",
  EAI_AGAIN: "dns_failed",
  EAI_FAIL: "dns_failed",
  EAI_NODATA: "dns_failed",
  ENODATA: "dns_failed",
  ESERVFAIL: "dns_failed",
  ETIMEOUT: "dns_failed",
  EREFUSED: "dns_failed",
  ECONNREFUSED: "connect_refused",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETDOWN: "unreachable",
  EACCES: "unreachable",
  EPERM: "unreachable",
  ETIMEDOUT: "connect_timeout",
  UND_ERR_CONNECT_TIMEOUT: "connect_timeout",
  ERR_TLS_HANDSHAKE_TIMEOUT: "connect_timeout",
  CERT_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_not_yet_valid",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_wrong_host",
  HOSTNAME_MISMATCH: "tls_wrong_host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_self_signed",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_self_signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_unknown_ca",
  UNABLE_TO_GET_ISSUER_CERT: "tls_unknown_ca",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_unknown_ca",
  CERT_UNTRUSTED: "tls_unknown_ca",
  CERT_REJECTED: "tls_unknown_ca",
  CERT_SIGNATURE_FAILURE: "tls_unknown_ca",
  CERT_CHAIN_TOO_LONG: "tls_unknown_ca",
  INVALID_CA: "tls_unknown_ca",
  INVALID_PURPOSE: "tls_unknown_ca",
  PATH_LENGTH_EXCEEDED: "tls_unknown_ca",
  CERT_REVOKED: "tls_revoked",
  EPROTO: "tls_protocol",
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: "request_invalid",
  UND_ERR_INVALID_ARG: "request_invalid",
  UND_ERR_NOT_SUPPORTED: "request_invalid",
  ERR_INVALID_CHAR: "request_invalid",
  ERR_INVALID_HTTP_TOKEN: "request_invalid",
  ERR_INVALID_URL: "request_invalid",
};

const AFTER_SEND: Readonly<Record<string, TransportCode>> = {
  UND_ERR_HEADERS_TIMEOUT: "timeout_headers",
  UND_ERR_HEADERS_OVERFLOW: "response_headers_too_large",
  ECONNRESET: "reset_after_send",
  EPIPE: "reset_after_send",
  ECONNABORTED: "reset_after_send",
  ETIMEDOUT: "reset_after_send",
  EHOSTUNREACH: "reset_after_send",
  ENETUNREACH: "reset_after_send",
  ENETDOWN: "reset_after_send",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "response_malformed",
};

/** The same in either phase; certainty still follows the phase. */
const ANY_PHASE: Readonly<Record<string, TransportCode>> = {
  TimeoutError: "timeout_total",
  AbortError: "canceled",
  UND_ERR_ABORTED: "canceled",
  UND_ERR_DESTROYED: "canceled",
  UND_ERR_CLOSED: "canceled",
};

/** Of several addresses that failed differently, the one that tells most comes first. */
const MOST_TELLING: readonly TransportCode[] = [
  "blocked_address",
  "connect_refused",
  "connect_reset",
  "connect_timeout",
  "unreachable",
];

/**
 * Maps an error of undici or Node to our closed set.
 *
 * The phase decides certainty, never the error: `UND_ERR_SOCKET` and
 * `ECONNRESET` stand for "never read" as well as for "fully processed".
 */
export function failureOf(error: unknown, phase: RequestPhase): FailureVerdict {
  return phase.sent
    ? { code: codeAfterSend(error), certainty: "unknown" }
    : { code: codeBeforeSend(error, phase.secure), certainty: "not-sent" };
}

function codeBeforeSend(error: unknown, secure: boolean): TransportCode {
  const several = innerErrors(error);
  if (several.length > 0) return mostTelling(several.map((inner) => codeBeforeSend(inner, secure)));
  const code = codeOf(error);
  if (isBrokenConnection(code)) return secure && syscallOf(error) !== "connect" ? "tls_reset" : "connect_reset";
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_PROTOCOL")) return BEFORE_SEND[code] ?? "tls_protocol";
  return BEFORE_SEND[code] ?? ANY_PHASE[code] ?? "transport_failed";
}

function codeAfterSend(error: unknown): TransportCode {
  const code = codeOf(error);
  if (code.startsWith("HPE_") || nameOf(error) === "HTTPParserError") return "response_malformed";
  if (code === "UND_ERR_SOCKET") return isUnusableAnswer(error) ? "response_malformed" : "closed_after_send";
  // With TLS 1.3 a refused client certificate shows as an alert after the request has been written.
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return "closed_after_send";
  return AFTER_SEND[code] ?? ANY_PHASE[code] ?? "transport_failed";
}

/** undici gives up on an unasked 100 ("bad response") and on a 101 ("bad upgrade") with a plain socket error. */
function isUnusableAnswer(error: unknown): boolean {
  return error instanceof Error && (error.message === "bad response" || error.message === "bad upgrade");
}

function isBrokenConnection(code: string): boolean {
  return code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED" || code === "UND_ERR_SOCKET";
}

function mostTelling(codes: readonly TransportCode[]): TransportCode {
  return MOST_TELLING.find((code) => codes.includes(code)) ?? codes[0] ?? "transport_failed";
}

/** What several addresses of one name answered (happy eyeballs); empty for every other error. */
function innerErrors(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [];
}

/** A DOMException's numeric code says nothing, so its name stands in. */
function codeOf(error: unknown): string {
  const code = memberOf(error, "code");
  return code === "" ? nameOf(error) : code;
}

function nameOf(error: unknown): string {
  return memberOf(error, "name");
}

function syscallOf(error: unknown): string {
  return memberOf(error, "syscall");
}

function memberOf(error: unknown, member: "code" | "name" | "syscall"): string {
  if (typeof error !== "object" || error === null || !(member in error)) return "";
  const value: unknown = Reflect.get(error, member);
  return typeof value === "string" ? value : "";
}
