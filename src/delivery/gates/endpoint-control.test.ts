import { describe, expect, test } from "vitest";
import type { WithoutTime } from "../without-time.ts";
import { DEFAULT_CIRCUIT } from "./circuit.ts";
import { type EndpointControl, gateOf, isAtRest, newControl } from "./control.ts";
import type { ControlFact, ProbeCounts, TroubleReport } from "./control-facts.ts";
import { advanceControl, judgeResume } from "./endpoint-control.ts";
import { gateShown } from "./gate-entry.ts";
import { laneRateOf } from "./lane-rate.ts";
import { nextTimeMs } from "./pass-time.ts";
import { nextLookMs } from "./recovery.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

type Happening = WithoutTime<ControlFact>;
/** After so many seconds. */
type Step = readonly [number, Happening];

function play(steps: readonly Step[], from: EndpointControl = newControl("crm")): EndpointControl {
  return steps.reduce(
    (control, [second, fact]) => advanceControl(control, { ...fact, atMs: NOON_MS + second * SECOND_MS }),
    from,
  );
}

const head = { worker: "w1", configVersion: "v1", circuit: DEFAULT_CIRCUIT, lastCode: "http_503" } as const;
const report = (said: Partial<TroubleReport> & Pick<TroubleReport, "kind">): Happening => ({
  fact: "reported",
  report: { ...head, ...said } as TroubleReport,
});
const failures = (count: number, more: object = {}): Happening =>
  report({ kind: "failures", failures: count, successes: 0, trailingFailures: count, ...more });
const probe = (control: EndpointControl, counts: Partial<ProbeCounts>, more: object = {}): Happening => {
  const round = control.recovery?.stage === "probing" ? control.recovery.round : 0;
  return report({ kind: "probe", round, begun: 0, succeeded: 0, failed: 0, others: 0, ...counts, ...more });
};
const pause = (word: object = {}): Happening => ({
  fact: "pause",
  word: { actor: "ana", reason: "maintenance", untilMs: null, forMs: null, earliestMs: 0, ...word },
});
const resume = (word: object = {}): Happening => ({
  fact: "resume",
  word: { actor: "bob", reason: "done", strict: false, rampMs: 0, ...word },
});
const TIME: Happening = { fact: "time-passed" };
const rateAt = (control: EndpointControl, second: number) => laneRateOf(control, NOON_MS + second * SECOND_MS);
const last = ({ ledger }: EndpointControl) => ledger.at(-1);
const whats = ({ ledger }: EndpointControl) => ledger.map(({ what }) => what);

const TRIPPED = play([[0, failures(5)]]);
const PROBING = play([[31, TIME]], TRIPPED);
const PAUSED = play([[0, pause()]]);

