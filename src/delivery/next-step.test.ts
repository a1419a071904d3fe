import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aDeliveredAttempt, anAttempt, at, someSettings } from "../../test/support/deliveries.ts";
import type { AttemptCode, AttemptRecord } from "./attempt.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import { nextStep, type Step } from "./next-step.ts";
import { NO_RETRY, QUICK_RETRY, type RetryPolicy, STANDARD_RETRY } from "./policy.ts";

const quick = someSettings();
const careful = someSettings({ idempotent: false });
const step = (budget: readonly AttemptRecord[], settings = quick): Step =>
  nextStep({ settings, budget, synthetic: false });
const times = (count: number, changes: Partial<AttemptRecord> = {}): readonly AttemptRecord[] =>
  Array.from({ length: count }, (_, index) => anAttempt({ number: index + 1, ...changes }));
const answered = (status: number, outcome: AttemptRecord["outcome"]): AttemptRecord =>
  anAttempt({ status, code: `http_${status}`, outcome });
const unanswered = (code: AttemptCode, changes: Partial<AttemptRecord> = {}): AttemptRecord => {
  const { status: _, ...record } = anAttempt();
  return { ...record, certainty: "not-sent", code, ...changes };
};
const canceled = unanswered("canceled", { outcome: "canceled" });

describe("finishing", () => {
  test("ends a delivery with its first success", () => {
    expect(step([aDeliveredAttempt()])).toEqual({ do: "finish", state: "delivered" });
  });

  test("counts a success on the very last permitted attempt", () => {
    const last = aDeliveredAttempt({ number: 5, at: at(90 * DAY_MS) });
    const settings = someSettings({ retry: { ...QUICK_RETRY, windowMs: SECOND_MS } });
    expect(step([...times(4), last], settings)).toEqual({ do: "finish", state: "delivered" });
    expect(step([aDeliveredAttempt()], someSettings({ retry: NO_RETRY }))).toEqual({
      do: "finish",
      state: "delivered",
    });
  });

  test("tries a synthetic event once and never parks it", () => {
    for (const record of [
      anAttempt(),
      answered(400, "refused"),
      unanswered("worker_lost", { outcome: "uncertain" }),
      canceled,
    ]) {
      expect(nextStep({ settings: careful, budget: [record], synthetic: true })).toEqual({
        do: "finish",
        state: "discarded",
      });
    }
    const delivered = nextStep({ settings: quick, budget: [aDeliveredAttempt()], synthetic: true });
    expect(delivered).toEqual({ do: "finish", state: "delivered" });
  });

  test("refuses to decide about nothing", () => {
    expect(() => step([])).toThrow(RangeError);
  });
});

