import { describe, expect, test } from "vitest";
import { type EndpointControl, newControl } from "../delivery/gates/control.ts";
import type { EndpointSeen } from "./endpoint-run.ts";
import { endTaken, replacedPause } from "./replaced-pause.ts";

const NOON_MS = Date.parse("2026-11-29T12:00:00Z");
const FAR_MS = Date.parse("2026-11-29T18:00:00Z");
const FAR = "2026-11-29T18:00:00.000Z";
const ANA = { actor: "ana@example.com", reason: "vendor maintenance" };
const OPEN: EndpointSeen = { isRunning: true, control: newControl("crm") };

function pausedBy(pause: Partial<NonNullable<EndpointControl["pause"]>>, isRunning = true): EndpointSeen {
  const control = { ...newControl("crm"), pause: { ...ANA, atMs: NOON_MS, untilMs: null, ...pause } };
  return { isRunning, control };
}

describe("what a pause replaces", () => {
  test.each([
    ["a run that could not be read", null],
    ["an endpoint of which nothing is known", { isRunning: false, control: null }],
    ["an endpoint whose first word waits for a worker", { isRunning: true, control: null }],
    ["an open endpoint", OPEN],
    ["one whose workflow has ended", pausedBy({}, false)],
    ["a pause whose time was over while no worker ran", pausedBy({ untilMs: FAR_MS - 1 })],
  ])("is nothing after %s", (_, before) => {
    expect(replacedPause(before, FAR_MS)).toBeNull();
  });

  test("is the pause that stood, one's own too", () => {
    expect(replacedPause(pausedBy({ untilMs: FAR_MS }), NOON_MS)).toEqual({
      who: ANA.actor,
      why: ANA.reason,
      until: FAR,
    });
    expect(replacedPause(pausedBy({}), NOON_MS)).toMatchObject({ until: null });
  });
});

describe("the end of a pause", () => {
  const after = pausedBy({ untilMs: FAR_MS });

  test("is that of its record, however it was typed", () => {
    for (const before of [null, OPEN, pausedBy({ atMs: NOON_MS - 1 })]) {
      expect(endTaken({ before, after }, ANA)).toBe(FAR);
      expect(endTaken({ before, after }, { actor: ` ${ANA.actor}`, reason: `${ANA.reason} \n` })).toBe(FAR);
    }
  });

  test.each([
    ["that could not be asked", { before: OPEN, after: null }],
    ["that has none", { before: OPEN, after: pausedBy({}) }],
    ["that is not on record yet: the same words stood there before", { before: after, after }],
    ["that another one has replaced", { before: OPEN, after: pausedBy({ actor: "bo@example.com" }) }],
    ["of an endpoint that is open again", { before: OPEN, after: OPEN }],
  ])("is not told by the record of one %s", (_, runs) => {
    expect(endTaken(runs, ANA)).toBeNull();
  });
});