describe("a pause", () => {
  test("holds until somebody resumes, and says who and why", () => {
    expect([gateOf(PAUSED), rateAt(PAUSED, 0), nextTimeMs(PAUSED, NOON_MS)]).toEqual(["paused", 0, null]);
    expect(PAUSED.ledger).toEqual([
      { n: 1, at: "2026-11-29T12:00:00.000Z", what: "paused", who: "ana", why: "maintenance", until: null },
    ]);
    expect(gateOf(play([[1e8, TIME]], PAUSED))).toBe("paused");
  });

  test("with an end turns into a probe by itself", () => {
    const control = play([[0, pause({ forMs: 10 * MINUTE_MS })]]);
    expect(gateShown(control)).toEqual({ state: "paused", until: "2026-11-29T12:10:00.000Z" });
    expect(nextTimeMs(control, NOON_MS)).toBe(NOON_MS + 10 * MINUTE_MS);
    const over = play([[600, TIME]], control);
    expect([gateShown(over), rateAt(over, 600), last(over)]).toMatchObject([
      { state: "tripped", until: null, probing: { probes: 4 } },
      4,
      { what: "pause-ended", who: "time" },
    ]);
  });

  test.each([
    ["when its author said", 5, "12:05:00.000Z"],
    ["no earlier than it can have been said, whatever its author's clock", -30, "12:01:00.000Z"],
    ["no later than if it had been said just now", 90, "12:10:00.000Z"],
  ])("that has waited for a worker ends %s", (_what, untilMinutes, end) => {
    const forMs = 10 * MINUTE_MS;
    const earliestMs = NOON_MS - 9 * MINUTE_MS;
    const control = play([[0, pause({ forMs, earliestMs, untilMs: NOON_MS + untilMinutes * MINUTE_MS })]]);
    expect(gateShown(control)).toEqual({ state: "paused", until: `2026-11-29T${end}` });
  });

  test("with an end leaves a trip as it is", () => {
    const refused = play([
      [0, report({ kind: "credentials-refused" })],
      [1, pause({ forMs: 1000 })],
      [2, TIME],
    ]);
    expect([gateShown(refused), last(refused)?.why]).toEqual([
      { state: "tripped", until: null },
      "the pause is over, the trip stands",
    ]);
  });

  test("may be given an end as a moment, and replaces another pause", () => {
    const control = play([[1, pause({ untilMs: NOON_MS + MINUTE_MS, reason: "for a minute" })]], PAUSED);
    expect(last(control)).toMatchObject({ why: "for a minute", until: "2026-11-29T12:01:00.000Z" });
  });

  test("during a probe keeps the trip it came from", () => {
    const control = play([[32, pause()]], PROBING);
    expect([gateOf(control), control.trip?.because, control.recovery]).toEqual(["paused", "failures", null]);
    expect(whats(play([[33, pause()]], play([[1, resume()]], PAUSED)))).toEqual(["paused", "resumed", "paused"]);
  });

  test("is not counted against by what was in flight", () => {
    const control = play([[1, failures(100)]], PAUSED);
    expect([control.trip, gateOf(control)]).toEqual([null, "paused"]);
  });
});

