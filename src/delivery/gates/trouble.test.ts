import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttemptRecord } from "../attempt.ts";
import { DEFAULT_CIRCUIT } from "./circuit.ts";
import {
  EMPTY_TALLY,
  endpointVerdict,
  isDown,
  isWorthTelling,
  resultsOf,
  type Tally,
  tallied,
  throttleMs,
  told,
} from "./trouble.ts";

type Seen = Pick<AttemptRecord, "outcome" | "certainty" | "code" | "status">;
const answered = (status: number, outcome: Seen["outcome"]): Seen => ({
  outcome,
  certainty: "answered",
  code: `http_${status}`,
  status,
});
const failed = (
  code: AttemptRecord["code"],
  certainty: Seen["certainty"],
  outcome: Seen["outcome"] = "retry",
): Seen => ({
  outcome,
  certainty,
  code,
});

describe("an attempt", () => {
  test.each([
    [answered(200, "delivered"), "works"],
    [answered(503, "retry"), "fails"],
    [answered(500, "uncertain"), "fails"],
    [answered(501, "refused"), "says-nothing"],
    [answered(503, "delivered"), "works"],
    [answered(400, "refused"), "works"],
    [answered(301, "refused"), "works"],
    [answered(409, "retry"), "works"],
    [answered(429, "retry"), "says-nothing"],
    [answered(401, "refused"), "credentials-refused"],
    [answered(403, "refused"), "credentials-refused"],
    [answered(407, "refused"), "credentials-refused"],
    [answered(401, "retry"), "works"],
    [answered(410, "refused"), "endpoint-gone"],
    [answered(410, "delivered"), "works"],
    [failed("connect_refused", "not-sent"), "fails"],
    [failed("timeout_total", "unknown", "uncertain"), "fails"],
    [failed("worker_lost", "unknown", "uncertain"), "fails"],
    [failed("canceled", "unknown", "canceled"), "says-nothing"],
    [failed("blocked_address", "not-sent", "refused"), "says-nothing"],
    [failed("request_invalid", "not-sent", "refused"), "says-nothing"],
    [failed("handler_failed", "answered"), "fails"],
    [failed("handler_refused", "answered", "refused"), "works"],
  ] as const)("%o: the endpoint %s", (record, verdict) => {
    expect(endpointVerdict(record)).toBe(verdict);
  });

  test.each([
    [{ status: 429, retryAfterMs: 3000 }, 3000],
    [{ status: 503, retryAfterMs: 86_400_000 }, 86_400_000],
    [{ status: 503, retryAfterMs: 86_400_001 }, null],
    [{ status: 503, retryAfterMs: 0 }, null],
    [{ status: 503 }, null],
    [{ status: 500, retryAfterMs: 3000 }, null],
    [{ retryAfterMs: 3000 }, null],
  ])("%o throttles the endpoint for %s ms", (record, expected) => {
    expect(throttleMs(record, 86_400_000)).toBe(expected);
  });
});

/** One result a second: `f` and `s`. */
function after(results: string, { watched = false, from = EMPTY_TALLY } = {}): Tally {
  return Array.from(results).reduce(
    (tally, result, second) =>
      tallied(tally, result === "f" ? "fails" : "works", { atMs: second * 1000, circuit: DEFAULT_CIRCUIT, watched }),
    from,
  );
}

const quiet = { circuit: DEFAULT_CIRCUIT, watched: false };

describe("what a process tells", () => {
  test.each([
    ["", false],
    ["ssssssssss", false],
    ["ff", false],
    ["fff", true],
    ["fssssf", false],
    ["fsfsf", true],
    [`fff${"s".repeat(57)}f`, false],
  ])("after %o it speaks up: %s", (results, expected) => {
    expect(isWorthTelling(after(results), quiet)).toBe(expected);
  });

  test("is everything where others watch", () => {
    const watched = { ...quiet, watched: true };
    const tally = after("ss", { watched: true });
    expect([isWorthTelling(tally, watched), resultsOf(tally)]).toEqual([
      true,
      { failures: 0, successes: 2, trailingFailures: 0 },
    ]);
    expect(isWorthTelling(told(tally), watched)).toBe(false);
  });

  test("keeps nothing while all is well, and nothing older than the window", () => {
    expect(after("ssss")).toEqual(EMPTY_TALLY);
    const later = tallied(after("ff"), "fails", { ...quiet, atMs: 61_000 + 1000 });
    expect(resultsOf(later)).toEqual({ failures: 1, successes: 0, trailingFailures: 1 });
  });

  test("says each result once", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[fs]{0,6}$/u), { maxLength: 10 }), (parts) => {
        let tally = EMPTY_TALLY;
        const said = parts.map((part) => {
          tally = after(part, { watched: true, from: tally });
          const results = resultsOf(tally);
          tally = told(tally);
          return results;
        });
        const all = parts.join("");
        expect(said.reduce((sum, { failures }) => sum + failures, 0)).toBe(all.replaceAll("s", "").length);
        expect(said.reduce((sum, { successes }) => sum + successes, 0)).toBe(all.replaceAll("f", "").length);
        expect(tally.streak).toBe(all.length - 1 - all.lastIndexOf("s"));
        expect(said.map(({ trailingFailures }) => trailingFailures)).toEqual(
          parts.map((part) => part.length - 1 - part.lastIndexOf("s")),
        );
      }),
    );
  });

  test.each([
    ["ffff", false],
    ["fffff", true],
    ["fffffs", false],
  ])("after %o it holds back by itself: %s", (results, expected) => {
    expect(isDown(after(results), DEFAULT_CIRCUIT)).toBe(expected);
  });
});
