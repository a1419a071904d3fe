import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUTE_MS } from "./durations.ts";
import type { JsonValue } from "./event.ts";
import { askAgainAfterMs, judgeLookup, type LookupRecord, type LookupRules } from "./lookup.ts";

const RULES: LookupRules = {
  delivered: { status: 200, json: { "$.status": "succeeded" } },
  absent: { status: 404, json: {} },
};
const SAME_STATUS: LookupRules = {
  delivered: { status: 200, json: { "$.data[0].state": "done", "$.more": false } },
  absent: { status: 200, json: { "$.data": [] } },
};

describe("judgeLookup", () => {
  test.each<[string, number, JsonValue | undefined, LookupRules, string]>([
    ["the status and the member that say so", 200, { status: "succeeded", id: 1 }, RULES, "delivered"],
    ["the status that says it is not there", 404, undefined, RULES, "absent"],
    ["that status with any body", 404, { error: "none" }, RULES, "absent"],
    ["another member", 200, { status: "pending" }, RULES, "unclear"],
    ["the status without a body", 200, undefined, RULES, "unclear"],
    ["another status", 500, { status: "succeeded" }, RULES, "unclear"],
    ["all members", 200, { data: [{ state: "done" }], more: false }, SAME_STATUS, "delivered"],
    ["one of two members", 200, { data: [{ state: "done" }] }, SAME_STATUS, "unclear"],
    ["an empty list", 200, { data: [] }, SAME_STATUS, "absent"],
  ])("takes %s (%d) for what it means", (_, status, body, rules, found) => {
    expect(judgeLookup({ status, body }, rules).found).toBe(found);
  });

  test("names what matched, as the configuration says it", () => {
    expect(judgeLookup({ status: 200, body: { status: "succeeded" } }, RULES).matched).toEqual({
      "$.status": "succeeded",
    });
    expect(judgeLookup({ status: 404, body: undefined }, RULES).matched).toEqual({});
  });

  test("cannot tell from an answer that fits both rules", () => {
    const both = { delivered: { status: 200, json: {} }, absent: { status: 200, json: {} } };
    expect(judgeLookup({ status: 200, body: {} }, both)).toEqual({ found: "unclear", matched: {} });
  });
});

describe("askAgainAfterMs", () => {
  const unclear = (code: LookupRecord["code"], status: number | null = null, retryAfterMs: number | null = null) => {
    return { code, status, retryAfterMs };
  };

  test.each([
    ["an answer that does not tell yet", unclear("http_202", 202), [1000, 2000, 4000, null]],
    ["an overloaded side", unclear("http_503", 503), [1000, 2000, 4000, null]],
    ["too many questions", unclear("http_429", 429), [1000, 2000, 4000, null]],
    ["a handler that cannot tell", unclear("handler_done"), [1000, 2000, 4000, null]],
    [
      "a side that does not answer",
      unclear("connect_refused"),
      [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, null],
    ],
    ["a handler that fails", unclear("handler_failed"), [1000, 2000, 4000, 8000]],
    ["a refusal of credentials", unclear("http_401", 401), [null]],
    ["a redirect", unclear("http_302", 302), [null]],
    ["a request nobody could send", unclear("request_invalid"), [null]],
    ["an address that may not be called", unclear("blocked_address"), [null]],
    ["a handler that refuses", unclear("handler_refused"), [null]],
    ["no lookup at all", unclear("not_configured"), [null]],
  ])("of %s gives the waits between questions", (_, answer, waits) => {
    expect(waits.map((_wait, index) => askAgainAfterMs(answer, index + 1))).toEqual(waits);
  });

  test("goes on after a worker had to stop, however often", () => {
    expect(askAgainAfterMs(unclear("canceled"), 50)).toBe(MINUTE_MS);
  });

  test("honors Retry-After, and asks a person where that is too long", () => {
    expect(askAgainAfterMs(unclear("http_429", 429, 30_000), 1)).toBe(30_000);
    expect(askAgainAfterMs(unclear("http_503", 503, 500), 2)).toBe(2000);
    expect(askAgainAfterMs(unclear("http_503", 503, 10 * MINUTE_MS + 1), 1)).toBeNull();
  });

  test("never asks before the time it was asked for, and not for ever", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.nat({ max: 700_000 }), (status, hintMs) => {
        const waits = Array.from({ length: 20 }, (_, index) =>
          askAgainAfterMs(unclear(`http_${status}`, status, hintMs), index + 1),
        );
        for (const waitMs of waits) if (waitMs !== null) expect(waitMs).toBeGreaterThanOrEqual(hintMs);
        expect(waits.at(-1)).toBeNull();
      }),
    );
  });
});