describe("a resume", () => {
  const probing = play([[1, resume()]], PAUSED);

  test("begins with a burst of probes", () => {
    expect(gateShown(probing)).toEqual({
      state: "tripped",
      until: null,
      probing: { round: NOON_MS + SECOND_MS, probes: 4 },
    });
    expect(rateAt(probing, 1)).toBe(4);
  });

  test("lets no more than the burst begin before it is decided", () => {
    const begun = play([[2, probe(probing, { begun: 4 })]], probing);
    expect([rateAt(begun, 2), gateOf(begun)]).toEqual([0, "tripped"]);
  });

  test("opens at once after one successful burst", () => {
    const open = play([[2, probe(probing, { begun: 4, succeeded: 4 })]], probing);
    expect([gateOf(open), rateAt(open, 2), isAtRest(open), last(open)]).toMatchObject([
      "open",
      null,
      true,
      { what: "opened", why: "4 probes succeeded" },
    ]);
  });

  test("opens after fewer where no more wait", () => {
    const one = play([[2, probe(probing, { begun: 1, succeeded: 1 })]], probing);
    expect([gateOf(one), nextTimeMs(one, NOON_MS)]).toEqual(["tripped", NOON_MS + 5 * SECOND_MS]);
    expect(last(play([[5, TIME]], one))).toMatchObject({ what: "opened", why: "1 probe succeeded" });
  });

  test("waits for deliveries where none is there", () => {
    const later = play([[1e6, TIME]], probing);
    expect([gateOf(later), nextTimeMs(later, NOON_MS), rateAt(later, 1e6)]).toEqual(["tripped", null, 4]);
  });

  test("opens without a probe where nothing waits, as the server says", () => {
    expect(nextLookMs(probing)).toBe(NOON_MS + 16 * SECOND_MS);
    const seen = (held: number | null): Happening => ({ fact: "lane-seen", held });
    expect(play([[10, seen(0)]], probing)).toEqual(probing);
    const open = play([[16, seen(0)]], probing);
    expect([gateOf(open), open.recovery, last(open)?.why]).toEqual([
      "open",
      null,
      "nothing waits: open without a probe",
    ]);
    for (const held of [3, null]) {
      const later = play([[16, seen(held)]], probing);
      expect([gateOf(later), nextLookMs(later)]).toEqual(["tripped", NOON_MS + 76 * SECOND_MS]);
    }
  });

  test("begins the burst anew where attempts wait and none has begun: whoever took part may, though its report was lost", () => {
    const seen = (held: number | null): Happening => ({ fact: "lane-seen", held });
    const strict = play([[1, resume({ strict: true })]], PAUSED);
    for (const control of [probing, strict]) {
      const later = play([[16, seen(2)]], control);
      expect(gateShown(later).probing).toEqual({ round: NOON_MS + 16 * SECOND_MS, probes: 4 });
      let looked = control;
      for (let looks = 0; looks < 20; looks += 1) {
        const lookMs = nextLookMs(looked) ?? Number.NaN;
        expect(lookMs - (gateShown(looked).probing?.round ?? 0)).toBeLessThanOrEqual(64 * MINUTE_MS);
        looked = advanceControl(looked, { ...seen(1), atMs: lookMs });
      }
      expect(gateOf(looked)).toBe("tripped");
    }
    const waits = play([[16, seen(0)]], strict);
    expect([gateOf(waits), gateShown(waits).probing?.round]).toEqual(["tripped", NOON_MS + SECOND_MS]);
  });

  test("does not look where there is no need", () => {
    const begun = play([[2, probe(probing, { begun: 1 })]], probing);
    const throttled = play([[2, report({ kind: "throttled", retryAfterMs: 60_000 })]], probing);
    for (const control of [begun, throttled, PAUSED]) {
      expect(nextLookMs(control)).toBeNull();
      expect(play([[17, { fact: "lane-seen", held: 0 }]], control)).toEqual(play([[17, TIME]], control));
    }
  });

  test("tries another burst where a probe never ends, or says nothing", () => {
    const hanging = play([[2, probe(probing, { begun: 4 })]], probing);
    const again = play([[62, TIME]], hanging);
    expect([again.recovery, rateAt(again, 62)]).toMatchObject([{ round: NOON_MS + 62 * SECOND_MS, begun: 0 }, 4]);
    const silent = play([[2, probe(probing, { begun: 2, others: 2 })]], probing);
    expect(play([[5, TIME]], silent).recovery).toMatchObject({ begun: 0 });
    expect(play([[63, probe(hanging, { succeeded: 4 })]], again)).toEqual(again);
  });

  test("trips by the circuit where a probe fails", () => {
    const failed = play([[2, probe(probing, { begun: 2, succeeded: 1, failed: 1 })]], probing);
    expect(failed.trip).toMatchObject({ because: "failures", tries: 1, untilMs: NOON_MS + 62 * SECOND_MS });
    expect(last(failed)).toMatchObject({ what: "probe-failed", why: "a probe failed (http_503)" });
  });

  test("pauses again as before where the probe was asked to decide", () => {
    const strict = play([[1, resume({ strict: true })]], PAUSED);
    const failed = play([[2, probe(strict, { begun: 1, failed: 1 })]], strict);
    expect([gateOf(failed), failed.pause]).toEqual(["paused", PAUSED.pause]);
    expect(last(failed)?.why).toBe("a probe failed (http_503): paused again as before");
    const refused = play([[2, report({ kind: "credentials-refused", lastCode: "http_401" })]], strict);
    expect([gateOf(refused), refused.trip?.because]).toEqual(["paused", "credentials-refused"]);
  });

  test("opens all the same where the probe fails and the circuit is off", () => {
    const failed = play([[2, probe(probing, { begun: 1, failed: 1 }, { circuit: null })]], probing);
    expect([gateOf(failed), last(failed)?.why]).toEqual([
      "open",
      "a probe failed (http_503), but the circuit is off: open",
    ]);
  });

  test("goes by a rising rate where asked, which one more resume ends", () => {
    const ramped = play([[1, resume({ rampMs: 10 * MINUTE_MS })]], PAUSED);
    const draining = play([[2, probe(ramped, { begun: 4, succeeded: 4 })]], ramped);
    expect(gateShown(draining)).toEqual({ state: "open", until: null, ramping: true });
    const at = [2, 61, 62, 122, 542, 601].map((second) => rateAt(draining, second));
    expect(at).toEqual([4, 4, 7, 12, 588, 588]);
    expect(nextTimeMs(draining, NOON_MS + 2 * SECOND_MS)).toBe(NOON_MS + 62 * SECOND_MS);
    expect(rateAt(draining, 602)).toBeNull();
    expect(play([[602, TIME]], draining).recovery).toBeNull();
    expect(judgeResume(draining, { rampMs: 1 })).toBe("already-resuming");
    expect([play([[3, resume()]], draining).recovery, last(play([[3, resume()]], draining))?.what]).toEqual([
      null,
      "resumed",
    ]);
  });

  test.each([
    ["an open endpoint", newControl("crm"), "not-held"],
    ["one that is probed", PROBING, "already-resuming"],
    [
      "one that only its Retry-After holds",
      play([[0, report({ kind: "throttled", retryAfterMs: 30_000 })]]),
      "throttled",
    ],
    [
      "one that drains after a Retry-After",
      play([
        [0, report({ kind: "throttled", retryAfterMs: 1000 })],
        [1, TIME],
      ]),
      "not-held",
    ],
    ["a paused one", PAUSED, null],
    ["a tripped one", TRIPPED, null],
  ])("of %s: %s", (_, control, because) => {
    expect(judgeResume(control, { rampMs: 0 })).toBe(because);
    if (because !== null) expect(play([[50, resume()]], control).ledger).toEqual(play([[50, TIME]], control).ledger);
  });
});

