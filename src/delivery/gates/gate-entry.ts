/** The registry of endpoints that are not plain open or whose lane is in use: its entries, and its fold over messages. */
import { type EndpointControl, gateOf, type GateState } from "./control.ts";
import { type LaneRate, letsBy } from "./lane-rate.ts";
import { textOrNull } from "./ledger.ts";

/** What every process must know of an endpoint before it makes an attempt. Absent members = no. */
export interface Gate {
  readonly state: GateState;
  /** RFC 3339; null = until somebody acts. */
  readonly until: string | null;
  /** A burst is let through: each process takes part with at most so many attempts. */
  readonly probing?: { readonly round: number; readonly probes: number };
  /** Open, but attempts go by the lane, which drains at a rising rate. */
  readonly ramping?: true;
  /** Something is amiss: all processes report their results, successes too. */
  readonly watched?: true;
  /** Put there by a person's tool: the endpoint's workflow has not taken it in yet. */
  readonly pending?: true;
}

export interface GateEntry extends Gate {
  /** Raised with each change of this entry. */
  readonly version: number;
  readonly laneInUse: boolean;
}

/** What an endpoint's workflow asks its activity to apply. */
export interface GateOrder {
  readonly v: 1;
  readonly endpoint: string;
  readonly gate: Gate;
  /** Of the gate alone: the activity adds the endpoint's own limit. */
  readonly ratePerSecond: LaneRate;
  /** For people, on the server beside the rate. */
  readonly reason: string;
}

/** What of a changed gate may stand on a counter. */
export interface GateChange {
  readonly endpoint: string;
  readonly state: GateState | "probing" | "ramping";
}

/** `refused` = this server or our rights do not allow a rate on a queue: the workers alone hold. */
export interface GateApplied {
  readonly lane: "set" | "refused";
}

/** By endpoint. */
export type GateMap = Readonly<Record<string, GateEntry>>;

/** Null = there is none. Looked up as an own member: a name may be that of a member every object has. */
export function entryOf<Entry extends Gate>(gates: Readonly<Record<string, Entry>>, endpoint: string): Entry | null {
  return (Object.hasOwn(gates, endpoint) ? gates[endpoint] : null) ?? null;
}

/** An entry that says nothing but "open". */
export const OPEN_GATE: Gate = { state: "open", until: null };

/** What the registry shows of an endpoint. */
export function gateShown(control: EndpointControl): Gate {
  const { pause, trip, throttle, recovery, watchUntilMs } = control;
  const state = gateOf(control);
  const held = { paused: pause, tripped: trip, throttled: throttle, open: null }[state];
  const isProbing = state === "tripped" && recovery?.stage === "probing" && throttle === null;
  return {
    state,
    until: textOrNull(held === null ? null : held.untilMs),
    ...(isProbing ? { probing: { round: recovery.round, probes: recovery.wanted } } : {}),
    ...(state === "open" && !letsBy(control) ? { ramping: true } : {}),
    ...(watchUntilMs === null ? {} : { watched: true }),
  };
}

export function sameGate(left: Gate, right: Gate): boolean {
  return (
    left.state === right.state &&
    left.until === right.until &&
    left.probing?.round === right.probing?.round &&
    left.ramping === right.ramping &&
    left.watched === right.watched &&
    left.pending === right.pending
  );
}

/** No attempt may begin, not even as a probe. */
export function isShut({ state, probing }: Gate): boolean {
  return state !== "open" && probing === undefined;
}

/** Attempts may be made outside the lane. */
export function isPassable({ state, ramping }: Gate): boolean {
  return state === "open" && ramping !== true;
}
