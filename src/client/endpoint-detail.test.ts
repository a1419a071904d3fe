import { describe, expect, test } from "vitest";
import { DEFAULT_CIRCUIT } from "../delivery/gates/circuit.ts";
import { newControl } from "../delivery/gates/control.ts";
import type { ControlFact } from "../delivery/gates/control-facts.ts";
import { advanceControl } from "../delivery/gates/endpoint-control.ts";
import { gateShown } from "../delivery/gates/gate-entry.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import { heldGate } from "./endpoint-detail.ts";
import { gateStatus } from "./endpoint-overview.ts";

type Happening = WithoutTime<ControlFact>;

const NOON_MS = Date.parse("2026-11-29T12:00:00Z");
const MINUTE_MS = 60_000;
const PAUSE: Happening = {
  fact: "pause",
  word: { actor: "ana@example.com", reason: "r", untilMs: null, forMs: null, earliestMs: 0 },
};
const RESUME: Happening = {
  fact: "resume",
  word: { actor: "ana@example.com", reason: "", strict: false, rampMs: 0 },
};

const ASKED: Happening = {
  fact: "reported",
  report: {
    kind: "throttled",
    retryAfterMs: MINUTE_MS,
    worker: "w1",
    configVersion: "v1",
    circuit: DEFAULT_CIRCUIT,
    lastCode: "http_429",
  },
};

/** As it is shown once the registry has taken in what the workflow knows. */
function shownAfter(...facts: readonly Happening[]) {
  const control = facts.reduce(
    (known, fact, nth) => advanceControl(known, { ...fact, atMs: NOON_MS + nth }),
    newControl("crm"),
  );
  const entry = { ...gateShown(control), version: 1, laneInUse: true };
  return heldGate(gateStatus({ crm: entry }, "crm"), control);
}

describe("within a Retry-After", () => {
  test("an endpoint says that it asked for it", () => {
    expect(shownAfter(ASKED)).toMatchObject({
      state: "throttled",
      who: "workers",
      why: "the endpoint asked for it by Retry-After",
      until: "2026-11-29T12:01:00.000Z",
    });
  });

  test("a pause is what shows, and once that is resumed the rest of the Retry-After, with its end", () => {
    expect(shownAfter(ASKED, PAUSE)).toMatchObject({ state: "paused", until: null });
    expect(shownAfter(ASKED, PAUSE, RESUME)).toEqual({
      state: "throttled",
      who: "workers",
      why: "the endpoint asked for it by Retry-After; a few attempts try it after that",
      since: "2026-11-29T12:00:00.000Z",
      until: "2026-11-29T12:01:00.000Z",
      probing: false,
      ramping: false,
    });
  });
});

test("probes are shown with what came of them", () => {
  expect(shownAfter(PAUSE, RESUME)).toMatchObject({
    state: "tripped",
    probing: true,
    who: "workers",
    why: "no probe has begun yet, 4 wanted",
  });
});
