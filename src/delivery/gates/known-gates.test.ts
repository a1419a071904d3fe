import { describe, expect, test } from "vitest";
import { type Gate, type GateEntry, OPEN_GATE } from "./gate-entry.ts";
import { afterReading, gatesIn, type KnownGates, NO_KNOWN_GATES, type RegistryReading } from "./known-gates.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const MINUTE_MS = 60_000;
const SOON = new Date(NOON_MS + MINUTE_MS).toISOString();

const entry = (gate: Gate, more: Partial<GateEntry> = {}): GateEntry => ({
  ...gate,
  laneInUse: true,
  version: 7,
  ...more,
});
const paused = entry({ state: "paused", until: null });
const throttled = entry({ state: "throttled", until: SOON });
const LOST: RegistryReading = { gates: {}, chain: null };
const BEFORE: RegistryReading = {
  chain: "first",
  gates: {
    crm: paused,
    erp: throttled,
    slow: entry({ ...OPEN_GATE, ramping: true }),
    shop: entry({ ...OPEN_GATE, watched: true }),
    mail: entry(OPEN_GATE),
  },
};

/** Each reading after so many milliseconds. */
function read(readings: readonly (readonly [number, RegistryReading])[], from: KnownGates = NO_KNOWN_GATES) {
  return readings.reduce((known, [afterMs, reading]) => afterReading(known, reading, NOON_MS + afterMs), from);
}

const knowing = read([[0, BEFORE]]);

describe("a process that has read the registry", () => {
  test("knows what it shows, and nothing else", () => {
    expect(gatesIn(NO_KNOWN_GATES)).toEqual({});
    expect(gatesIn(read([[0, LOST]]))).toEqual({});
    expect(gatesIn(knowing)).toEqual(BEFORE.gates);
    const opened = { chain: "first", gates: {} };
    expect(gatesIn(read([[1, opened]], knowing))).toEqual({});
  });

  test("goes on knowing what was closed when it is lost, and nothing of lanes", () => {
    const { shown, kept } = read([[1, LOST]], knowing);
    expect(shown).toEqual({});
    expect(gatesIn({ shown, kept })).toEqual({
      crm: { ...paused, laneInUse: false },
      erp: { ...throttled, laneInUse: false },
      slow: { ...OPEN_GATE, ramping: true, laneInUse: false, version: 7 },
    });
  });

  test("does so as well where another one runs already, whatever that says of lanes", () => {
    const anew: RegistryReading = { chain: "second", gates: { crm: entry(OPEN_GATE, { version: 1 }) } };
    for (const known of [
      read([[1, anew]], knowing),
      read(
        [
          [1, LOST],
          [2, anew],
        ],
        knowing,
      ),
    ]) {
      expect(gatesIn(known)).toMatchObject({
        crm: { state: "paused", laneInUse: true, version: 1 },
        erp: throttledThen,
      });
    }
  });

  const throttledThen = { state: "throttled", until: SOON, laneInUse: false };

  test("believes the other one once it says what holds an endpoint, also after that", () => {
    const tripped = { chain: "second", gates: { crm: entry({ state: "tripped", until: null }, { version: 1 }) } };
    const said = read(
      [
        [1, LOST],
        [2, tripped],
      ],
      knowing,
    );
    expect(gatesIn(said)["crm"]).toEqual(tripped.gates.crm);
    expect(gatesIn(read([[3, { chain: "second", gates: {} }]], said))).not.toHaveProperty("crm");
  });

  test("forgets a Retry-After at its end, and all else after two minutes", () => {
    const lost = read([[1, LOST]], knowing);
    expect(Object.keys(gatesIn(read([[MINUTE_MS - 1, LOST]], lost)))).toEqual(["crm", "erp", "slow"]);
    expect(Object.keys(gatesIn(read([[MINUTE_MS, LOST]], lost)))).toEqual(["crm", "slow"]);
    expect(Object.keys(gatesIn(read([[2 * MINUTE_MS, LOST]], lost)))).toEqual(["crm", "slow"]);
    expect(gatesIn(read([[2 * MINUTE_MS + 1, LOST]], lost))).toEqual({});
  });

  test("keeps to what it knew of the first where the second is lost as well", () => {
    const second: RegistryReading = { chain: "second", gates: { hr: paused } };
    const twice = read(
      [
        [1, LOST],
        [2, second],
        [3, LOST],
      ],
      knowing,
    );
    expect(Object.keys(gatesIn(twice)).toSorted()).toEqual(["crm", "erp", "hr", "slow"]);
  });
});
