import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addResults,
  type Counts,
  DEFAULT_CIRCUIT,
  isTroubling,
  judgeCircuit,
  NO_COUNTS,
  openForMs,
  type Results,
  totalsOf,
} from "./circuit.ts";

const SECOND_MS = 1000;
const { windowMs } = DEFAULT_CIRCUIT;

/** Results one second apart: a text of `f` and `s`, each report a word. */
function after(reports: string, from: Counts = NO_COUNTS): Counts {
  return reports
    .split(" ")
    .reduce(
      (counts, word, second) => addResults(counts, resultsIn(word), { atMs: second * SECOND_MS, windowMs }),
      from,
    );
}

function resultsIn(word: string): Results {
  const successes = word.replaceAll("f", "").length;
  return { successes, failures: word.length - successes, trailingFailures: word.length - 1 - word.lastIndexOf("s") };
}

describe("a circuit", () => {
  test.each([
    ["five failures in a row", "fffff", { by: "streak", failures: 5 }],
    ["five in a row, seen by several workers", "ff f ff", { by: "streak", failures: 5 }],
    ["four in a row", "ff ff", null],
    ["failures with a success between", "fff sf fff", null],
    ["a success in the middle of a report", "ffff sfff", null],
    ["half of twenty, never five in a row", "fsfsfsfsfs fsfsfsfsfs", { by: "share", share: 0.5 }],
    ["half of nineteen", "fsfsfsfsfs fsfsfsfsf", null],
    ["five in a row among many successes", `${"s".repeat(40)} fffff`, null],
    ["twenty in a row among many successes", `${"s".repeat(40)} ${"f".repeat(20)}`, { by: "streak", failures: 20 }],
    ["nothing at all", "", null],
  ])("judges %s", (_, reports, verdict) => {
    expect(judgeCircuit(after(reports), DEFAULT_CIRCUIT)).toEqual(verdict);
  });

  test("forgets what has left the window, but not that failures came in a row", () => {
    const later = addResults(after("ssss"), resultsIn("ff"), { atMs: windowMs + 5 * SECOND_MS, windowMs });
    expect([totalsOf(later), later.streak]).toEqual([{ failures: 2, volume: 2 }, 2]);
  });

  test.each([
    ["two failures", "ff", false],
    ["three in a row", "fff", true],
    ["three among six", "fsfsfs", true],
    ["three among thirty", `fsfsfs ${"s".repeat(24)}`, false],
  ])("is worth watching after %s: %s", (_, reports, expected) => {
    expect(isTroubling(after(reports), DEFAULT_CIRCUIT)).toBe(expected);
  });

  test("is worth watching before it opens, also where one failure opens it", () => {
    const circuit = { ...DEFAULT_CIRCUIT, failures: 1 };
    expect([isTroubling(after("f"), circuit), judgeCircuit(after("f"), circuit)]).toEqual([
      true,
      { by: "streak", failures: 1 },
    ]);
  });

  test("stays open longer with each probe that fails, up to four times", () => {
    const { openMs } = DEFAULT_CIRCUIT;
    expect([0, 1, 2, 3, 4, 1000].map((tries) => openForMs(DEFAULT_CIRCUIT, tries) / openMs)).toEqual([
      1, 2, 4, 4, 4, 4,
    ]);
  });
});

const aReport = fc
  .array(fc.constantFrom("f", "s"), { minLength: 1, maxLength: 8 })
  .map((results) => resultsIn(results.join("")));
const reports = fc.array(fc.tuple(aReport, fc.integer({ min: 0, max: 10_000 })), { minLength: 1, maxLength: 60 });

function run(steps: readonly (readonly [Results, number])[]): readonly Counts[] {
  let counts = NO_COUNTS;
  let atMs = 0;
  return steps.map(([report, pauseMs]) => {
    atMs += pauseMs;
    counts = addResults(counts, report, { atMs, windowMs });
    return counts;
  });
}

describe("laws of a circuit", () => {
  test("with volume and a share of successes above its bound it opens only by as many failures in a row as make a volume", () => {
    fc.assert(
      fc.property(reports, (steps) => {
        for (const counts of run(steps)) {
          const { failures, volume } = totalsOf(counts);
          const isMostlyFine = volume >= DEFAULT_CIRCUIT.minimum && 1 - failures / volume > 1 - DEFAULT_CIRCUIT.share;
          if (isMostlyFine && counts.streak < DEFAULT_CIRCUIT.minimum)
            expect(judgeCircuit(counts, DEFAULT_CIRCUIT)).toBeNull();
        }
      }),
    );
  });

  test("it never opens on successes alone, and always on enough failures without a success", () => {
    fc.assert(
      fc.property(reports, (steps) => {
        const counts = run(
          steps.map(([report, pauseMs]) => [{ ...report, failures: 0, trailingFailures: 0, successes: 1 }, pauseMs]),
        );
        expect(counts.map((one) => judgeCircuit(one, DEFAULT_CIRCUIT))).toEqual(steps.map(() => null));
        const failing = run(steps.map(([, pauseMs]) => [{ failures: 5, successes: 0, trailingFailures: 5 }, pauseMs]));
        expect(failing.every((one) => judgeCircuit(one, DEFAULT_CIRCUIT) !== null)).toBe(true);
      }),
    );
  });

  test("what it remembers is bounded, and the same reports give the same counts", () => {
    fc.assert(
      fc.property(reports, (steps) => {
        for (const { buckets } of run(steps)) expect(buckets.length).toBeLessThanOrEqual(13);
        expect(run(steps)).toEqual(run(steps));
      }),
    );
  });
});
