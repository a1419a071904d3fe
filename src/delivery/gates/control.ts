/** What holds one endpoint, and how it comes back: the state its workflow folds facts into. */
import type { CircuitSettings, Counts } from "./circuit.ts";
import { NO_COUNTS } from "./circuit.ts";
import type { Ledger } from "./ledger.ts";

export type GateState = "open" | "paused" | "tripped" | "throttled";

/** A person's hold. */
export interface Pause {
  readonly actor: string;
  readonly reason: string;
  readonly atMs: number;
  /** Null = until somebody resumes. */
  readonly untilMs: number | null;
}

export type TripReason = "failures" | "credentials-refused" | "endpoint-gone";

/** The circuit's hold. */
export interface Trip {
  readonly because: TripReason;
  /** What was seen, in words. */
  readonly why: string;
  readonly atMs: number;
  /** When it is tried again; null = a person or another configuration of the endpoint must act. */
  readonly untilMs: number | null;
  /** What the endpoint was when it was refused. */
  readonly configVersion: string;
  /** What else it was, in other processes or before, and was refused as well; absent = nothing. */
  readonly refusedBefore?: readonly string[];
  /** Probes that have failed since it was last open. */
  readonly tries: number;
}

/** The endpoint's own wish, by Retry-After. */
export interface Throttle {
  readonly atMs: number;
  readonly untilMs: number;
}

/** A few attempts are let through; what they meet decides. */
export interface Probing {
  readonly stage: "probing";
  /** Tells this burst from earlier ones; a moment in time, so that no run repeats one. */
  readonly round: number;
  readonly sinceMs: number;
  readonly wanted: number;
  readonly begun: number;
  readonly succeeded: number;
  /** Ended in whatever way, the successful ones included. */
  readonly ended: number;
  readonly lastBegunMs: number | null;
  /** How often somebody has looked whether anything waits on the lane at all. */
  readonly looks: number;
  /** How long the drain that follows takes to reach full speed; 0 = open at once. */
  readonly rampMs: number;
  /** A failure brings back the pause it came from. */
  readonly strict: boolean;
  readonly from: { readonly pause: Pause | null; readonly trip: Trip | null };
}

/** The lane drains at a rising rate. */
export interface Ramping {
  readonly stage: "ramping";
  readonly sinceMs: number;
  readonly rampMs: number;
  readonly tries: number;
  /** Only what waits on the lane is slowed down; anything else may go by. */
  readonly letsBy: boolean;
}

export interface InFlight {
  readonly count: number;
  readonly atMs: number;
}

export interface EndpointControl {
  readonly endpoint: string;
  readonly pause: Pause | null;
  readonly trip: Trip | null;
  readonly throttle: Throttle | null;
  /** The report of a Retry-After that was taken in last; absent = it had none. */
  readonly throttleId?: string;
  readonly recovery: Probing | Ramping | null;
  /** As last reported; null = off, undefined = nobody has said. */
  readonly circuit?: CircuitSettings | null;
  readonly counts: Counts;
  /** Until then all processes report results, successes too; null = nobody need. */
  readonly watchUntilMs: number | null;
  /** By worker: attempts that had begun when the gate closed. */
  readonly inFlight: Readonly<Record<string, InFlight>>;
  readonly ledger: Ledger;
}

export function newControl(endpoint: string): EndpointControl {
  return {
    endpoint,
    pause: null,
    trip: null,
    throttle: null,
    recovery: null,
    counts: NO_COUNTS,
    watchUntilMs: null,
    inFlight: {},
    ledger: [],
  };
}

export function gateOf({ pause, trip, throttle, recovery }: EndpointControl): GateState {
  if (pause !== null) return "paused";
  if (trip !== null || recovery?.stage === "probing") return "tripped";
  return throttle === null ? "open" : "throttled";
}

/** Every configuration of the endpoint that was refused since it last worked. */
export function refusedVersions(
  trip: Pick<Trip, "untilMs" | "configVersion" | "refusedBefore"> | null,
): readonly string[] {
  if (trip === null) return [];
  const { untilMs, configVersion, refusedBefore = [] } = trip;
  return untilMs === null ? [...refusedBefore, configVersion] : refusedBefore;
}

/** Nothing is held, nothing is tried, nobody watches: there is nothing more to say. */
export function isAtRest(control: EndpointControl): boolean {
  const { recovery, watchUntilMs, inFlight } = control;
  const isOpen = gateOf(control) === "open" && recovery === null;
  return isOpen && watchUntilMs === null && Object.keys(inFlight).length === 0;
}