describe("a trip", () => {
  test("by failures in a row says so, holds, and is tried again by itself", () => {
    expect(TRIPPED.trip).toMatchObject({ because: "failures", tries: 0, untilMs: NOON_MS + 30 * SECOND_MS });
    expect(last(TRIPPED)).toMatchObject({
      what: "tripped",
      who: "workers",
      why: "5 failures in a row, the last one http_503",
    });
    expect([rateAt(TRIPPED, 29), nextTimeMs(TRIPPED, NOON_MS)]).toEqual([0, NOON_MS + 30 * SECOND_MS]);
    expect([gateShown(PROBING).probing, rateAt(PROBING, 31)]).toMatchObject([{ probes: 4 }, 4]);
  });

  test("by a share of failures says that", () => {
    const control = play([[0, report({ kind: "failures", failures: 15, successes: 10, trailingFailures: 1 })]]);
    expect(last(control)?.why).toBe("60 % of the attempts failed, the last one http_503");
  });

  test("closes into a drain, and opens for longer where that fails", () => {
    const draining = play([[32, probe(PROBING, { begun: 4, succeeded: 4 })]], PROBING);
    expect([draining.recovery, rateAt(draining, 32)]).toMatchObject([
      { stage: "ramping", rampMs: 30_000, letsBy: false },
      4,
    ]);
    const again = play([[33, failures(5)]], draining);
    expect(again.trip).toMatchObject({ tries: 1, untilMs: NOON_MS + 93 * SECOND_MS });
    const failed = play([[32, probe(PROBING, { begun: 1, failed: 1 })]], PROBING);
    expect(failed.trip).toMatchObject({ tries: 1, untilMs: NOON_MS + 92 * SECOND_MS });
  });

  test("is watched for before it comes, and the watch ends", () => {
    const watched = play([[0, failures(3)]]);
    expect([gateShown(watched), isAtRest(watched)]).toEqual([{ state: "open", until: null, watched: true }, false]);
    const calm = play([[60, TIME]], watched);
    expect([gateShown(calm), isAtRest(calm)]).toEqual([{ state: "open", until: null }, true]);
  });

  test("is tried all the same where the circuit is switched off meanwhile", () => {
    const off = play(
      [
        [1, failures(5, { circuit: null })],
        [30, TIME],
      ],
      TRIPPED,
    );
    expect(off.recovery).toMatchObject({ stage: "probing", wanted: 4, rampMs: 30_000 });
  });

  test("does not come where the circuit is off", () => {
    const control = play([[0, failures(50, { circuit: null })]]);
    expect([control.trip, control.ledger]).toEqual([null, []]);
    expect(play([[0, report({ kind: "credentials-refused", circuit: null })]]).trip).toBeNull();
  });

  test.each([
    ["credentials-refused", "http_401", "it does not accept our credentials (http_401)"],
    ["endpoint-gone", "http_410", "it says that it is gone for good (http_410)"],
  ] as const)("by %s comes at once and has no timer", (kind, lastCode, why) => {
    const control = play([
      [0, report({ kind, lastCode })],
      [1, report({ kind, lastCode })],
    ]);
    expect([control.trip, control.ledger.length]).toMatchObject([{ because: kind, untilMs: null, why }, 1]);
    expect(gateOf(play([[1e8, TIME]], control))).toBe("tripped");
  });

  test("by refused credentials replaces one with a timer, also during a probe", () => {
    const refused = report({ kind: "credentials-refused" });
    for (const control of [TRIPPED, PROBING]) {
      expect(play([[32, refused]], control)).toMatchObject({ trip: { untilMs: null }, recovery: null });
    }
  });

  test("by refused credentials is tried again once the configuration has changed", () => {
    const control = play([[0, report({ kind: "credentials-refused" })]]);
    const same = play([[1, { fact: "configured", configVersion: "v1" }]], control);
    expect(same).toEqual(control);
    const changed = play([[1, { fact: "configured", configVersion: "v2" }]], control);
    expect([gateShown(changed).probing, last(changed)?.what]).toMatchObject([{ probes: 4 }, "probing"]);
    expect(play([[1, { fact: "configured", configVersion: "v2" }]], TRIPPED)).toEqual(TRIPPED);
    const paused = play([[0, pause()]], control);
    expect(play([[1, { fact: "configured", configVersion: "v2" }]], paused)).toEqual(paused);
  });

  test("tries each configuration of a mixed fleet once: two that are both refused do not take turns for ever", () => {
    const refusal = (configVersion: string) => report({ kind: "credentials-refused", configVersion });
    const configured = (configVersion: string): Happening => ({ fact: "configured", configVersion });
    const tripped = play([[0, refusal("v1")]]);
    const both = play(
      [
        [60, configured("v2")],
        [61, refusal("v2")],
      ],
      tripped,
    );
    expect(both.trip).toMatchObject({ because: "credentials-refused", untilMs: null });
    const trying = play([[60, configured("v2")]], tripped);
    const told = play(
      [
        [61, probe(trying, { begun: 1, failed: 1 }, { configVersion: "v2", lastCode: "http_401" })],
        [61, refusal("v2")],
      ],
      trying,
    );
    for (const control of [both, told, play([[1, refusal("v2")]], tripped)]) {
      for (const version of ["v1", "v2"]) expect(play([[120, configured(version)]], control)).toEqual(control);
      expect(gateShown(play([[120, configured("v3")]], control)).probing).toBeDefined();
    }
    const many = Array.from({ length: 100 }, (_, index): Step => [index, refusal(`v${index}`)]);
    expect(JSON.stringify(play(many)).length).toBeLessThan(4000);
  });

  test("survives a circuit that is switched off while a probe meets another failure", () => {
    const refused = play([
      [0, report({ kind: "credentials-refused" })],
      [1, resume()],
    ]);
    const failed = play([[2, probe(refused, { begun: 1, failed: 1 }, { circuit: null })]], refused);
    expect(failed.trip?.because).toBe("credentials-refused");
  });
});

