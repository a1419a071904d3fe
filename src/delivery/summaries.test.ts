import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aDraft, aRule } from "../../test/support/approvals.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import {
  attemptSummary,
  durationText,
  expirySummary,
  lookupSummary,
  reminderSummary,
  waitSummary,
} from "./summaries.ts";

describe("summaries", () => {
  test("name the attempt and its endpoint", () => {
    expect(attemptSummary({ endpoint: "crm", number: 2, via: "local" })).toBe("attempt 2 to crm");
    expect(attemptSummary({ endpoint: "crm", number: 2, via: "direct" })).toBe("attempt 2 to crm");
    expect(attemptSummary({ endpoint: "crm", number: 2, via: "lane" })).toBe("attempt 2 to crm (by its lane)");
  });

  test("name what is looked up", () => {
    expect(lookupSummary("crm", 2)).toBe("crm: look up what became of attempt 2");
  });

  test("say why a delivery waits and what comes then", () => {
    const wait = { delayMs: 2345, why: "retry-after" } as const;
    expect(waitSummary("crm", 2, wait)).toBe("crm: wait 2.4 s as its Retry-After asks, then attempt 2");
    expect(waitSummary("crm", 3, { ...wait, why: "retry" })).toBe(
      "crm: wait 2.4 s by the retry policy, then attempt 3",
    );
  });

  test("tell a person which digest to approve, and how, whatever the names are", () => {
    const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
    expect(expirySummary("crm", aDraft({ digest, revision: 3 }))).toBe(
      `crm: waits for approval, revision 3; signal approve with {"actor":"you@example.com","digest":"${digest}"}, or reject with a "note" besides`,
    );
    const rules = [aRule({ requireSignedDecisions: true })];
    expect(expirySummary("crm", aDraft({ digest, terms: { rules } }))).toBe(
      `crm: waits for approval, revision 1; it must be signed: countersign approve --digest ${digest}`,
    );
    const longest = expirySummary("x".repeat(63), aDraft({ digest, revision: 1e9 }));
    expect(longest).toContain(digest);
    expect(new TextEncoder().encode(longest).length).toBeLessThanOrEqual(400);
  });

  test("tell what a reminder is for", () => {
    expect(reminderSummary("crm", 2)).toBe("crm: reminder 2, if nobody has decided by then");
  });

  test("stay one line that the server takes", () => {
    const endpoint = "x".repeat(500);
    const summary = attemptSummary({ endpoint, number: 1, via: "local" });
    expect(summary).toHaveLength(200);
    expect(summary.endsWith("…")).toBe(true);
  });
});

describe("durationText", () => {
  test.each([
    [0, "0 s"],
    [1, "0.1 s"],
    [1000, "1 s"],
    [2345, "2.4 s"],
    [59_900, "59.9 s"],
    [59_999, "60 s"],
    [MINUTE_MS, "1 min"],
    [MINUTE_MS + 1, "1 min 1 s"],
    [5 * MINUTE_MS + 3 * SECOND_MS, "5 min 3 s"],
    [HOUR_MS - 1, "60 min"],
    [HOUR_MS, "1 h"],
    [2 * HOUR_MS + 1, "2 h 1 min"],
    [30 * HOUR_MS + 59 * MINUTE_MS + 1, "31 h"],
  ])("says %i ms as %s", (durationMs, text) => {
    expect(durationText(durationMs)).toBe(text);
  });

  test("never reads shorter than the wait is", () => {
    const sizes = { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS } as const;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 * HOUR_MS }), (durationMs) => {
        const parts = [...durationText(durationMs).matchAll(/([\d.]+) (s|min|h)\b/gu)];
        const readMs = parts.reduce(
          (sum, [, count, unit]) => sum + Number(count) * sizes[unit as keyof typeof sizes],
          0,
        );
        expect(Math.round(readMs)).toBeGreaterThanOrEqual(durationMs);
        expect(readMs - durationMs).toBeLessThan(MINUTE_MS);
      }),
    );
  });
});
