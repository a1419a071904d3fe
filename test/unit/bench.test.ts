/** The arithmetic and the command line of `npm run bench`. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../bench/options.ts";
import { asText, reportOf } from "../../bench/report.ts";
import type { Round, Sample } from "../../bench/scenario.ts";
import { compare, type Figures, percentile, split, summarize } from "../../bench/statistics.ts";

const MEBIBYTE = 1024 ** 2;

function aSample(submittedAtMs: number, tookMs: number): Sample {
  return { submittedAtMs, closedAtMs: submittedAtMs + tookMs, transitions: 2, historyEvents: 6 };
}

function aRound(changes: Partial<Round> = {}): Round {
  return {
    samples: [aSample(1000, 10), aSample(1000, 30)],
    concurrency: 2,
    workedOn: 2,
    cpuMs: 8,
    serverCpuMs: 20,
    rssBytes: 300 * MEBIBYTE,
    ...changes,
  };
}

function someFigures(changes: Partial<Figures> = {}): Figures {
  return { ...summarize("first-try", [aRound()]), ...changes };
}

const ENVIRONMENT = {
  at: "2026-11-29T12:00:00.000Z",
  commit: "abc1234",
  node: "20.20.2",
  temporalServer: "1.32.0",
  cpus: 2,
  cpuModel: "Some processor",
  loadAverage: 0.5,
};

describe("a percentile", () => {
  test("is the value of the nearest rank", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([percentile(hundred, 50), percentile(hundred, 95), percentile(hundred, 100)]).toEqual([50, 95, 100]);
    expect(percentile([7], 50)).toBe(7);
    expect(percentile([1, 2, 3], 50)).toBe(2);
  });

  test("is one of the values, and at least that share of them does not exceed it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const found = percentile(values, percent);
        expect(values).toContain(found);
        const covered = values.filter((value) => value <= found).length;
        expect(covered / values.length).toBeGreaterThanOrEqual(percent / 100);
      }),
    );
  });
});

describe("splitting events over rounds", () => {
  test("loses none, and differs by one at most", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.record({ parts: fc.integer({ min: 1, max: 9 }), atLeast: fc.nat({ max: 50 }) }),
        (events, options) => {
          const rounds = split(events, options);
          expect(rounds.reduce((total, one) => total + one, 0)).toBe(events);
          expect(Math.max(...rounds) - Math.min(...rounds)).toBeLessThanOrEqual(1);
          expect(rounds.length).toBeLessThanOrEqual(options.parts);
          expect(Math.min(...rounds)).toBeGreaterThanOrEqual(Math.min(events, Math.max(1, options.atLeast)));
        },
      ),
    );
  });

  test("makes one round of what would not fill the slots", () => {
    expect(split(5, { parts: 4, atLeast: 10 })).toEqual([5]);
    expect(split(200, { parts: 4, atLeast: 10 })).toEqual([50, 50, 50, 50]);
  });
});

describe("a summary", () => {
  test("counts time only while a round lasted, and cost per event worked on", () => {
    const later = aRound({
      samples: [aSample(60_000, 20), aSample(60_030, 40)],
      concurrency: 1,
      cpuMs: 4,
      serverCpuMs: 10,
      rssBytes: 310 * MEBIBYTE,
    });
    expect(summarize("first-try", [aRound(), later])).toEqual({
      scenario: "first-try",
      events: 4,
      concurrency: 2,
      perSecond: 40, // 4 events in 30 + 70 ms
      p50Ms: 20,
      p95Ms: 40,
      transitionsPerEvent: 2,
      historyEventsPerEvent: 6,
      cpuMsPerEvent: 3,
      serverCpuMsPerEvent: 7.5,
      rssMb: 310,
    });
  });

  test("compares with a control where there is one", () => {
    const control = [aSample(0, 5), aSample(0, 20)];
    expect(summarize("slow-neighbour", [aRound({ control })])).toMatchObject({ ratio: 2, ratioP95: 1.5 });
    expect(summarize("first-try", [aRound()])).not.toHaveProperty("ratio");
  });

  test("keeps fractions of a millisecond where they were measured, to two places", () => {
    const samples = [aSample(1000, 3.12345), aSample(1000, 4.98765)];
    const control = [aSample(1000, 1.5)];
    expect(summarize("accept", [aRound({ samples, control })])).toMatchObject({
      p50Ms: 3.12,
      p95Ms: 4.99,
      ratio: 2.08,
    });
  });

  test("says nothing of the server's share when one round could not read it", () => {
    const figures = summarize("first-try", [aRound(), aRound({ serverCpuMs: null })]);
    expect(figures.serverCpuMsPerEvent).toBeNull();
  });

  test("refuses to be made of nothing", () => {
    expect(() => summarize("first-try", [])).toThrow("measured nothing");
    expect(() => summarize("first-try", [aRound({ samples: [] })])).toThrow("measured nothing");
  });
});

describe("a report", () => {
  const floor = someFigures({ scenario: "bare-floor", p50Ms: 20, cpuMsPerEvent: 2 });
  const firstTry = someFigures({ p50Ms: 25, cpuMsPerEvent: 3 });

  test("compares the first try with each bare scenario that was run", () => {
    expect(compare(firstTry, floor)).toMatchObject({
      of: "first-try",
      over: "bare-floor",
      p50Ms: 1.25,
      cpuMsPerEvent: 1.5,
    });
    const pairs = (figures: readonly Figures[]) => reportOf(ENVIRONMENT, figures).comparisons.map(({ over }) => over);
    expect(pairs([firstTry, floor])).toEqual(["bare-floor"]);
    expect(pairs([firstTry])).toEqual([]);
    expect(pairs([floor])).toEqual([]);
  });

  test("reads as tables whose lines are equally long, with the circumstances above", () => {
    const text = asText(
      reportOf(ENVIRONMENT, [floor, { ...firstTry, serverCpuMsPerEvent: null, ratio: 1.1, ratioP95: 1.2 }]),
    );
    expect(text).toContain("commit abc1234, Node 20.20.2, Temporal server 1.32.0, 2 cores");
    expect(text).toContain("| first-try / bare-floor |");
    expect(text).toContain("first-try: 1.1 times the control's median, 1.2 times its p95");
    const [, figures = ""] = text.split("\n\n");
    expect(new Set(figures.split("\n").map((line) => line.length)).size).toBe(1);
  });
});

describe("the command line", () => {
  test("runs every scenario with its own load when told nothing", () => {
    const parsed = parseArguments([]);
    expect(parsed).toMatchObject({ options: { json: false, load: {} } });
    expect("options" in parsed && parsed.options.scenarios.map(({ name }) => name)).toEqual([
      "bare-plain",
      "bare-floor",
      "first-try",
      "one-retry",
      "slow-neighbour",
      "accept",
    ]);
  });

  test("takes scenarios in any order and runs each once, in the order of the table", () => {
    const parsed = parseArguments(["--scenario", "first-try", "--scenario", "bare-floor", "--scenario", "first-try"]);
    expect("options" in parsed && parsed.options.scenarios.map(({ name }) => name)).toEqual([
      "bare-floor",
      "first-try",
    ]);
  });

  test("takes numbers of events and of slots", () => {
    expect(parseArguments(["--json", "--events", "50", "--concurrency", "5"])).toMatchObject({
      options: { json: true, load: { events: 50, concurrency: 5 } },
    });
  });

  test.each([
    [["--scenario", "fastest"], 'There is no scenario "fastest".'],
    [["--events", "0"], '--events takes a whole number from 1, not "0".'],
    [["--concurrency", "many"], '--concurrency takes a whole number from 1, not "many".'],
    [["--quick"], "--quick"],
    [["stray"], "stray"],
  ])("refuses %j with a sentence and the usage", (args, sentence) => {
    const parsed = parseArguments(args);
    expect("mistake" in parsed && parsed.mistake).toContain(sentence);
    expect("mistake" in parsed && parsed.mistake).toContain("Usage: npm run bench");
  });
});
