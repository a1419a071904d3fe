import { describe, expect, test } from "vitest";
import type { GateEntry } from "../delivery/gates/gate-entry.ts";
import { createEndpointGates, type EndpointGates } from "./endpoint-gates.ts";

interface Scene {
  readonly gates: EndpointGates;
  nowMs: number;
  entry: Partial<GateEntry> | null;
  trusted: boolean;
}

function aScene(entry: Partial<GateEntry> | null = null): Scene {
  const scene: Omit<Scene, "gates"> = { nowMs: 1_000_000, entry, trusted: true };
  const gates = createEndpointGates({
    snapshot: {
      isTrusted: () => scene.trusted,
      entry: () =>
        scene.entry === null ? null : { state: "open", until: null, version: 1, laneInUse: true, ...scene.entry },
    },
    now: () => scene.nowMs,
  });
  return Object.assign(scene, { gates });
}

const UNTIL = "2026-11-29T12:00:30.000Z";

describe("outside the lane", () => {
  test.each([
    [null, true],
    [{ state: "open" }, true],
    [{ state: "open", watched: true }, true],
    [{ state: "open", ramping: true }, false],
    [{ state: "paused" }, false],
    [{ state: "tripped" }, false],
    [{ state: "tripped", probing: { round: 1, probes: 4 } }, false],
    [{ state: "throttled", until: UNTIL }, false],
  ] as const)("an entry %o lets attempts by: %s", (entry, expected) => {
    expect(aScene(entry).gates.isOpen("crm")).toBe(expected);
  });

  test("nothing goes by while the copy is old", () => {
    const scene = aScene();
    scene.trusted = false;
    expect(scene.gates.isOpen("crm")).toBe(false);
  });

  test("nothing goes by after a trip of its own, for five seconds or until the registry decides", () => {
    const scene = aScene();
    scene.gates.closeForTrip("crm");
    expect([scene.gates.isOpen("crm"), scene.gates.isOpen("erp")]).toEqual([false, true]);
    scene.nowMs += 4999;
    expect(scene.gates.isOpen("crm")).toBe(false);
    scene.nowMs += 1;
    expect(scene.gates.isOpen("crm")).toBe(true);
    scene.gates.closeForTrip("crm");
    scene.entry = { state: "tripped" };
    expect(scene.gates.isOpen("crm")).toBe(false);
    scene.entry = null;
    expect(scene.gates.isOpen("crm")).toBe(true);
  });

  test("a Retry-After of its own ends to the millisecond, though the registry only follows", () => {
    const scene = aScene();
    expect(scene.gates.closeForThrottle("crm", 30_000)).toBe(true);
    scene.entry = { state: "throttled", until: UNTIL };
    scene.gates.throttleIsShownAs("crm", UNTIL);
    scene.nowMs += 29_999;
    expect(scene.gates.isOpen("crm")).toBe(false);
    scene.nowMs += 1;
    expect(scene.gates.isOpen("crm")).toBe(true);
    scene.entry = { state: "throttled", until: "2026-11-29T12:01:00.000Z" };
    expect(scene.gates.isOpen("crm")).toBe(false);
    scene.entry = { state: "paused" };
    expect(scene.gates.isOpen("crm")).toBe(false);
  });

  test("a second Retry-After only lengthens the first, and is news from a second on", () => {
    const { gates } = aScene();
    expect([30_000, 29_000, 30_500, 31_500].map((forMs) => gates.closeForThrottle("crm", forMs))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    gates.throttleIsShownAs("nobody", UNTIL);
  });
});

describe("by the lane", () => {
  test.each([
    [null, "go"],
    [{ state: "open", ramping: true }, "go"],
    [{ state: "paused" }, "held"],
    [{ state: "tripped" }, "held"],
    [{ state: "throttled", until: UNTIL }, "held"],
    [{ state: "tripped", probing: { round: 1, probes: 4 } }, "probe"],
  ] as const)("an entry %o means: %s", (entry, kind) => {
    expect(aScene(entry).gates.onLane("crm", 1).kind).toBe(kind);
  });

  test("an old copy holds nothing: the server handed it out", () => {
    const scene = aScene({ state: "paused" });
    scene.trusted = false;
    expect(scene.gates.onLane("crm", 1).kind).toBe("go");
  });

  test("a burst lets through so many and no more, the next one as many again", () => {
    const scene = aScene({ state: "tripped", probing: { round: 7, probes: 2 } });
    const kinds = (): readonly string[] => [1, 2, 3].map(() => scene.gates.onLane("crm", 1).kind);
    expect(kinds()).toEqual(["probe", "probe", "held"]);
    scene.entry = { state: "tripped", probing: { round: 8, probes: 2 } };
    expect(scene.gates.onLane("crm", 1)).toEqual({ kind: "probe", round: 8 });
  });

  test("what is held comes back later each time", () => {
    const { gates } = aScene({ state: "paused" });
    expect([1, 2, 3, 4, 100].map((tries) => gates.onLane("crm", tries))).toEqual(
      [2000, 4000, 8000, 15_000, 15_000].map((afterMs) => ({ kind: "held", afterMs })),
    );
  });

  test("a Retry-After of its own holds at once, and a trip of its own does not: the server decides", () => {
    const { gates } = aScene();
    gates.closeForTrip("crm");
    expect(gates.onLane("crm", 1).kind).toBe("go");
    gates.closeForThrottle("crm", 1000);
    expect(gates.onLane("crm", 1).kind).toBe("held");
  });
});
