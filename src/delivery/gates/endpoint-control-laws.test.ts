import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_CIRCUIT } from "./circuit.ts";
import { type EndpointControl, gateOf, newControl } from "./control.ts";
import type { ControlFact } from "./control-facts.ts";
import { advanceControl } from "./endpoint-control.ts";
import { gateShown, isPassable } from "./gate-entry.ts";
import { laneRateOf, nextRampStepMs } from "./lane-rate.ts";
import { nextTimeMs } from "./pass-time.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

const head = { worker: "w1", configVersion: "v1", circuit: DEFAULT_CIRCUIT, lastCode: "http_503" } as const;
const few = fc.integer({ min: 0, max: 6 });

/** Rounds are filled in when it is played: nobody guesses one. */
const happening = fc.oneof(
  fc.record({
    fact: fc.constant("pause" as const),
    word: fc.record({
      actor: fc.constant("ana"),
      reason: fc.constant("r"),
      untilMs: fc.constant(null),
      earliestMs: fc.constant(0),
      forMs: fc.option(fc.integer({ min: 1, max: 60_000 })),
    }),
  }),
  fc.record({
    fact: fc.constant("resume" as const),
    word: fc.record({
      actor: fc.constant("bob"),
      reason: fc.constant("r"),
      strict: fc.boolean(),
      rampMs: fc.constantFrom(0, 20_000),
    }),
  }),
  fc.record({ failures: few, successes: few, trailing: few }).map(({ failures, successes, trailing }) =>
    reported({
      kind: "failures",
      failures,
      successes,
      trailingFailures: successes === 0 ? failures : Math.min(trailing, failures),
    }),
  ),
  fc.constantFrom("credentials-refused" as const, "endpoint-gone" as const).map((kind) => reported({ kind })),
  fc.integer({ min: 0, max: 60_000 }).map((retryAfterMs) => reported({ kind: "throttled", retryAfterMs })),
  fc
    .record({ begun: few, succeeded: few, failed: fc.constantFrom(0, 0, 0, 1), others: fc.constantFrom(0, 0, 1) })
    .map((counts) => reported({ kind: "probe", round: 0, ...counts })),
  few.map((count) => reported({ kind: "in-flight", count })),
  fc.constantFrom("v1", "v2").map((configVersion) => ({ fact: "configured" as const, configVersion })),
  fc.option(few).map((held) => ({ fact: "lane-seen" as const, held })),
  fc.constant({ fact: "time-passed" as const }),
);

function reported(said: object) {
  // The members of each kind are given above.
  return { fact: "reported", report: { ...head, ...said } } as Omit<Extract<ControlFact, { fact: "reported" }>, "atMs">;
}

const story = fc.array(fc.tuple(happening, fc.integer({ min: 0, max: 20_000 })), { minLength: 1, maxLength: 40 });
type Story = readonly (readonly [typeof happening extends fc.Arbitrary<infer H> ? H : never, number])[];

interface Moment {
  readonly before: EndpointControl;
  readonly after: EndpointControl;
  readonly fact: ControlFact;
  readonly atMs: number;
}

function play(steps: Story): readonly Moment[] {
  let control = newControl("crm");
  let atMs = NOON_MS;
  return steps.map(([said, pauseMs]) => {
    atMs += pauseMs;
    const fact = inRound({ ...said, atMs }, control);
    const before = control;
    control = advanceControl(control, fact);
    return { before, after: control, fact, atMs };
  });
}

function inRound(fact: ControlFact, { recovery }: EndpointControl): ControlFact {
  if (fact.fact !== "reported" || fact.report.kind !== "probe" || recovery?.stage !== "probing") return fact;
  return { ...fact, report: { ...fact.report, round: recovery.round } };
}

const always = (law: (moment: Moment) => void): void =>
  fc.assert(fc.property(story, (steps) => play(steps).forEach((moment) => law(moment))));

