import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_RETRY, QUICK_RETRY, STANDARD_RETRY } from "../delivery/policy.ts";
import { growingWaits, retry } from "./retry.ts";

const BOUNDS = { jitter: 0.2, windowMs: null, retryAfterMaxMs: 86_400_000 };

describe("retry", () => {
  test.each([
    ["standard", STANDARD_RETRY],
    ["quick", QUICK_RETRY],
    ["none", NO_RETRY],
    [{}, STANDARD_RETRY],
    [
      { jitter: 0, window: "2d", retryAfterMax: "0s" },
      { ...STANDARD_RETRY, jitter: 0, windowMs: 172_800_000, retryAfterMaxMs: 0 },
    ],
    [{ schedule: [] }, NO_RETRY],
    [
      { schedule: ["5s", "1m"], jitter: 1 },
      { ...BOUNDS, jitter: 1, scheduleMs: [5000, 60_000] },
    ],
    [{ attempts: 1 }, NO_RETRY],
    [
      { attempts: 5, initial: "1s", factor: 2, max: "4s" },
      { ...BOUNDS, scheduleMs: [1000, 2000, 4000, 4000] },
    ],
    [
      { attempts: 3, factor: 1.5 },
      { ...BOUNDS, scheduleMs: [5000, 7500] },
    ],
    [
      { attempts: 3, initial: "1d" },
      { ...BOUNDS, scheduleMs: [86_400_000, 86_400_000] },
    ],
    [
      { attempts: 3, max: "2s" },
      { ...BOUNDS, scheduleMs: [2000, 2000] },
    ],
  ])("reads %j", (raw, policy) => {
    expect(retry.parse(raw)).toEqual(policy);
  });

  test.each([
    "slow",
    "",
    5,
    null,
    [],
    { schedule: ["999ms"] },
    { schedule: "5s" },
    { schedule: Array.from({ length: 100 }, () => "1s") },
    { schedule: ["1s"], attempts: 3 },
    { attempts: 0 },
    { attempts: 101 },
    { attempts: 2.5 },
    { initial: "500ms" },
    { initial: "2h", max: "1h" },
    { factor: 0.5 },
    { factor: Number.POSITIVE_INFINITY },
    { jitter: -0.1 },
    { jitter: 1.1 },
    { jitter: Number.NaN },
    { window: 5 },
    { attempts: 3, retries: 2 },
  ])("refuses %j", (raw) => {
    expect(retry.safeParse(raw).success).toBe(false);
  });

  test("never waits less than 1 s, more than max or less than before, and always ends", () => {
    const growth = fc
      .record({
        attempts: fc.integer({ min: 1, max: 100 }),
        initialMs: fc.integer({ min: 1000, max: 36_000_000 }),
        factor: fc.double({ min: 1, max: 100, noNaN: true }),
        extraMs: fc.integer({ min: 0, max: 86_400_000 }),
      })
      .map(({ extraMs, ...rest }) => ({ ...rest, maxMs: rest.initialMs + extraMs }));
    fc.assert(
      fc.property(growth, (settings) => {
        const waits = growingWaits(settings);
        expect(waits).toHaveLength(settings.attempts - 1);
        for (const [index, waitMs] of waits.entries()) {
          expect(Number.isSafeInteger(waitMs)).toBe(true);
          expect(waitMs).toBeGreaterThanOrEqual(waits[index - 1] ?? 1000);
          expect(waitMs).toBeLessThanOrEqual(settings.maxMs);
        }
      }),
    );
  });
});
