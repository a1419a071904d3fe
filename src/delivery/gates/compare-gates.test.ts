import { describe, expect, test } from "vitest";
import { compareGates, type SeenGate } from "./compare-gates.ts";
import { type EndpointControl, newControl } from "./control.ts";
import { advanceControl } from "./endpoint-control.ts";
import { OPEN_GATE } from "./gate-entry.ts";
import { throttleReason } from "./lane-reason.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const open = newControl("crm");
const paused = advanceControl(open, {
  fact: "pause",
  word: { actor: "ana", reason: "r", untilMs: null, forMs: null, earliestMs: 0 },
  atMs: NOON_MS,
});
const draining: EndpointControl = {
  ...open,
  recovery: { stage: "ramping", sinceMs: NOON_MS, rampMs: 60_000, tries: 0, letsBy: false },
};
const PAUSED = { state: "paused", until: null } as const;
const lane = (ratePerSecond: number | null, reason = "") => ({ ratePerSecond, reason });
const seen = (changes: Partial<SeenGate>): SeenGate => ({
  control: null,
  entry: null,
  lane: lane(null),
  limit: null,
  ...changes,
});

describe("an endpoint whose workflow runs", () => {
  test.each([
    ["is right", { control: paused, entry: PAUSED, lane: lane(0) }, "nothing"],
    ["is right within its own limit", { control: open, lane: lane(20), limit: 20 }, "nothing"],
    ["is not held on the server", { control: paused, entry: PAUSED }, "apply"],
    ["is not held in the registry", { control: paused, lane: lane(0) }, "apply"],
    ["is held though it is open", { control: open, lane: lane(0) }, "apply"],
    ["drains at some rate", { control: draining, entry: { ...OPEN_GATE, ramping: true }, lane: lane(16) }, "nothing"],
    ["drains and nobody knows", { control: draining, lane: lane(16) }, "apply"],
  ] as const)("%s", (_, changes, expected) => {
    expect(compareGates(seen(changes), NOON_MS)).toEqual({ do: expected });
  });
});

describe("an endpoint without a workflow", () => {
  test.each([
    ["is open", {}, { do: "nothing" }],
    ["has a lane in use", { entry: OPEN_GATE }, { do: "nothing" }],
    ["has its limit", { lane: lane(20), limit: 20 }, { do: "nothing" }],
    ["lacks its limit", { limit: 20 }, { do: "set-rate", ratePerSecond: 20 }],
    ["has a limit of old", { lane: lane(20) }, { do: "set-rate", ratePerSecond: null }],
    [
      "is held on the server",
      { lane: lane(0, "by hand") },
      { do: "adopt", reason: "found held without a record: by hand" },
    ],
    ["is paused in the registry", { entry: PAUSED }, { do: "adopt", reason: "found paused without a record" }],
    ["is said to be tripped", { entry: { state: "tripped", until: null } }, { do: "open" }],
    ["is said to be watched", { entry: { ...OPEN_GATE, watched: true } }, { do: "open" }],
    ["is throttled by a process", { lane: lane(0, throttleReason(NOON_MS + 1)) }, { do: "nothing" }],
    ["was throttled by a process", { lane: lane(0, throttleReason(NOON_MS)) }, { do: "open" }],
    [
      "is throttled by a process and paused in the registry",
      { lane: lane(0, throttleReason(NOON_MS + 1)), entry: PAUSED },
      { do: "nothing" },
    ],
    [
      "was throttled by a process and is paused in the registry",
      { lane: lane(0, throttleReason(NOON_MS)), entry: PAUSED },
      { do: "adopt", reason: "found paused without a record" },
    ],
  ] as const)("%s", (_, changes, expected) => {
    expect(compareGates(seen(changes), NOON_MS)).toEqual(expected);
  });
});
