import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_CIRCUIT } from "./circuit.ts";
import { readReport } from "./read-report.ts";
import { readPause, readResume } from "./read-words.ts";

describe("a pause", () => {
  test.each([
    [
      { actor: "ana", reason: "r" },
      { actor: "ana", reason: "r", untilMs: null, forMs: null, earliestMs: 1 },
    ],
    [
      { actor: "ana", reason: "r", forMs: 1000.2 },
      { forMs: 1001, untilMs: null },
    ],
    [{ actor: "ana", reason: "r", until: "2026-11-29T12:00:00+01:00" }, { untilMs: Date.UTC(2026, 10, 29, 11) }],
    [
      { actor: "ana", reason: "r", until: "2026-11-29T12:00:00Z", forMs: 5 },
      { untilMs: Date.parse("2026-11-29T12:00:00Z"), forMs: 5 },
    ],
    [
      { actor: "ana", reason: "r", until: "tomorrow" },
      { untilMs: null, forMs: null },
    ],
    [
      { actor: "ana", reason: "r", until: "2026-12-31T23:59:60Z" },
      { untilMs: null, forMs: null },
    ],
    [{ actor: "ana", reason: "r", forMs: -5 }, { forMs: null }],
    [{ actor: "ana", reason: "r", forMs: Number.NaN }, { forMs: null }],
    [{}, { actor: "unknown", reason: "no reason given" }],
    [null, { actor: "unknown" }],
  ])("%o is understood", (argument, expected) => {
    expect(readPause(argument, 1)).toMatchObject(expected);
  });

  test("is never refused, and keeps no more than a few words", () => {
    fc.assert(
      fc.property(fc.anything(), fc.string({ maxLength: 2000 }), (argument, reason) => {
        expect(readPause(argument, 1).actor.length).toBeGreaterThan(0);
        expect(readPause({ actor: "ana", reason }, 1).reason.length).toBeLessThanOrEqual(500);
      }),
    );
  });
});

describe("a resume", () => {
  test.each([
    [{ actor: "ana" }, { actor: "ana", reason: "", strict: false, rampMs: 0 }],
    [
      { actor: "ana", reason: "r", probe: true, rampMs: 5 },
      { actor: "ana", reason: "r", strict: true, rampMs: 5 },
    ],
    [{ reason: "r" }, null],
    [{ actor: "ana", rampMs: "10m" }, null],
    [{ actor: "ana", rampMs: 1e12 }, null],
    [{ actor: "ana", probe: "yes" }, null],
    [{ v: 2, actor: "ana" }, null],
    [null, null],
  ])("%o is understood as %o", (argument, expected) => {
    expect(readResume(argument)).toEqual(expected);
  });
});

describe("a report", () => {
  /** The longest duration that a configuration may hold. */
  const TEN_YEARS_MS = 3650 * 24 * 3_600_000;
  const head = { worker: "w1", configVersion: "v1", circuit: DEFAULT_CIRCUIT, lastCode: "http_503" };
  const failures = { ...head, kind: "failures", failures: 3, successes: 0, trailingFailures: 3 };

  test.each([
    failures,
    { ...failures, circuit: null },
    { ...head, kind: "credentials-refused" },
    { ...head, kind: "endpoint-gone" },
    { ...head, kind: "throttled", retryAfterMs: 30_000 },
    { ...head, kind: "throttled", retryAfterMs: TEN_YEARS_MS },
    { ...head, kind: "throttled", retryAfterMs: 1, id: "w1:1" },
    { ...failures, circuit: { ...DEFAULT_CIRCUIT, windowMs: TEN_YEARS_MS, openMs: TEN_YEARS_MS } },
    { ...head, kind: "probe", round: 7, begun: 4, succeeded: 3, failed: 0, others: 1 },
    { ...head, kind: "in-flight", count: 0 },
  ])("of $kind is read as it was said, without anything else", (report) => {
    expect(readReport({ ...report, more: "than that" })).toEqual(report);
  });

  test.each([
    null,
    {},
    { ...failures, kind: "rumors" },
    { ...failures, worker: 7 },
    { ...failures, lastCode: "x".repeat(201) },
    { ...failures, configVersion: undefined },
    { ...failures, failures: -1 },
    { ...failures, failures: 1.5 },
    { ...failures, successes: Number.POSITIVE_INFINITY },
    { ...failures, circuit: undefined },
    { ...failures, circuit: { ...DEFAULT_CIRCUIT, failures: 0 } },
    { ...failures, circuit: { ...DEFAULT_CIRCUIT, share: 2 } },
    { ...failures, circuit: { ...DEFAULT_CIRCUIT, windowMs: 1 } },
    { ...head, kind: "throttled" },
    { ...head, kind: "throttled", retryAfterMs: 1, id: 7 },
    { ...head, kind: "throttled", retryAfterMs: Number.NaN },
    { ...head, kind: "probe", begun: 1, succeeded: 0, failed: 0, others: 0 },
    { ...head, kind: "probe", round: 1, begun: 1 },
    { ...head, kind: "in-flight" },
  ])("that cannot be understood is none: %o", (report) => {
    expect(readReport(report)).toBeNull();
  });
});
