import { describe, expect, test } from "vitest";
import { at } from "../../test/support/deliveries.ts";
import { adviceFor, attentionFor, type AttentionReason } from "./attention.ts";
import type { AttemptRecord } from "./attempt.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

function anAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    number: 1,
    at: "2026-11-29T12:00:00.000Z",
    durationMs: 12,
    outcome: "refused",
    certainty: "answered",
    code: "http_422",
    status: 422,
    via: "local",
    ...changes,
  };
}

function anAnswer(status: number, changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return anAttempt({ status, code: `http_${status}`, ...changes });
}

function unsent(code: AttemptRecord["code"]): AttemptRecord {
  const { status: _status, ...attempt } = anAttempt({ code, certainty: "not-sent" });
  return attempt;
}

function lost(code: AttemptRecord["code"]): AttemptRecord {
  return { ...unsent(code), certainty: "unknown", outcome: "uncertain" };
}

function advise(reason: AttentionReason, lastAttempt: AttemptRecord | null): string {
  return adviceFor({ reason, endpoint: "crm", lastAttempt });
}

describe("attentionFor", () => {
  test.each<[AttemptRecord, AttentionReason]>([
    [anAnswer(401), "credentials-refused"],
    [anAnswer(403), "credentials-refused"],
    [anAnswer(407), "credentials-refused"],
    [anAnswer(410), "endpoint-gone"],
    [anAnswer(404), "refused"],
    [anAnswer(304), "refused"],
    [anAnswer(507), "refused"],
    [unsent("blocked_address"), "blocked-address"],
    [unsent("request_invalid"), "misconfigured"],
    [unsent("handler_refused"), "handler-refused"],
    [unsent("tls_expired"), "tls-invalid"],
    [unsent("tls_revoked"), "tls-invalid"],
    [unsent("tls_reset"), "refused"],
  ])("gives %o its reason", (attempt, reason) => {
    expect(attentionFor(attempt)).toBe(reason);
  });
});