describe("parking", () => {
  test.each<[string, AttemptRecord, string]>([
    ["400", answered(400, "refused"), "refused"],
    ["302", answered(302, "refused"), "refused"],
    ["401", answered(401, "refused"), "credentials-refused"],
    ["403", answered(403, "refused"), "credentials-refused"],
    ["407", answered(407, "refused"), "credentials-refused"],
    ["410", answered(410, "refused"), "endpoint-gone"],
    ["a forbidden address", unanswered("blocked_address", { outcome: "refused" }), "blocked-address"],
    ["a request that cannot be formed", unanswered("request_invalid", { outcome: "refused" }), "misconfigured"],
    ["a handler's refusal", unanswered("handler_refused", { outcome: "refused" }), "handler-refused"],
  ])("parks at once after %s", (_, record, reason) => {
    expect(step([record])).toEqual({ do: "park", reason });
  });

  test("parks an uncertain outcome where a repeat may do harm, whatever the code", () => {
    const lost = unanswered("worker_lost", { outcome: "uncertain", certainty: "unknown" });
    for (const record of [lost, answered(500, "uncertain"), unanswered("timeout_total", { outcome: "uncertain" })]) {
      expect(step([record], careful)).toEqual({ do: "park", reason: "outcome-uncertain" });
      expect(step([record], quick)).toMatchObject({ do: "wait" });
    }
  });

  test("tries again at an endpoint that is not idempotent when nothing was sent", () => {
    expect(step([unanswered("connect_refused")], careful)).toMatchObject({ do: "wait" });
  });

  test("asks for a person after three certificate failures in a row", () => {
    const expired = unanswered("tls_expired");
    const other = unanswered("tls_wrong_host");
    expect(step([expired, other])).toMatchObject({ do: "wait" });
    expect(step([expired, other, expired])).toEqual({ do: "park", reason: "tls-invalid" });
    expect(step([expired, anAttempt(), expired, other])).toMatchObject({ do: "wait" });
    expect(step([expired, expired, unanswered("tls_protocol")])).toMatchObject({ do: "wait" });
  });

  test("allows a misdirected request one more connection", () => {
    const misdirected = answered(421, "retry");
    expect(step([misdirected])).toMatchObject({ do: "wait" });
    expect(step([misdirected, misdirected])).toEqual({ do: "park", reason: "refused" });
    expect(step([misdirected, anAttempt(), misdirected])).toMatchObject({ do: "wait" });
  });

  test("parks rather than undercut a Retry-After beyond the limit", () => {
    const retryAfterMs = QUICK_RETRY.retryAfterMaxMs + 1;
    expect(step([anAttempt({ retryAfterMs })])).toEqual({ do: "park", reason: "retry-after-too-long" });
    expect(step(times(5, { retryAfterMs }))).toEqual({ do: "park", reason: "retry-after-too-long" });
    expect(step([anAttempt({ retryAfterMs: retryAfterMs - 1 })])).toMatchObject({ do: "wait", why: "retry-after" });
  });

  test.each<[string, RetryPolicy, number]>([
    ["quick", QUICK_RETRY, 5],
    ["standard", STANDARD_RETRY, 8],
    ["none", NO_RETRY, 1],
  ])("parks when the attempts of the %s policy are used up", (_, retry, attempts) => {
    const settings = someSettings({ retry });
    expect(step(times(attempts), settings)).toEqual({ do: "park", reason: "attempts-exhausted" });
    if (attempts > 1) expect(step(times(attempts - 1), settings)).toMatchObject({ do: "wait" });
  });

  test("has an uncertain outcome looked up where that can be, and goes by the policy once it had no effect", () => {
    const asks = { ...careful, reconcile: true } as const;
    const lost = unanswered("worker_lost", { outcome: "uncertain", certainty: "unknown" });
    expect(step([lost], asks)).toEqual({ do: "look-up" });
    expect(step([answered(500, "uncertain")], asks)).toEqual({ do: "look-up" });
    expect(step([answered(503, "retry")], asks)).toMatchObject({ do: "wait" });
    const known = { settings: asks, synthetic: false, absent: true };
    expect(nextStep({ ...known, budget: [lost] })).toMatchObject({ do: "wait", delayMs: 1000 });
    expect(nextStep({ ...known, budget: times(5, lost) })).toEqual({ do: "park", reason: "attempts-exhausted" });
  });

  test("does not count against the window how long somebody held the delivery", () => {
    const settings = someSettings({ retry: { ...QUICK_RETRY, jitter: 0, windowMs: 10 * SECOND_MS } });
    const budget = [anAttempt(), anAttempt({ number: 2, at: at(60 * SECOND_MS) })];
    expect(nextStep({ settings, budget, synthetic: false })).toEqual({ do: "park", reason: "window-exceeded" });
    expect(nextStep({ settings, budget, synthetic: false, heldMs: 58 * SECOND_MS })).toMatchObject({ do: "wait" });
  });

  test("counts a lost attempt and an uncertain one, but not a canceled one", () => {
    const lost = unanswered("worker_lost", { outcome: "uncertain", certainty: "unknown" });
    expect(step([...times(4), lost])).toEqual({ do: "park", reason: "attempts-exhausted" });
    expect(step([canceled, canceled, ...times(4)])).toMatchObject({ do: "wait" });
    expect(step([canceled], someSettings({ retry: NO_RETRY }))).toMatchObject({ do: "wait", why: "retry" });
  });

  test("parks when the next attempt would lie outside the window", () => {
    const settings = someSettings({ retry: { ...QUICK_RETRY, jitter: 0, windowMs: 10 * SECOND_MS } });
    const first = anAttempt();
    const second = (afterMs: number): AttemptRecord => anAttempt({ number: 2, at: at(afterMs), durationMs: 500 });
    expect(step([first, second(7500)], settings)).toEqual({ do: "wait", delayMs: 2000, why: "retry" });
    expect(step([first, second(7501)], settings)).toEqual({ do: "park", reason: "window-exceeded" });
    const patient = anAttempt({ retryAfterMs: 11 * SECOND_MS });
    expect(step([patient], settings)).toEqual({ do: "park", reason: "window-exceeded" });
  });

  test("does not count the time an attempt was held into the window", () => {
    const settings = someSettings({ retry: { ...QUICK_RETRY, jitter: 0, windowMs: 10 * SECOND_MS } });
    const held = anAttempt({ number: 2, at: at(HOUR_MS), heldMs: HOUR_MS - 2 * SECOND_MS, via: "lane" });
    expect(step([anAttempt(), held], settings)).toMatchObject({ do: "wait" });
    // What the first one waited lies before the window begins.
    const tooLate = anAttempt({ number: 2, at: at(HOUR_MS) });
    expect(step([anAttempt({ heldMs: HOUR_MS }), tooLate], settings)).toEqual({
      do: "park",
      reason: "window-exceeded",
    });
  });

  test("takes clocks that disagree for no time at all", () => {
    const settings = someSettings({ retry: { ...QUICK_RETRY, jitter: 0, windowMs: 3 * SECOND_MS } });
    expect(step([anAttempt({ at: at(DAY_MS) }), anAttempt({ number: 2 })], settings)).toMatchObject({ do: "wait" });
  });
});

