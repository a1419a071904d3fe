import { describe, expect, test } from "vitest";
import { type EndpointControl, newControl, type Probing } from "./control.ts";
import { type LaneRate, laneRateOf, withLimit } from "./lane-rate.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);

function probing(changes: Partial<Probing>): EndpointControl {
  const burst = { round: NOON_MS, sinceMs: NOON_MS, begun: 0, succeeded: 0, ended: 0, lastBegunMs: null, looks: 0 };
  const from = { pause: null, trip: null };
  const recovery: Probing = { stage: "probing", ...burst, wanted: 4, rampMs: 0, strict: false, from, ...changes };
  return { ...newControl("crm"), recovery };
}

describe("the rate of a lane whose endpoint is tried", () => {
  test.each([
    [1, 0, 1],
    [3, 0, 3],
    [4, 0, 4],
    [4, 3, 4],
    [4, 4, 0],
    [4, 9, 0],
    [50, 0, 4],
    [50, 49, 4],
    [50, 50, 0],
  ])("by %i probes of which %i have begun is %i: what waits comes a few at a time", (wanted, begun, rate) => {
    expect(laneRateOf(probing({ wanted, begun }), NOON_MS)).toBe(rate);
  });

  test("is lifted only by its end", () => {
    expect(laneRateOf(newControl("crm"), NOON_MS)).toBeNull();
  });
});

test.each<readonly [LaneRate, LaneRate, LaneRate]>([
  [null, null, null],
  [null, 20, 20],
  [4, null, 4],
  [4, 20, 4],
  [4, 2, 2],
  [0, 20, 0],
  [0, null, 0],
])("a gate's %s under an endpoint's own %s makes %s", (rate, limit, expected) => {
  expect(withLimit(rate, limit)).toBe(expected);
});
