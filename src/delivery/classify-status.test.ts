import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Outcome, TransportCode } from "./attempt.ts";
import { classifyFailure, classifyStatus, isCertificateCode } from "./classify-status.ts";

const plain = { overrides: {}, idempotent: true, hasRetryAfter: false };

/** Status, outcome at an idempotent endpoint, outcome at one that is not. Codes: RFC 9110 §15, RFC 8470, RFC 6585, RFC 4918. */
const TABLE: readonly (readonly [statuses: readonly number[], Outcome, Outcome])[] = [
  [[200, 201, 202, 203, 204, 205, 206, 207, 226, 299], "delivered", "delivered"],
  [[300, 301, 302, 303, 304, 305, 307, 308, 399], "refused", "refused"],
  [[400, 405, 406, 411, 414, 415, 422, 431], "refused", "refused"],
  [[401, 403, 407], "refused", "refused"],
  [[402, 404, 410, 412, 413, 416, 417, 418, 426, 428, 451, 499], "refused", "refused"],
  [[408, 409, 421, 423, 424, 425, 429], "retry", "retry"],
  [[500, 502, 504, 520, 522, 524], "retry", "uncertain"],
  [[503, 521, 523, 525, 526, 530], "retry", "retry"],
  [[501, 505, 507, 508, 510, 511], "refused", "refused"],
  [[506, 527, 598, 599], "retry", "uncertain"],
  [[100, 101, 102, 103, 199], "retry", "uncertain"],
  [[0, 99, 600, 999, -1, Number.NaN], "retry", "uncertain"],
];

const rows = TABLE.flatMap(([statuses, ...outcomes]) => statuses.map((status) => [status, ...outcomes] as const));

describe("classifyStatus", () => {
  test.each(rows)("takes %d as %s, and as %s at an endpoint that is not idempotent", (status, outcome, careful) => {
    expect(classifyStatus({ ...plain, status })).toBe(outcome);
    expect(classifyStatus({ ...plain, status, idempotent: false })).toBe(careful);
  });

  test("comes back after 413 only when told when", () => {
    expect(classifyStatus({ ...plain, status: 413, hasRetryAfter: true })).toBe("retry");
    expect(classifyStatus({ ...plain, status: 414, hasRetryAfter: true })).toBe("refused");
  });

  test.each([
    [409, "delivered"],
    [404, "retry"],
    [418, "refused"],
    [200, "refused"],
    [304, "delivered"],
    [503, "refused"],
  ] as const)("lets the endpoint declare %d %s", (status, outcome) => {
    const overrides = { [status]: outcome };
    expect(classifyStatus({ ...plain, status, overrides })).toBe(outcome);
    expect(classifyStatus({ ...plain, status, overrides, idempotent: false })).toBe(outcome);
    expect(classifyStatus({ ...plain, status: 500, overrides })).toBe("retry");
  });

  test("calls nothing delivered but 2xx, and nothing uncertain where repeating is harmless", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        fc.boolean(),
        fc.boolean(),
        (status, idempotent, hasRetryAfter) => {
          const outcome = classifyStatus({ status, overrides: {}, idempotent, hasRetryAfter });
          expect(outcome === "delivered").toBe(status >= 200 && status < 300);
          expect(outcome === "uncertain" && idempotent).toBe(false);
          expect(outcome).not.toBe("canceled");
        },
      ),
    );
  });
});

const CERTIFICATE = [
  "tls_expired",
  "tls_not_yet_valid",
  "tls_wrong_host",
  "tls_self_signed",
  "tls_unknown_ca",
  "tls_revoked",
] as const;

/** Every code, with what it means when nothing was sent. */
const NOT_SENT: Readonly<Record<TransportCode, Outcome>> = {
  connect_refused: "retry",
  connect_reset: "retry",
  connect_timeout: "retry",
  unreachable: "retry",
  dns_not_found: "retry",
  dns_failed: "retry",
  tls_expired: "retry",
  tls_not_yet_valid: "retry",
  tls_wrong_host: "retry",
  tls_self_signed: "retry",
  tls_unknown_ca: "retry",
  tls_revoked: "retry",
  tls_protocol: "retry",
  tls_reset: "retry",
  timeout_headers: "retry",
  timeout_total: "retry",
  reset_after_send: "retry",
  closed_after_send: "retry",
  response_malformed: "retry",
  response_headers_too_large: "retry",
  blocked_address: "refused",
  request_invalid: "refused",
  transport_failed: "retry",
  canceled: "canceled",
};

describe("classifyFailure", () => {
  test.each(Object.entries(NOT_SENT) as [TransportCode, Outcome][])(
    "takes %s before the send as %s",
    (code, outcome) => {
      expect(classifyFailure({ code, certainty: "not-sent" })).toBe(outcome);
    },
  );

  test.each(Object.keys(NOT_SENT) as TransportCode[])("takes %s after the send as uncertain", (code) => {
    expect(classifyFailure({ code, certainty: "unknown" })).toBe("uncertain");
  });
});

describe("isCertificateCode", () => {
  test("tells verdicts on the certificate from broken handshakes and everything else", () => {
    const codes = Object.keys(NOT_SENT) as TransportCode[];
    expect(codes.filter(isCertificateCode)).toEqual(CERTIFICATE);
    expect(isCertificateCode("http_503")).toBe(false);
  });
});