describe("waiting", () => {
  test.each([
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [4, 8000],
  ])("waits after attempt %i as the schedule says", (count, delayMs) => {
    expect(step(times(count))).toEqual({ do: "wait", delayMs, why: "retry" });
  });

  test("waits for the endpoint where it asks for more", () => {
    const asked = step([anAttempt({ retryAfterMs: MINUTE_MS })]);
    expect(asked).toMatchObject({ do: "wait", why: "retry-after" });
    expect(asked.do === "wait" && asked.delayMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(step([anAttempt({ retryAfterMs: 1000 })])).toMatchObject({ do: "wait", why: "retry" });
    expect(step([anAttempt({ retryAfterMs: 900 })])).toEqual({ do: "wait", delayMs: 1000, why: "retry" });
    expect(step([anAttempt({ retryAfterMs: 0 })])).toEqual({ do: "wait", delayMs: 1000, why: "retry" });
  });

  test("takes the place in the schedule from the attempts that were made", () => {
    expect(step([canceled, anAttempt({ number: 2 })])).toMatchObject({ delayMs: 1000 });
    expect(step([anAttempt(), canceled])).toMatchObject({ delayMs: 1000 });
  });

  test("spreads deliveries by their key and number, and always in the same way", () => {
    const settings = someSettings({ retry: { ...QUICK_RETRY, jitter: 1 } });
    const delays = Array.from({ length: 50 }, (_, index) =>
      step([anAttempt()], { ...settings, idempotencyKey: `cs1_${index}` }),
    );
    expect(new Set(delays.map((one) => JSON.stringify(one))).size).toBeGreaterThan(40);
    expect(step([anAttempt()], settings)).toEqual(step([anAttempt()], settings));
    expect(step([anAttempt({ number: 7 })], settings)).not.toEqual(step([anAttempt()], settings));
  });
});

const policies = fc.record<RetryPolicy>({
  scheduleMs: fc.array(fc.integer({ min: 0, max: 30 * DAY_MS }), { maxLength: 10 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  windowMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 300 * DAY_MS })),
  retryAfterMaxMs: fc.integer({ min: 0, max: 30 * DAY_MS }),
});
const codes = fc.constantFrom<AttemptCode>(
  "http_200",
  "http_421",
  "http_503",
  "connect_refused",
  "tls_expired",
  "worker_lost",
  "handler_failed",
  "canceled",
);
const records = fc
  .record({
    outcome: fc.constantFrom<AttemptRecord["outcome"]>(
      "retry",
      "retry",
      "retry",
      "delivered",
      "refused",
      "uncertain",
      "canceled",
    ),
    code: codes,
    status: fc.constantFrom(200, 400, 421, 503),
    durationMs: fc.integer({ min: 0, max: HOUR_MS }),
    retryAfterMs: fc.integer({ min: 0, max: 100 * DAY_MS }),
    heldMs: fc.integer({ min: 0, max: HOUR_MS }),
  })
  .chain((full) =>
    fc.constantFrom(full, { ...full, retryAfterMs: 0 }).map((changes): AttemptRecord => anAttempt(changes)),
  );
