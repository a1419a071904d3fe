import fc from "fast-check";
import { expect, test } from "vitest";
import { isRate, leastMs, MAX_RATE, MIN_RATE, paceOf } from "./pace.ts";

test.each([
  [20, { batch: 20, intervalMs: 1000, gapMs: 50 }],
  [100, { batch: 100, intervalMs: 1000, gapMs: 10 }],
  [1, { batch: 1, intervalMs: 1000, gapMs: 1000 }],
  [1.5, { batch: 2, intervalMs: 1334, gapMs: 1000 / 1.5 }],
  [0.5, { batch: 1, intervalMs: 2000, gapMs: 0 }],
  [0.01, { batch: 1, intervalMs: 100_000, gapMs: 0 }],
])("at %d a second a batch is %j", (rate, pace) => {
  expect(paceOf(rate)).toEqual(pace);
});

test("the pace is never above the rate, and a batch of several lasts two seconds at most", () => {
  fc.assert(
    fc.property(fc.double({ min: MIN_RATE, max: MAX_RATE, noNaN: true }), (rate) => {
      const { batch, intervalMs, gapMs } = paceOf(rate);
      expect((batch * 1000) / intervalMs).toBeLessThanOrEqual(rate * (1 + 1e-9));
      expect(gapMs * batch).toBeLessThanOrEqual(intervalMs);
      if (batch > 1) expect(intervalMs).toBeLessThanOrEqual(2000);
    }),
  );
});

test.each([0, -1, 101, Number.NaN, Number.POSITIVE_INFINITY, "10", null])("%s is no rate", (value) => {
  expect(isRate(value)).toBe(false);
});

test("so many events take at least so long", () => {
  expect([leastMs(5000, 20), leastMs(1, 0.5), leastMs(0, 10)]).toEqual([250_000, 2000, 0]);
});