describe("a Retry-After", () => {
  const throttled = play([[0.2, report({ kind: "throttled", retryAfterMs: 30_000 })]]);

  test("holds to the whole second after it, and is one entry however often it is repeated", () => {
    expect(gateShown(throttled)).toEqual({ state: "throttled", until: "2026-11-29T12:00:31.000Z" });
    const longer = play([[10, report({ kind: "throttled", retryAfterMs: 30_000 })]], throttled);
    expect([longer.throttle?.untilMs, longer.ledger.map(({ until }) => until)]).toEqual([
      NOON_MS + 40 * SECOND_MS,
      ["2026-11-29T12:00:40.000Z"],
    ]);
    expect(play([[11, report({ kind: "throttled", retryAfterMs: 1000 })]], longer)).toEqual(longer);
  });

  test("that is told twice counts once, also where the second word comes after its end", () => {
    const told = report({ kind: "throttled", retryAfterMs: 1000, id: "w1:1" });
    const first = play([[0.2, told]]);
    expect(play([[0.9, told]], first)).toEqual(first);
    const over = play([[5, TIME]], first);
    expect(play([[6, told]], over)).toEqual(play([[6, TIME]], over));
    const another = report({ kind: "throttled", retryAfterMs: 1000, id: "w2:1" });
    expect(gateShown(play([[6, another]], over)).state).toBe("throttled");
  });

  test("ends into a drain of what waits, while all else goes by", () => {
    const over = play([[31, TIME]], throttled);
    expect([gateShown(over), rateAt(over, 31), whats(over)]).toEqual([
      { state: "open", until: null },
      4,
      ["throttled", "throttle-ended"],
    ]);
    expect(play([[41, TIME]], over).recovery).toBeNull();
    expect(play([[32, failures(5)]], over).trip?.tries).toBe(0);
  });

  test("does not shorten another hold, nor is it shortened by one", () => {
    const both = play(
      [
        [1, pause()],
        [2, resume()],
      ],
      throttled,
    );
    expect([gateOf(both), rateAt(both, 2), gateShown(both).probing]).toEqual(["tripped", 0, undefined]);
    expect([rateAt(play([[31, TIME]], both), 31), play([[31, TIME]], both).recovery?.stage]).toEqual([4, "probing"]);
    expect(
      gateOf(
        play(
          [
            [1, pause()],
            [31, TIME],
          ],
          throttled,
        ),
      ),
    ).toBe("paused");
  });

  test("that comes during a pause is kept beside it, and kept to after the resume", () => {
    const both = play([[1, report({ kind: "throttled", retryAfterMs: 30_000 })]], PAUSED);
    expect([gateOf(both), both.pause, both.throttle?.untilMs]).toEqual([
      "paused",
      PAUSED.pause,
      NOON_MS + 31 * SECOND_MS,
    ]);
    const resumed = play([[2, resume()]], both);
    expect([rateAt(resumed, 2), gateShown(resumed).probing]).toEqual([0, undefined]);
    expect(nextTimeMs(resumed, NOON_MS + 2 * SECOND_MS)).toBe(NOON_MS + 31 * SECOND_MS);
    const over = play([[31, TIME]], resumed);
    expect([rateAt(over, 31), gateShown(over).probing]).toMatchObject([4, { probes: 4 }]);
  });

  test("stops a drain, which then starts anew", () => {
    const ramped = play([[1, resume({ rampMs: MINUTE_MS })]], PAUSED);
    const draining = play([[2, probe(ramped, { begun: 4, succeeded: 4 })]], ramped);
    const stopped = play([[40, report({ kind: "throttled", retryAfterMs: 60_000 })]], draining);
    expect([rateAt(stopped, 40), nextTimeMs(stopped, NOON_MS)]).toEqual([0, NOON_MS + 100 * SECOND_MS]);
    expect(play([[100, TIME]], stopped).recovery).toMatchObject({
      rampMs: MINUTE_MS,
      sinceMs: NOON_MS + 100 * SECOND_MS,
    });
  });
});

