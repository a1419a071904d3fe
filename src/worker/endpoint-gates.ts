/**
 * What this process lets through: its copy of the registry, and what it has closed by
 * itself, because it knows something that the registry cannot show yet.
 */
import { SECOND_MS } from "../delivery/durations.ts";
import { type Gate, isPassable, OPEN_GATE } from "../delivery/gates/gate-entry.ts";
import type { LaneWord } from "../activities/dependencies.ts";
import type { GateSnapshot } from "./gate-snapshot.ts";

/** After this the registry shows what was reported, or it was not worth a hold. */
const TRIP_FOR_MS = 5 * SECOND_MS;
const HELD_FIRST_MS = 2 * SECOND_MS;
const HELD_AT_MOST_MS = 15 * SECOND_MS;

export interface EndpointGates {
  /** Whether an attempt may be made outside the lane. */
  isOpen(endpoint: string): boolean;
  /** What becomes of an attempt that came by the lane; `tries` counts from 1. */
  onLane(endpoint: string, tries: number): LaneWord;
  /** No attempt outside the lane until the registry shows it, or for five seconds. */
  closeForTrip(endpoint: string): void;
  /** No attempt at all for so long; true = it was not closed that long before. */
  closeForThrottle(endpoint: string, forMs: number): boolean;
  /** The registry shows this process's own throttle as ending then. */
  throttleIsShownAs(endpoint: string, until: string | null): void;
}

interface Throttle {
  readonly endsAtMs: number;
  /** As the registry shows it; null = not known. */
  readonly shownAs: string | null;
}

export interface EndpointGateParts {
  readonly snapshot: Pick<GateSnapshot, "isTrusted" | "entry">;
  /** Monotonic, milliseconds. */
  now(): number;
}

export function createEndpointGates({ snapshot, now }: EndpointGateParts): EndpointGates {
  const trips = new Map<string, number>();
  const throttles = new Map<string, Throttle>();
  const probes = new Map<string, { readonly round: number; begun: number }>();
  const gateOf = (endpoint: string): Gate => snapshot.entry(endpoint) ?? OPEN_GATE;
  const isThrottledHere = (endpoint: string): boolean => (throttles.get(endpoint)?.endsAtMs ?? 0) > now();
  /** This process got the Retry-After itself, and its own clock has seen it end: the registry only follows. */
  const hasSeenItEnd = (endpoint: string, { state, until }: Gate): boolean => {
    const own = throttles.get(endpoint);
    return state === "throttled" && own !== undefined && own.shownAs === until && own.endsAtMs <= now();
  };
  const isTrippedHere = (endpoint: string, gate: Gate): boolean => {
    const endsAtMs = trips.get(endpoint);
    if (endsAtMs === undefined) return false;
    if (endsAtMs > now() && isPassable(gate)) return true;
    trips.delete(endpoint);
    return false;
  };
  const probe = (endpoint: string, burst: NonNullable<Gate["probing"]>): boolean => {
    const known = probes.get(endpoint);
    const own = known?.round === burst.round ? known : { round: burst.round, begun: 0 };
    if (own.begun >= burst.probes) return false;
    probes.set(endpoint, { ...own, begun: own.begun + 1 });
    return true;
  };
  return {
    isOpen(endpoint) {
      const gate = gateOf(endpoint);
      if (isThrottledHere(endpoint) || isTrippedHere(endpoint, gate) || !snapshot.isTrusted()) return false;
      return isPassable(gate) || hasSeenItEnd(endpoint, gate);
    },
    onLane(endpoint, tries) {
      const held = {
        kind: "held",
        afterMs: Math.min(HELD_AT_MOST_MS, HELD_FIRST_MS * 2 ** Math.min(tries - 1, 8)),
      } as const;
      if (isThrottledHere(endpoint)) return held;
      const gate = gateOf(endpoint);
      // An old copy decides nothing: what the server hands out, it may hand out.
      if (!snapshot.isTrusted() || gate.state === "open" || hasSeenItEnd(endpoint, gate)) return { kind: "go" };
      const { probing } = gate;
      return probing !== undefined && probe(endpoint, probing) ? { kind: "probe", round: probing.round } : held;
    },
    closeForTrip: (endpoint) => void trips.set(endpoint, now() + TRIP_FOR_MS),
    closeForThrottle(endpoint, forMs) {
      const known = throttles.get(endpoint);
      const endsAtMs = now() + forMs;
      if (known !== undefined && known.endsAtMs >= endsAtMs) return false;
      throttles.set(endpoint, { endsAtMs, shownAs: null });
      return known === undefined || endsAtMs - known.endsAtMs >= SECOND_MS;
    },
    throttleIsShownAs(endpoint, until) {
      const known = throttles.get(endpoint);
      if (known !== undefined) throttles.set(endpoint, { ...known, shownAs: until });
    },
  };
}
