import { errors } from "undici";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCKED_ADDRESS, failureOf } from "./failure-code.ts";

const coded = (code: string, more: Readonly<Record<string, unknown>> = {}) =>
  Object.assign(new Error(code), { code, ...more });
const BEFORE = { sent: false, secure: true };
const AFTER = { sent: true, secure: true };

describe("before the request was sent", () => {
  test.each([
    ["ENOTFOUND", "dns_not_found"],
    ["EAI_AGAIN", "dns_failed"],
    ["EAI_FAIL", "dns_failed"],
    ["ENODATA", "dns_failed"],
    ["ESERVFAIL", "dns_failed"],
    ["ETIMEOUT", "dns_failed"],
    [BLOCKED_ADDRESS, "blocked_address"],
    ["ECONNREFUSED", "connect_refused"],
    ["EHOSTUNREACH", "unreachable"],
    ["ENETUNREACH", "unreachable"],
    ["EADDRNOTAVAIL", "unreachable"],
    ["EHOSTDOWN", "unreachable"],
    ["ENETDOWN", "unreachable"],
    ["EACCES", "unreachable"],
    ["EPERM", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "connect_timeout"],
    ["ETIMEDOUT", "connect_timeout"],
    ["CERT_HAS_EXPIRED", "tls_expired"],
    ["CERT_NOT_YET_VALID", "tls_not_yet_valid"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_wrong_host"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_self_signed"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls_self_signed"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_unknown_ca"],
    ["UNABLE_TO_GET_ISSUER_CERT", "tls_unknown_ca"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls_unknown_ca"],
    ["CERT_REVOKED", "tls_revoked"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls_protocol"],
    ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "tls_protocol"],
    ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "tls_protocol"],
    ["ERR_SSL_SOMETHING_NEW", "tls_protocol"],
    ["EPROTO", "tls_protocol"],
    ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", "request_invalid"],
    ["UND_ERR_INVALID_ARG", "request_invalid"],
    ["ERR_INVALID_CHAR", "request_invalid"],
    ["ERR_INVALID_URL", "request_invalid"],
    ["UND_ERR_DESTROYED", "canceled"],
    ["UND_ERR_CLOSED", "canceled"],
    ["E_NEVER_SEEN", "transport_failed"],
  ])("%s is %s, not sent", (code, expected) => {
    expect(failureOf(coded(code), BEFORE)).toEqual({ code: expected, certainty: "not-sent" });
  });

  test.each([
    ["while connecting", { syscall: "connect" }, true, "connect_reset"],
    ["in the TLS handshake", { syscall: "read" }, true, "tls_reset"],
    ["in the TLS handshake, by a FIN", {}, true, "tls_reset"],
    ["on a plain connection", { syscall: "read" }, false, "connect_reset"],
  ])("a reset %s has its own code", (_when, more, secure, expected) => {
    expect(failureOf(coded("ECONNRESET", more), { sent: false, secure }).code).toBe(expected);
  });

  test.each([
    [["ECONNREFUSED", "ECONNREFUSED"], "connect_refused"],
    [["ENETUNREACH", "ECONNREFUSED"], "connect_refused"],
    [["ENETUNREACH", "ETIMEDOUT"], "connect_timeout"],
    [["ENETUNREACH", "EHOSTUNREACH"], "unreachable"],
    [["E_NEVER_SEEN"], "transport_failed"],
  ])("of several addresses that failed with %j the most telling code is taken", (codes, expected) => {
    const error = Object.assign(new AggregateError(codes.map((code) => coded(code, { syscall: "connect" }))), {
      code: codes[0],
    });
    expect(failureOf(error, BEFORE)).toEqual({ code: expected, certainty: "not-sent" });
  });
});

describe("after the request was sent", () => {
  test.each([
    [coded("UND_ERR_SOCKET"), "closed_after_send"],
    [new errors.SocketError("other side closed"), "closed_after_send"],
    [new errors.SocketError("bad response"), "response_malformed"],
    [new errors.SocketError("bad upgrade"), "response_malformed"],
    [coded("ECONNRESET", { syscall: "read" }), "reset_after_send"],
    [coded("EPIPE", { syscall: "write" }), "reset_after_send"],
    [coded("ECONNABORTED"), "reset_after_send"],
    [coded("ETIMEDOUT", { syscall: "read" }), "reset_after_send"],
    [new errors.HeadersTimeoutError(), "timeout_headers"],
    [new errors.HeadersOverflowError(), "response_headers_too_large"],
    [new errors.HTTPParserError("garbage"), "response_malformed"],
    [coded("HPE_INVALID_VERSION"), "response_malformed"],
    [coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"), "closed_after_send"],
    [new DOMException("too late", "TimeoutError"), "timeout_total"],
    [new DOMException("given up", "AbortError"), "canceled"],
    [new errors.RequestAbortedError(), "canceled"],
    [new errors.ClientDestroyedError(), "canceled"],
    [coded("UND_ERR_INVALID_ARG"), "transport_failed"],
    [coded("E_NEVER_SEEN"), "transport_failed"],
  ])("%s leaves the outcome unknown", (error, expected) => {
    expect(failureOf(error, AFTER)).toEqual({ code: expected, certainty: "unknown" });
  });
});

test("the phase alone decides certainty, whatever is thrown", () => {
  fc.assert(
    fc.property(fc.anything(), fc.boolean(), fc.boolean(), (error, sent, secure) => {
      expect(failureOf(error, { sent, secure }).certainty).toBe(sent ? "unknown" : "not-sent");
    }),
  );
});
