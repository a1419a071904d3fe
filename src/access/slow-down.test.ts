import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSlowDown, type FailedAttempt } from "./slow-down.ts";

const MINUTE_MS = 60_000;
const HOME = "192.0.2.7";
const OTHER = "198.51.100.1";

function failing(times: number, { address = HOME, atMs = 0, slowDown = createSlowDown() } = {}): FailedAttempt {
  let last = { failures: 0, delayMs: 0 };
  for (let count = 0; count < times; count += 1) last = slowDown.recordFailure(address, atMs);
  return last;
}

describe("a slow-down", () => {
  test("holds back nothing at first, then longer with each failure, and never above 5 s", () => {
    const slowDown = createSlowDown();
    const delays = Array.from({ length: 10 }, () => slowDown.recordFailure(HOME, 0).delayMs);
    expect(delays).toEqual([0, 0, 0, 250, 500, 1000, 2000, 4000, 5000, 5000]);
    expect(failing(5000)).toEqual({ failures: 5000, delayMs: 5000 });
  });

  test("counts each client by itself", () => {
    const slowDown = createSlowDown();
    failing(9, { slowDown });
    expect(slowDown.recordFailure(OTHER, 0)).toEqual({ failures: 1, delayMs: 0 });
    expect(slowDown.recordFailure(HOME, 0)).toEqual({ failures: 10, delayMs: 5000 });
  });

  test("takes the addresses of one network for one client", () => {
    const slowDown = createSlowDown();
    for (const last of ["1", "2", "3", "4"]) slowDown.recordFailure(`2001:db8::${last}`, 0);
    expect([slowDown.recordFailure("2001:db8::5", 0).failures, slowDown.size()]).toEqual([5, 1]);
  });

  test("forgets who has not failed for a quarter of an hour", () => {
    const slowDown = createSlowDown();
    failing(9, { slowDown });
    expect(slowDown.recordFailure(HOME, 15 * MINUTE_MS - 1).failures).toBe(10);
    expect(slowDown.recordFailure(HOME, 30 * MINUTE_MS - 1)).toEqual({ failures: 1, delayMs: 0 });
  });

  test("forgets nobody because a clock was set back", () => {
    const slowDown = createSlowDown();
    failing(9, { slowDown, atMs: 60 * MINUTE_MS });
    expect(slowDown.recordFailure(HOME, 0).failures).toBe(10);
  });

  test("remembers a bounded number of clients, and forgets first who was silent for longest", () => {
    const slowDown = createSlowDown({ maxClients: 2 });
    for (const address of [HOME, OTHER, HOME, "203.0.113.1"]) slowDown.recordFailure(address, 0);
    expect(slowDown.size()).toBe(2);
    expect(slowDown.recordFailure(HOME, 0).failures).toBe(3);
    expect(slowDown.recordFailure(OTHER, 0).failures).toBe(1);
  });

  test("stays within its bounds, whoever fails when and how often", () => {
    const attempt = fc.record({ host: fc.nat(9), afterMs: fc.integer({ min: -MINUTE_MS, max: 20 * MINUTE_MS }) });
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (attempts, maxClients) => {
        const slowDown = createSlowDown({ maxClients });
        let nowMs = 0;
        const before = new Map<number, FailedAttempt>();
        for (const { host, afterMs } of attempts) {
          nowMs += afterMs;
          const now = slowDown.recordFailure(`192.0.2.${host}`, nowMs);
          expect(now.delayMs).toBeGreaterThanOrEqual(0);
          expect(now.delayMs).toBeLessThanOrEqual(5000);
          expect([1, (before.get(host)?.failures ?? 0) + 1]).toContain(now.failures);
          expect(slowDown.size()).toBeLessThanOrEqual(maxClients);
          before.set(host, now);
        }
      }),
    );
  });

  test("remembers ten thousand clients unless told otherwise", () => {
    const slowDown = createSlowDown();
    for (let host = 0; host < 10_001; host += 1) slowDown.recordFailure(`10.0.${host >> 8}.${host & 255}`, 0);
    expect(slowDown.size()).toBe(10_000);
  });
});