describe("adviceFor", () => {
  test.each<[AttentionReason, AttemptRecord | null, string]>([
    [
      "attempts-exhausted",
      anAnswer(503, { number: 8, outcome: "retry" }),
      "All attempts are used up: at the last, number 8, crm answered 503. Replay once crm works again (the key stays the same); or discard.",
    ],
    [
      "attempts-exhausted",
      { ...lost("timeout_total"), number: 8 },
      "All attempts are used up: at the last, number 8, crm did not answer in time, the request may have taken effect. Look at crm whether it took effect: if so mark-delivered, if not replay once it works again; or discard.",
    ],
    [
      "window-exceeded",
      { ...unsent("connect_refused"), number: 5, outcome: "retry" },
      "The time for retries is over: at the last, number 5, crm refused the connection, nothing was sent. Replay once crm works again (the key stays the same); or discard.",
    ],
    [
      "window-exceeded",
      null,
      "The time for retries is over: crm was not called, nothing was sent. Replay once crm works again (the key stays the same); or discard.",
    ],
    [
      "refused",
      anAnswer(422),
      "crm answered 422: it does not take this event as it is. Mend the event's producer, the endpoint or its configuration, then replay; or discard.",
    ],
    [
      "refused",
      anAnswer(301, { location: "https://new.example/in" }),
      "crm answered 301, pointing to https://new.example/in; redirects are never followed. If the new place is right, make it the endpoint's URL, then replay; or discard.",
    ],
    [
      "refused",
      anAnswer(304),
      "crm answered 304; redirects are never followed. If the new place is right, make it the endpoint's URL, then replay; or discard.",
    ],
    [
      "refused",
      anAnswer(451),
      "crm answered 451: it is blocked for legal reasons. Clear that up with the owner of the endpoint, then replay; or discard.",
    ],
    ["refused", anAnswer(507), "crm answered 507: it has no storage left. Replay once it has; or discard."],
    [
      "refused",
      anAnswer(511),
      "crm answered 511: something between us and it demands a login, so it was not reached. Mend our own network, then replay; or discard.",
    ],
    [
      "credentials-refused",
      anAnswer(401),
      "crm answered 401: it does not accept our credentials. Correct them in the configuration, then replay; or discard.",
    ],
    [
      "endpoint-gone",
      anAnswer(410),
      "crm answered 410: it is gone for good and wants no more events. Give the endpoint another URL, then replay; or discard, and take it out of the routes.",
    ],
    [
      "approval-expired",
      null,
      "The time for approval ran out, and nothing was sent to crm. Replay to ask for approval again, amend it to ask for something else; or discard.",
    ],
    [
      "approval-expired",
      anAnswer(503, { number: 2, outcome: "retry" }),
      "The time for approval ran out: at the last, number 2, crm answered 503. Replay to ask for approval again; or discard.",
    ],
    [
      "approval-expired",
      { ...lost("timeout_total"), number: 2 },
      "The time for approval ran out: at the last, number 2, crm did not answer in time, the request may have taken effect. Look at crm whether it took effect: if so mark-delivered, if not replay to ask for approval again; or discard.",
    ],
    [
      "retry-after-too-long",
      anAnswer(429, { retryAfterRaw: "1000000000", retryAfterMs: 1e12 }),
      "crm answered 429 and asked to wait longer than retryAfterMax allows: about 11574 days (Retry-After: 1000000000). Replay when that time has come, or earlier if crm agrees; or discard.",
    ],
    [
      "outcome-uncertain",
      lost("worker_lost"),
      "crm was being called when the worker was lost, the request may have taken effect. Look at crm whether it took effect: if so mark-delivered, if not replay; or discard.",
    ],
    [
      "outcome-uncertain",
      anAnswer(500, { outcome: "uncertain" }),
      "crm answered 500, the answer does not tell whether it took effect. Look at crm whether it took effect: if so mark-delivered, if not replay; or discard.",
    ],
    [
      "blocked-address",
      unsent("blocked_address"),
      "crm has an address that may not be called, nothing was sent. Correct the URL, or list the address in allowPrivate if it is meant to be called, then replay; or discard.",
    ],
    [
      "tls-invalid",
      unsent("tls_expired"),
      "crm shows an expired certificate, nothing was sent; a certificate is never accepted unverified. Have the endpoint's certificate renewed, then replay; or discard.",
    ],
    [
      "tls-invalid",
      null,
      "crm was not called, nothing was sent; a certificate is never accepted unverified. Have the endpoint's certificate put right, then replay; or discard.",
    ],
    [
      "tls-invalid",
      unsent("tls_protocol"),
      "crm speaks no TLS on that port, or too old a version, nothing was sent; a certificate is never accepted unverified. Have the endpoint's certificate put right, then replay; or discard.",
    ],
    [
      "misconfigured",
      unsent("request_invalid"),
      "crm could not be called because the request cannot be formed, nothing was sent: the configuration does not fit this event. Correct the endpoint or its route, then replay; or discard.",
    ],
    [
      "handler-refused",
      anAttempt({ code: "handler_refused" }),
      "crm refused the event in its handler and wants no retry. The worker's log has its message: mend the cause, then replay; or discard.",
    ],
  ])("tells for %s what happened, what is certain and what to do", (reason, lastAttempt, advice) => {
    expect(advise(reason, lastAttempt)).toBe(advice);
  });

  test("says of an uncertain outcome how far the request got, and why a lookup was of no help", () => {
    const lastAttempt = { ...lost("closed_after_send"), phase: "sent", bytesSent: 812, bytesReceived: 0 } as const;
    const asked = { attempt: 1, at: at(0), durationMs: 5, tries: 10, by: "url", found: "unclear" } as const;
    const lookup = { ...asked, code: "connect_refused" } as const;
    expect(adviceFor({ reason: "outcome-uncertain", endpoint: "crm", lastAttempt, lookup })).toBe(
      "crm closed the connection after the request was sent, the request may have taken effect (the whole request was sent; 812 bytes went out and 0 came back in 12 ms); whoever was asked in the lookup refused the connection, asked 10 times. Look at crm whether it took effect: if so mark-delivered, if not replay; or discard.",
    );
    expect(advise("outcome-uncertain", null)).toMatch(/^crm was not called, nothing was sent\. Look/);
  });

  test("does not send anybody to look once a lookup has found no effect", () => {
    const lookup = { attempt: 1, at: at(0), durationMs: 5, tries: 1, by: "url", found: "absent" } as const;
    const facts = {
      endpoint: "crm",
      lastAttempt: lost("timeout_total"),
      lookup: { ...lookup, code: "http_404" },
    } as const;
    const advice = adviceFor({ reason: "attempts-exhausted", ...facts });
    expect(advice).toContain("a lookup found that it had no effect. Replay once crm works again");
  });

  test("has advice of its own for each certificate verdict", () => {
    const codes = [
      "tls_expired",
      "tls_not_yet_valid",
      "tls_wrong_host",
      "tls_self_signed",
      "tls_unknown_ca",
      "tls_revoked",
    ] as const;
    const advices = codes.map((code) => advise("tls-invalid", unsent(code)));
    expect(new Set(advices).size).toBe(codes.length);
  });

  test.each([
    [90 * SECOND_MS, "about 90 seconds"],
    [90 * MINUTE_MS, "about 90 minutes"],
    [36 * HOUR_MS, "about 36 hours"],
    [72 * HOUR_MS, "about 3 days"],
  ])("says a wait of %d ms as people do", (retryAfterMs, words) => {
    expect(advise("retry-after-too-long", anAnswer(503, { retryAfterMs }))).toContain(words);
  });

  test("does without the value of Retry-After where none is on record", () => {
    expect(advise("retry-after-too-long", null)).toContain("longer than retryAfterMax allows. Replay");
  });

  test("does without an attempt where none was made", () => {
    expect(advise("refused", null)).toMatch(/^crm was not called, nothing was sent: /);
  });

  test("prints nothing from outside that could move a cursor or forge a line", () => {
    const advice = advise("refused", anAnswer(302, { location: "https://x/\u001b[2J\nÄ" }));
    expect(advice).toContain("pointing to https://x/?[2J??;");
  });

  test("shows the status of an answer whose record holds only the code", () => {
    const { status: _status, ...attempt } = anAnswer(418);
    expect(advise("credentials-refused", attempt)).toMatch(/^crm answered 418:/);
  });
});
