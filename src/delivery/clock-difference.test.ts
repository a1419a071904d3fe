import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clockDifferenceMs } from "./clock-difference.ts";
import { MINUTE_MS, SECOND_MS } from "./durations.ts";

const nowMs = Date.UTC(2026, 10, 29, 12);
const dateIn = (offMs: number): string => new Date(nowMs + offMs).toUTCString();

describe("the clock of an endpoint", () => {
  test.each([
    ["ten minutes ahead", 10 * MINUTE_MS, 0, 10 * MINUTE_MS],
    ["ten minutes behind", -10 * MINUTE_MS, 0, -10 * MINUTE_MS + SECOND_MS],
    ["just over a minute ahead", MINUTE_MS + SECOND_MS, 0, MINUTE_MS + SECOND_MS],
    ["a minute ahead", MINUTE_MS, 0, null],
    ["a minute and a second behind", -MINUTE_MS - SECOND_MS, 0, null],
    ["just over that behind", -MINUTE_MS - 2 * SECOND_MS, 0, -MINUTE_MS - SECOND_MS],
    ["right", 0, 0, null],
    ["right at the begin of an answer that took ten minutes", -10 * MINUTE_MS, 10 * MINUTE_MS, null],
    ["right in the middle of it", -5 * MINUTE_MS, 10 * MINUTE_MS, null],
    ["ahead of an answer that took ten minutes", 2 * MINUTE_MS, 10 * MINUTE_MS, 2 * MINUTE_MS],
  ])("that is %s", (_what, offMs, elapsedMs, expected) => {
    expect(clockDifferenceMs({ responseDate: dateIn(offMs), nowMs, elapsedMs })).toBe(expected);
  });

  test.each([null, "", "yesterday"])("that says %j is not known", (responseDate) => {
    expect(clockDifferenceMs({ responseDate, nowMs, elapsedMs: 0 })).toBeNull();
  });

  test("whatever it says, and whatever ours says, the answer is null or more than a minute", () => {
    const date = fc.oneof(
      fc.string(),
      fc.date({ noInvalidDate: true }).map((moment) => moment.toUTCString()),
    );
    fc.assert(
      fc.property(fc.option(date), fc.double(), fc.nat(), (responseDate, clockMs, elapsedMs) => {
        const differenceMs = clockDifferenceMs({ responseDate, nowMs: clockMs, elapsedMs });
        if (differenceMs !== null) expect(Math.abs(differenceMs)).toBeGreaterThan(MINUTE_MS);
      }),
    );
  });
});