describe("attempts in flight", () => {
  const inFlight = (count: number, worker = "w1") => report({ kind: "in-flight", count, worker });

  test("are known by worker while the gate is closed, and forgotten when it opens", () => {
    const control = play(
      [
        [1, inFlight(3)],
        [2, inFlight(2, "w2")],
        [3, inFlight(0)],
      ],
      PAUSED,
    );
    expect(control.inFlight).toEqual({ w2: { count: 2, atMs: NOON_MS + 2 * SECOND_MS } });
    expect(play([[4, resume()]], control).inFlight).toEqual({});
    expect(play([[0, inFlight(3)]]).inFlight).toEqual({});
  });

  test("of more workers than anybody has are left out", () => {
    const steps = Array.from({ length: 150 }, (_, index): Step => [1, inFlight(1, `w${index}`)]);
    expect(Object.keys(play(steps, PAUSED).inFlight)).toHaveLength(100);
  });
});

test("a probe's report to an endpoint that is not probed changes nothing", () => {
  expect(play([[1, probe(PAUSED, { begun: 1 })]], PAUSED)).toEqual(PAUSED);
});

test("a burst of one goes at one attempt a second", () => {
  const circuit = { ...DEFAULT_CIRCUIT, probes: 1 };
  expect(
    rateAt(
      play([
        [0, failures(5, { circuit })],
        [30, TIME],
      ]),
      30,
    ),
  ).toBe(1);
});