describe("laws of an endpoint's control", () => {
  test("while it is held the lane's rate is 0, and nothing goes by it", () => {
    always(({ after, atMs }) => {
      const isHeld = after.pause !== null || after.trip !== null || after.throttle !== null;
      if (isHeld) expect([laneRateOf(after, atMs), isPassable(gateShown(after))]).toEqual([0, false]);
    });
  });

  test("it is never open while a pause stands, and a pause ends only by a person or by its own time", () => {
    always(({ before, after, fact, atMs }) => {
      if (after.pause !== null) expect(gateOf(after)).toBe("paused");
      if (before.pause === null || after.pause !== null) return;
      const isOver = before.pause.untilMs !== null && before.pause.untilMs <= atMs;
      expect(fact.fact === "resume" || isOver).toBe(true);
    });
  });

  test("a throttle never ends before its time, whatever happens", () => {
    always(({ before, after, atMs }) => {
      const until = before.throttle?.untilMs ?? 0;
      if (until > atMs) expect(after.throttle?.untilMs).toBeGreaterThanOrEqual(until);
    });
  });

  test("a trip without a timer ends only by a person or by another configuration", () => {
    always(({ before, after, fact }) => {
      if (before.trip === null || before.trip.untilMs !== null || after.trip !== null) return;
      expect(fact.fact === "resume" || (fact.fact === "configured" && fact.configVersion !== "v1")).toBe(true);
    });
  });

  test("a trip with a timer is not tried before its time, but by a person", () => {
    always(({ before, after, fact, atMs }) => {
      if (before.trip === null || before.trip.untilMs === null || after.trip !== null) return;
      expect(fact.fact === "resume" || before.trip.untilMs <= atMs).toBe(true);
    });
  });

  test("a probe lets through no more than its burst before it decides", () => {
    always(({ after, atMs }) => {
      const { recovery } = after;
      if (recovery?.stage !== "probing") return;
      const rate = laneRateOf(after, atMs) ?? Number.POSITIVE_INFINITY;
      expect(rate).toBeLessThanOrEqual(recovery.wanted);
      if (recovery.begun >= recovery.wanted) expect(rate).toBe(0);
      expect(isPassable(gateShown(after))).toBe(false);
    });
  });

  test("the ledger gains an entry with each change of what holds it, none else, and counts on", () => {
    always(({ before, after, fact }) => {
      const added = after.ledger.filter(({ n }) => n > (before.ledger.at(-1)?.n ?? 0));
      expect(added.map(({ n }) => n)).toEqual(added.map((_, index) => (before.ledger.at(-1)?.n ?? 0) + index + 1));
      if (gateOf(before) !== gateOf(after)) expect(added.length).toBeGreaterThan(0);
      if (fact.fact === "configured" || fact.fact === "time-passed") return;
      // What a fact says is one change; what time did before it stands in front, in the name of time.
      const bySomebody = added.filter(({ who }) => who !== "time");
      expect(bySomebody.length).toBeLessThanOrEqual(2);
    });
  });

  test("looking more often changes nothing, and at the next time something is due", () => {
    always(({ after, atMs }) => {
      expect(advanceControl(after, { fact: "time-passed", atMs })).toEqual(after);
      const next = nextTimeMs(after, atMs);
      if (next === null) {
        expect(advanceControl(after, { fact: "time-passed", atMs: atMs + 1000 * HOUR_MS })).toEqual(after);
        return;
      }
      expect(next).toBeGreaterThan(atMs);
      const later = advanceControl(after, { fact: "time-passed", atMs: next });
      const sooner = advanceControl(after, { fact: "time-passed", atMs: next - 1 });
      expect(sooner).toEqual(after);
      expect([later, laneRateOf(later, next)]).not.toEqual([sooner, laneRateOf(sooner, next - 1)]);
    });
  });

  test("it is deterministic, and its size is bounded", () => {
    fc.assert(
      fc.property(story, (steps) => {
        const moments = play(steps);
        expect(play(steps)).toEqual(moments);
        for (const { after } of moments) expect(JSON.stringify(after).length).toBeLessThan(16_000);
      }),
    );
  });

  test("left alone, it comes to rest or to a hold that only somebody ends", () => {
    fc.assert(
      fc.property(story, (steps) => {
        let { after: control, atMs } = play(steps).at(-1) ?? { after: newControl("crm"), atMs: NOON_MS };
        for (let looks = 0; looks < 60; looks += 1) {
          const next = nextTimeMs(control, atMs);
          if (next === null) break;
          atMs = next;
          control = advanceControl(control, { fact: "time-passed", atMs });
        }
        // A burst in which nothing ends is tried again and again: that needs somebody's attempts.
        expect(nextTimeMs(control, atMs) === null || control.recovery?.stage === "probing").toBe(true);
      }),
    );
  });
});

describe("laws of a ramp", () => {
  const ramp = fc.record({ rampMs: fc.integer({ min: 1, max: 7 * 24 * HOUR_MS }), sinceMs: fc.constant(NOON_MS) });

  test("it only rises, begins low, and ends open", () => {
    fc.assert(
      fc.property(
        ramp,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }),
        ({ rampMs, sinceMs }, parts) => {
          const recovery = { stage: "ramping", sinceMs, rampMs, tries: 0, letsBy: false } as const;
          const control: EndpointControl = { ...newControl("crm"), recovery };
          const times = [0, ...parts.toSorted((left, right) => left - right)].map(
            (part) => sinceMs + Math.floor(part * (rampMs - 1)),
          );
          const rates = times.map((atMs) => laneRateOf(control, atMs) ?? Number.NaN);
          expect(rates[0]).toBe(4);
          expect(rates).toEqual(rates.toSorted((left, right) => left - right));
          expect(laneRateOf(control, sinceMs + rampMs)).toBeNull();
          for (const atMs of times) {
            const stepMs = nextRampStepMs(recovery, atMs);
            expect(stepMs).toBeGreaterThan(atMs);
            expect(stepMs).toBeLessThanOrEqual(sinceMs + rampMs);
            expect(laneRateOf(control, stepMs - 1)).toBe(laneRateOf(control, atMs));
          }
        },
      ),
    );
  });
});

describe("several workers", () => {
  test("whose failures in a row are enough only together trip the endpoint exactly once", () => {
    const parts = fc.array(fc.tuple(fc.constantFrom("w1", "w2", "w3"), fc.integer({ min: 1, max: 4 })), {
      minLength: 5,
      maxLength: 20,
    });
    fc.assert(
      fc.property(parts, (reports) => {
        const moments = play(
          reports.map(([worker, failures]) => [
            reported({ kind: "failures", failures, successes: 0, trailingFailures: failures, worker }),
            100,
          ]),
        );
        const { ledger } = moments.at(-1)?.after ?? newControl("crm");
        expect(ledger.map(({ what }) => what)).toEqual(["tripped"]);
      }),
    );
  });
});
