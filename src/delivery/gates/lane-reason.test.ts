import { describe, expect, test } from "vitest";
import { compareGates } from "./compare-gates.ts";
import { takesLane, throttleReason } from "./lane-reason.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const lane = (ratePerSecond: number | null, reason = "") => ({ ratePerSecond, reason });

describe("a process that was told to wait", () => {
  test.each([
    ["could not be read", null, true],
    ["has no limit", lane(null), true],
    ["has a limit", lane(20, "limits.rate of the endpoint"), true],
    ["has no limit any more, whatever its reason says", lane(null, throttleReason(NOON_MS + 1)), true],
    ["is held for less long", lane(0, throttleReason(NOON_MS - 1)), true],
    ["is held for as long", lane(0, throttleReason(NOON_MS)), false],
    ["is held for longer", lane(0, throttleReason(NOON_MS + 1)), false],
    ["is held by a person", lane(0, "paused by ana@example.com: vendor maintenance"), false],
    ["is held by the endpoint's workflow", lane(0, "crm: hold the lane; tripped, 5 failures in a row"), false],
    ["is held without a word", lane(0), false],
  ] as const)("of a lane that %s", (_, standing, expected) => {
    expect(takesLane(standing, NOON_MS)).toBe(expected);
  });

  test("leaves a pause to be found as one where everything else that knew of it is gone", () => {
    const paused = lane(0, "paused by ana@example.com: vendor maintenance");
    const after = takesLane(paused, NOON_MS) ? lane(0, throttleReason(NOON_MS)) : paused;
    const later = compareGates({ control: null, entry: null, lane: after, limit: null }, NOON_MS + 1);
    expect(later).toEqual({
      do: "adopt",
      reason: "found held without a record: paused by ana@example.com: vendor maintenance",
    });
  });
});
