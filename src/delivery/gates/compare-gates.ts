/** The three places that say whether an endpoint is held, compared: its workflow, the registry, its lane. */
import { NO_COUNTS } from "./circuit.ts";
import type { EndpointControl } from "./control.ts";
import { type Gate, gateShown, isPassable, OPEN_GATE, sameGate } from "./gate-entry.ts";
import { type LaneRate, laneRateOf, withLimit } from "./lane-rate.ts";
import { throttledUntilMs } from "./lane-reason.ts";

export interface SeenGate {
  /** Null = no workflow of the endpoint runs, or it has not begun. */
  readonly control: Omit<EndpointControl, "counts"> | null;
  /** Null = the registry has no entry. */
  readonly entry: Gate | null;
  readonly lane: { readonly ratePerSecond: LaneRate; readonly reason: string };
  /** What the endpoint's own configuration allows. */
  readonly limit: LaneRate;
}

export type Repair =
  | { readonly do: "nothing" }
  /** The endpoint's workflow applies its gate once more. */
  | { readonly do: "apply" }
  /** A hold without an owner becomes a pause, which a person can end. */
  | { readonly do: "adopt"; readonly reason: string }
  /** Nobody holds it: the lane gets its own limit, the registry's entry goes. */
  | { readonly do: "open" }
  | { readonly do: "set-rate"; readonly ratePerSecond: LaneRate };

const NOTHING: Repair = { do: "nothing" };

export function compareGates(seen: SeenGate, atMs: number): Repair {
  return seen.control === null ? withoutOwner(seen, atMs) : byOwner(seen, seen.control, atMs);
}

/** During a drain the rate changes every few seconds, by the workflow's own clock. */
function byOwner({ entry, lane, limit }: SeenGate, memo: Omit<EndpointControl, "counts">, atMs: number): Repair {
  const control: EndpointControl = { ...memo, counts: NO_COUNTS };
  const isDraining = control.recovery?.stage === "ramping";
  const isRight = isDraining || lane.ratePerSecond === withLimit(laneRateOf(control, atMs), limit);
  return isRight && sameGate(entry ?? OPEN_GATE, gateShown(control)) ? NOTHING : { do: "apply" };
}

/** What a person may have meant stays held; what a process did in passing goes when its time is over. */
function withoutOwner({ entry, lane, limit }: SeenGate, atMs: number): Repair {
  const gate = entry ?? OPEN_GATE;
  const untilMs = throttledUntilMs(lane.reason);
  const isHeld = lane.ratePerSecond === 0;
  if (isHeld && untilMs === null) return { do: "adopt", reason: `found held without a record: ${lane.reason}` };
  // Whoever adopts it knows of no Retry-After: that one ends first.
  if (isHeld && untilMs !== null && untilMs > atMs) return NOTHING;
  if (gate.state === "paused") return { do: "adopt", reason: "found paused without a record" };
  if (isHeld || !isPassable(gate) || gate.watched === true) return { do: "open" };
  return lane.ratePerSecond === limit ? NOTHING : { do: "set-rate", ratePerSecond: limit };
}