const runs = fc.record({
  settings: policies.chain((retry) => fc.boolean().map((idempotent) => someSettings({ retry, idempotent }))),
  script: fc.array(records, { minLength: 40, maxLength: 40 }),
});

/** Follows the steps through a script of attempts; each begins when its wait is over. */
function follow(settings: typeof quick, script: readonly AttemptRecord[]) {
  const budget: AttemptRecord[] = [];
  const steps: Step[] = [];
  let dueMs = 0;
  for (const next of script) {
    budget.push({ ...next, number: budget.length + 1, at: at(dueMs) });
    const taken = nextStep({ settings, budget, synthetic: false });
    steps.push(taken);
    if (taken.do !== "wait") break;
    dueMs += next.durationMs + taken.delayMs;
  }
  return { budget, steps };
}

describe("laws", () => {
  test("every budget ends: no more waits than the schedule has, canceled attempts aside", () => {
    fc.assert(
      fc.property(runs, ({ settings, script }) => {
        const { budget, steps } = follow(settings, script);
        const waits = steps.filter((taken) => taken.do === "wait").length;
        const canceledOnes = budget.filter(({ outcome }) => outcome === "canceled").length;
        expect(waits).toBeLessThanOrEqual(settings.retry.scheduleMs.length + canceledOnes);
      }),
    );
  });

  test("a wait is finite, whole, at least a second, and never under the schedule or Retry-After", () => {
    fc.assert(
      fc.property(runs, ({ settings, script }) => {
        const { budget, steps } = follow(settings, script);
        for (const [index, taken] of steps.entries()) {
          if (taken.do !== "wait") continue;
          const made = budget.slice(0, index + 1).filter(({ outcome }) => outcome !== "canceled").length;
          expect(Number.isSafeInteger(taken.delayMs)).toBe(true);
          expect(taken.delayMs).toBeGreaterThanOrEqual(1000);
          expect(taken.delayMs).toBeGreaterThanOrEqual(settings.retry.scheduleMs[made - 1] ?? 0);
          expect(taken.delayMs).toBeGreaterThanOrEqual(budget[index]?.retryAfterMs ?? 0);
        }
      }),
    );
  });

  test("a success finishes, wherever it comes", () => {
    fc.assert(
      fc.property(runs, ({ settings, script }) => {
        const { budget } = follow(settings, script);
        const last = aDeliveredAttempt({ number: budget.length + 1, at: at(400 * DAY_MS) });
        expect(nextStep({ settings, budget: [...budget, last], synthetic: false })).toEqual({
          do: "finish",
          state: "delivered",
        });
      }),
    );
  });

  test("an uncertain outcome is never repeated blindly where that may do harm", () => {
    fc.assert(
      fc.property(runs, ({ settings, script }) => {
        const { budget, steps } = follow({ ...settings, idempotent: false }, script);
        if (budget.at(-1)?.outcome === "uncertain")
          expect(steps.at(-1)).toEqual({ do: "park", reason: "outcome-uncertain" });
        expect(budget.slice(0, -1).every(({ outcome }) => outcome !== "uncertain")).toBe(true);
      }),
    );
  });
});
