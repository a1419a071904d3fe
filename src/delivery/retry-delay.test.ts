import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import { NO_RETRY, QUICK_RETRY, STANDARD_RETRY, type RetryPolicy } from "./policy.ts";
import { computeDelayMs, jitterFraction } from "./retry-delay.ts";

const withoutJitter = (policy: RetryPolicy): RetryPolicy => ({ ...policy, jitter: 0 });

const waits = fc.integer({ min: 0, max: 30 * DAY_MS });
const policies = fc.record({
  scheduleMs: fc.array(waits, { maxLength: 12 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  windowMs: fc.constant(null),
  retryAfterMaxMs: fc.constant(DAY_MS),
});
const attempts = fc.integer({ min: 1, max: 20 });

function ownWaitMs({ scheduleMs }: RetryPolicy, attempt: number): number {
  return scheduleMs[Math.min(attempt, scheduleMs.length) - 1] ?? 0;
}

describe("computeDelayMs", () => {
  test.each([
    [1, 5 * SECOND_MS],
    [2, 5 * MINUTE_MS],
    [3, 30 * MINUTE_MS],
    [4, 2 * HOUR_MS],
    [5, 5 * HOUR_MS],
    [6, 10 * HOUR_MS],
    [7, 10 * HOUR_MS],
    [8, 10 * HOUR_MS],
  ])("waits after attempt %i as the standard schedule says", (attemptInBudget, delayMs) => {
    const policy = withoutJitter(STANDARD_RETRY);
    expect(computeDelayMs({ policy, attemptInBudget, retryAfterMs: null, seed: "" })).toBe(delayMs);
  });

  test("lets a longer Retry-After decide and spreads everybody above it", () => {
    const delays = Array.from({ length: 200 }, (_, index) =>
      computeDelayMs({
        policy: QUICK_RETRY,
        attemptInBudget: 1,
        retryAfterMs: HOUR_MS,
        seed: `cs1_${index}`,
      }),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(HOUR_MS);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.2 * HOUR_MS);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(0.15 * HOUR_MS);
  });

  test("spreads over a second when the hint is short or the policy has no jitter", () => {
    const delays = Array.from({ length: 200 }, (_, index) =>
      computeDelayMs({
        policy: withoutJitter(QUICK_RETRY),
        attemptInBudget: 1,
        retryAfterMs: 2000,
        seed: `${index}`,
      }),
    );
    expect(Math.min(...delays)).toBeLessThan(2100);
    expect(Math.max(...delays)).toBeGreaterThan(2900);
    expect(Math.max(...delays)).toBeLessThan(3000);
  });

  test("adds no more than 20 % to a hint, whatever the jitter", () => {
    fc.assert(
      fc.property(fc.integer({ min: 5 * SECOND_MS, max: 30 * DAY_MS }), fc.string(), (retryAfterMs, seed) => {
        const policy = { ...NO_RETRY, jitter: 1 };
        expect(computeDelayMs({ policy, attemptInBudget: 1, retryAfterMs, seed })).toBeLessThanOrEqual(
          1.2 * retryAfterMs,
        );
      }),
    );
  });

  test("keeps backing off under Retry-After: 0", () => {
    const delays = [1, 2, 3, 4].map((attemptInBudget) =>
      computeDelayMs({
        policy: withoutJitter(QUICK_RETRY),
        attemptInBudget,
        retryAfterMs: 0,
        seed: "",
      }),
    );
    expect(delays).toEqual([1000, 2000, 4000, 8000]);
  });

  test("never waits less than a second, even without a schedule", () => {
    expect(
      computeDelayMs({
        policy: withoutJitter(NO_RETRY),
        attemptInBudget: 1,
        retryAfterMs: null,
        seed: "",
      }),
    ).toBe(1000);
  });

  test("rounds up, never below what was asked", () => {
    const policy = { ...NO_RETRY, jitter: 0, scheduleMs: [1500.2] };
    expect(computeDelayMs({ policy, attemptInBudget: 1, retryAfterMs: null, seed: "" })).toBe(1501);
    expect(computeDelayMs({ policy, attemptInBudget: 1, retryAfterMs: 2000.2, seed: "" })).toBeGreaterThanOrEqual(2001);
  });

  test("is never under schedule or hint, and at most jitter and one second above the longer", () => {
    fc.assert(
      fc.property(policies, attempts, fc.option(waits), fc.string(), (policy, attemptInBudget, retryAfterMs, seed) => {
        const delayMs = computeDelayMs({ policy, attemptInBudget, retryAfterMs, seed });
        const floorMs = Math.max(SECOND_MS, ownWaitMs(policy, attemptInBudget), retryAfterMs ?? 0);
        expect(delayMs).toBeGreaterThanOrEqual(floorMs);
        expect(delayMs).toBeLessThanOrEqual((1 + policy.jitter) * floorMs + SECOND_MS);
      }),
    );
  });

  test("never shrinks from attempt to attempt of a growing schedule without jitter", () => {
    fc.assert(
      fc.property(policies, attempts, fc.string(), (policy, attempt, seed) => {
        const growing = {
          ...policy,
          jitter: 0,
          scheduleMs: policy.scheduleMs.toSorted((a, b) => a - b),
        };
        const delayAfter = (attemptInBudget: number): number =>
          computeDelayMs({ policy: growing, attemptInBudget, retryAfterMs: null, seed });
        expect(delayAfter(attempt + 1)).toBeGreaterThanOrEqual(delayAfter(attempt));
      }),
    );
  });

  test("gives equal delays for equal inputs, and finite whole ones of at least a second for any numbers", () => {
    const anyNumber = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, -0));
    const anyPolicy = fc.record({
      scheduleMs: fc.array(anyNumber),
      jitter: anyNumber,
      windowMs: fc.constant(null),
      retryAfterMaxMs: anyNumber,
    });
    fc.assert(
      fc.property(
        anyPolicy,
        anyNumber,
        fc.option(anyNumber),
        fc.string(),
        (policy, attemptInBudget, retryAfterMs, seed) => {
          const delayMs = computeDelayMs({ policy, attemptInBudget, retryAfterMs, seed });
          expect(Number.isSafeInteger(delayMs)).toBe(true);
          expect(delayMs).toBeGreaterThanOrEqual(SECOND_MS);
          expect(computeDelayMs({ policy, attemptInBudget, retryAfterMs, seed })).toBe(delayMs);
        },
      ),
    );
  });
});

describe("jitterFraction", () => {
  // Recorded histories depend on these values. MurmurHash3's finish of the FNV-1a offset basis, and of two keys.
  test.each([
    ["", 0xab3e7c0b],
    ["cs1_a:1", 0x82e87cf7],
    ["苗:2", 0x3c2766bf],
  ])("is for ever the same for %j", (seed, hash) => {
    expect(jitterFraction(seed)).toBe(hash / 2 ** 32);
  });

  test("lies from 0 up to 1 for any seed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (seed) => {
        expect(jitterFraction(seed)).toBeGreaterThanOrEqual(0);
        expect(jitterFraction(seed)).toBeLessThan(1);
      }),
    );
  });

  test("spreads seeds that differ only in their last digits evenly", () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let index = 0; index < 10_000; index += 1) {
      const tenth = Math.floor(jitterFraction(`cs1_key:${index}`) * 10);
      tenths[tenth] = Number(tenths[tenth]) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(900);
    expect(Math.max(...tenths)).toBeLessThan(1100);
  });
});
