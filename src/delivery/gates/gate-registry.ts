/** The registry's fold: its map after one more message. Anybody may send one: what makes no sense changes nothing. */
import { EVENT_MEMBERS } from "../event-members.ts";
import { membersOf } from "../message-members.ts";
import { isName } from "../names.ts";
import type { GateState } from "./control.ts";
import { entryOf, type Gate, type GateEntry, type GateMap, OPEN_GATE, sameGate } from "./gate-entry.ts";

/** As a signal brings it; `argument` is untrusted. */
export interface RegistryMessage {
  readonly name: string;
  readonly argument: unknown;
}

/** Far above what one namespace needs, and well within what a memo holds. */
const MAX_ENTRIES = 5000;

/** The same map where nothing changes. */
export function foldRegistry(gates: GateMap, { name, argument }: RegistryMessage): GateMap {
  const { endpoint, version, gate } = membersOf(argument);
  if (typeof endpoint !== "string" || !isName(endpoint)) return gates;
  const isNew = !Object.hasOwn(gates, endpoint);
  if (isNew && Object.keys(gates).length >= MAX_ENTRIES) return gates;
  switch (name) {
    case "lane-in-use":
      return withLane(gates, endpoint);
    case "lane-idle":
      return withoutLane(gates, endpoint, version);
    case "put-gate":
      return withGate(gates, endpoint, readGate(gate));
    default:
      return gates;
  }
}

function withLane(gates: GateMap, endpoint: string): GateMap {
  const entry = entryOf(gates, endpoint);
  if (entry?.laneInUse === true) return gates;
  return { ...gates, [endpoint]: { ...OPEN_GATE, ...entry, laneInUse: true, version: nextVersion(entry) } };
}

function nextVersion(entry: GateEntry | null): number {
  return (entry?.version ?? 0) + 1;
}

/** A lane goes only if nobody asked for it since the version that was seen idle. */
function withoutLane(gates: GateMap, endpoint: string, version: unknown): GateMap {
  const entry = entryOf(gates, endpoint);
  if (entry === null || entry.version !== version) return gates;
  return settled(gates, endpoint, { ...entry, laneInUse: false });
}

function withGate(gates: GateMap, endpoint: string, gate: Gate | null): GateMap {
  if (gate === null) return gates;
  const entry = entryOf(gates, endpoint);
  if (sameGate(entry ?? OPEN_GATE, gate)) return gates;
  return settled(gates, endpoint, { ...gate, laneInUse: entry?.laneInUse ?? false, version: nextVersion(entry) });
}

/** Plain open, and its lane not in use: no entry says the same. */
function settled(gates: GateMap, endpoint: string, entry: GateEntry): GateMap {
  if (entry.laneInUse || !sameGate(entry, OPEN_GATE)) return { ...gates, [endpoint]: entry };
  const { [endpoint]: _gone, ...rest } = gates;
  return rest;
}

const STATES: readonly unknown[] = ["open", "paused", "tripped", "throttled"] satisfies readonly GateState[];

/** Null = it is none. */
export function readGate(value: unknown): Gate | null {
  const { state, until, probing, ramping, watched, pending } = membersOf(value);
  if (!isState(state)) return null;
  if (until !== null && (typeof until !== "string" || EVENT_MEMBERS.time.problem(until) !== null)) return null;
  return {
    state,
    until,
    ...probingOf(probing),
    ...(ramping === true ? { ramping } : {}),
    ...(watched === true ? { watched } : {}),
    ...(pending === true ? { pending } : {}),
  };
}

function isState(value: unknown): value is GateState {
  return STATES.includes(value);
}

function probingOf(value: unknown): Pick<Gate, "probing"> {
  const { round, probes } = membersOf(value);
  return typeof round === "number" && typeof probes === "number" ? { probing: { round, probes } } : {};
}
