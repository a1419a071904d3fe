/**
 * What a process knows of all gates: the registry as it was read last, and what one that was lost had shown closed.
 *
 * The registry runs for ever, so one that is gone was ended by hand, or with its server. What held endpoints then still
 * stands in their workflows and on their lanes, and is entered anew within about a minute; until then an empty registry
 * says nothing about them.
 */
import { MINUTE_MS } from "../durations.ts";
import { entryOf, type GateEntry, type GateMap, isPassable, OPEN_GATE, sameGate } from "./gate-entry.ts";

export interface RegistryReading {
  readonly gates: GateMap;
  /** Tells a registry from one that was started after it; null = none runs. */
  readonly chain: string | null;
}

export interface KnownGates {
  /** As the registry itself says. */
  readonly shown: GateMap;
  readonly chain: string | null;
  /** Closed under a registry that is lost, and not said anew by the present one. */
  readonly kept: GateMap;
  readonly keptUntilMs: number;
}

export const NO_KNOWN_GATES: KnownGates = { shown: {}, chain: null, kept: {}, keptUntilMs: 0 };

/** The look that puts registry, workflows and lanes right comes every minute, and takes a while. */
const KEPT_FOR_MS = 2 * MINUTE_MS;

/** After one more reading. */
export function afterReading(known: KnownGates, { gates: shown, chain }: RegistryReading, atMs: number): KnownGates {
  const isLost = known.chain !== null && known.chain !== chain;
  const kept = isLost ? { ...known.kept, ...closedIn(known.shown) } : known.kept;
  const keptUntilMs = isLost ? atMs + KEPT_FOR_MS : known.keptUntilMs;
  return { shown, chain, kept: atMs < keptUntilMs ? stillKept({ kept, shown }, atMs) : {}, keptUntilMs };
}

/** What counts: a gate that was kept, but for what the registry says of its lane. */
export function gatesIn({ shown, kept }: Pick<KnownGates, "shown" | "kept">): GateMap {
  const entries = Object.entries(kept).map(([endpoint, entry]): readonly [string, GateEntry] => {
    const { laneInUse, version } = entryOf(shown, endpoint) ?? { laneInUse: false, version: entry.version };
    return [endpoint, { ...entry, laneInUse, version }];
  });
  return entries.length === 0 ? shown : { ...shown, ...Object.fromEntries(entries) };
}

function closedIn(gates: GateMap): GateMap {
  return Object.fromEntries(Object.entries(gates).filter(([, entry]) => !isPassable(entry)));
}

/** Until the registry says what holds it now. "Open" is no such word: it stands there as soon as a lane is in use. */
function stillKept({ kept, shown }: Pick<KnownGates, "shown" | "kept">, atMs: number): GateMap {
  const isKept = ([endpoint, { state, until }]: readonly [string, GateEntry]): boolean => {
    // At its end it is plain open, which leaves no entry.
    if (state === "throttled" && until !== null && Date.parse(until) <= atMs) return false;
    return sameGate(entryOf(shown, endpoint) ?? OPEN_GATE, OPEN_GATE);
  };
  return Object.fromEntries(Object.entries(kept).filter(isKept));
}
