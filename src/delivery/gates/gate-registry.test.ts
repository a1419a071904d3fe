import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryOf, type GateMap, isPassable, OPEN_GATE, sameGate } from "./gate-entry.ts";
import { foldRegistry, readGate } from "./gate-registry.ts";

const PAUSED = { state: "paused", until: null } as const;

function after(messages: readonly (readonly [string, unknown])[], from: GateMap = {}): GateMap {
  return messages.reduce((gates, [name, argument]) => foldRegistry(gates, { name, argument }), from);
}

const lane = ["lane-in-use", { endpoint: "crm" }] as const;
const put = (gate: unknown, endpoint = "crm") => ["put-gate", { endpoint, gate }] as const;
const idle = (version: number) => ["lane-idle", { endpoint: "crm", version }] as const;

/** The one member of every object whose name an endpoint may have. */
test("an endpoint named constructor has an entry only where one was put", () => {
  expect(entryOf({}, "constructor")).toBeNull();
  const gates = after([put(PAUSED, "constructor")]);
  expect(entryOf(gates, "constructor")).toEqual({ ...PAUSED, laneInUse: false, version: 1 });
  expect(after([put(OPEN_GATE, "constructor")])).toEqual({});
  expect(after([["lane-in-use", { endpoint: "constructor" }]])).toEqual({
    constructor: { ...OPEN_GATE, laneInUse: true, version: 1 },
  });
});

test("a gate whose end is no moment is none: the registry's memo must not grow by what anybody may send", () => {
  for (const until of ["x".repeat(1_000_000), "soon", ""]) {
    expect(readGate({ state: "paused", until })).toBeNull();
  }
  expect(readGate({ state: "paused", until: "2026-11-29T12:00:00.000Z" })).not.toBeNull();
});

describe("the registry", () => {
  test.each([
    ["a lane in use", [lane, lane], { crm: { ...OPEN_GATE, laneInUse: true, version: 1 } }],
    ["a gate", [put(PAUSED), put(PAUSED)], { crm: { ...PAUSED, laneInUse: false, version: 1 } }],
    ["both", [lane, put(PAUSED)], { crm: { ...PAUSED, laneInUse: true, version: 2 } }],
    ["both, the other way round", [put(PAUSED), lane], { crm: { ...PAUSED, laneInUse: true, version: 2 } }],
    ["a gate that opened", [put(PAUSED), put(OPEN_GATE)], {}],
    ["a lane that fell idle", [lane, idle(1)], {}],
    [
      "a lane that was asked for since",
      [lane, put(PAUSED), put(OPEN_GATE), idle(1)],
      { crm: { ...OPEN_GATE, laneInUse: true, version: 3 } },
    ],
    ["an idle lane behind a gate", [put(PAUSED), lane, idle(2)], { crm: { ...PAUSED, laneInUse: false, version: 2 } }],
    [
      "an opened gate whose lane is in use",
      [put(PAUSED), lane, put(OPEN_GATE)],
      { crm: { ...OPEN_GATE, laneInUse: true, version: 3 } },
    ],
    [
      "a probe",
      [put({ state: "tripped", until: null, probing: { round: 7, probes: 4 } })],
      { crm: { state: "tripped", until: null, probing: { round: 7, probes: 4 }, laneInUse: false, version: 1 } },
    ],
    [
      "another probe",
      [
        put({ state: "tripped", until: null, probing: { round: 7, probes: 4 } }),
        put({ state: "tripped", until: null, probing: { round: 8, probes: 4 } }),
        put({ state: "tripped", until: null, probing: { round: 8, probes: 4 } }),
      ],
      { crm: { state: "tripped", until: null, probing: { round: 8, probes: 4 }, laneInUse: false, version: 2 } },
    ],
    [
      "a watch that ends in a drain",
      [put({ ...OPEN_GATE, watched: true }), put({ ...OPEN_GATE, ramping: true })],
      { crm: { ...OPEN_GATE, ramping: true, laneInUse: false, version: 2 } },
    ],
    ["an idle lane nobody knows", [idle(1)], {}],
  ])("keeps %s", (_, messages, expected) => {
    expect(after(messages)).toEqual(expected);
  });

  test("does not change for what makes no sense", () => {
    const known = after([lane]);
    for (const [name, argument] of [
      put({ state: "closed", until: null }),
      put({ state: "paused", until: 7 }),
      put(null),
      put("paused"),
      put(PAUSED, "Not A Name"),
      ["put-gate", null],
      ["put-gate", "crm"],
      ["lane-in-use", { endpoint: 7 }],
      ["lane-idle", { endpoint: "crm" }],
      ["nonsense", { endpoint: "crm" }],
    ] as const) {
      expect(foldRegistry(known, { name, argument })).toBe(known);
    }
    expect(readGate({ state: "tripped", until: null, probing: { round: "1" } })).toEqual({
      state: "tripped",
      until: null,
    });
    expect(readGate({ state: "tripped", until: null, probing: 7 })).toEqual({ state: "tripped", until: null });
  });

  test("takes only so many names, and goes on changing those it has", () => {
    const full = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`e${index}`, { ...OPEN_GATE, laneInUse: true, version: 1 }] as const),
    );
    expect(after([lane], full)).toBe(full);
    expect(after([put(PAUSED, "e7")], full)["e7"]).toMatchObject(PAUSED);
  });

  test("gives the last word on a gate to the last message, and raises the version with each change", () => {
    const gate = fc.constantFrom(PAUSED, { ...PAUSED, pending: true } as const, OPEN_GATE, {
      ...OPEN_GATE,
      watched: true,
    } as const);
    const message = fc.oneof(
      fc.constant(lane),
      gate.map((one) => put(one)),
      fc.integer({ min: 1, max: 5 }).map(idle),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), gate, (messages, last) => {
        const before = after(messages);
        const entry = after([put(last)], before)["crm"];
        expect(sameGate(entry ?? OPEN_GATE, last)).toBe(true);
        if (entry === undefined || before["crm"] === undefined) return;
        const { version, laneInUse: _laneInUse, ...shown } = entry;
        expect(version - before["crm"].version).toBe(sameGate(before["crm"], last) ? 0 : 1);
        expect(shown).toEqual(last);
      }),
    );
  });
});

test.each([
  [OPEN_GATE, true],
  [{ ...OPEN_GATE, watched: true }, true],
  [{ ...OPEN_GATE, ramping: true }, false],
  [PAUSED, false],
] as const)("attempts outside the lane pass %o: %s", (gate, expected) => {
  expect(isPassable(gate)).toBe(expected);
});
