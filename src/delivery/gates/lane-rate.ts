/** The rate at which the server may hand out what waits on an endpoint's lane. */
import { SECOND_MS } from "../durations.ts";
import { type EndpointControl, gateOf, type Ramping } from "./control.ts";

/** Attempts per second; 0 = none, null = no limit. */
export type LaneRate = number | null;

/**
 * The server shares a rate out over four partitions, and lets each have one attempt at once: a probe is a rate of
 * 1 to 4, and a fraction would let nothing through for a long time.
 */
const PROBE_RATE = 4;
const RAMP_FROM = 4;
/** What the last step of a ramp has reached, 4 × 2⁸; then the limit goes. */
const RAMP_DOUBLINGS = 8;
const MAX_STEPS = 10;
/** A changed rate takes effect within about a second. */
const MIN_STEP_MS = 2 * SECOND_MS;

/** What the gate allows at that moment; the endpoint's own limit comes on top with `withLimit`. */
export function laneRateOf(control: EndpointControl, atMs: number): LaneRate {
  const { pause, trip, throttle, recovery } = control;
  if (pause !== null || trip !== null || throttle !== null) return 0;
  if (recovery?.stage === "probing")
    return recovery.begun < recovery.wanted ? Math.min(recovery.wanted, PROBE_RATE) : 0;
  return recovery === null ? null : rampRate(recovery, atMs);
}

/** The lower of the two. */
export function withLimit(rate: LaneRate, limit: LaneRate): LaneRate {
  if (rate === null || limit === null) return rate ?? limit;
  return Math.min(rate, limit);
}

function rampRate(ramping: Ramping, atMs: number): LaneRate {
  const steps = stepsOf(ramping);
  const step = Math.floor(((atMs - ramping.sinceMs) * steps) / ramping.rampMs);
  if (step >= steps) return null;
  return Math.round(RAMP_FROM * 2 ** ((RAMP_DOUBLINGS * Math.max(0, step)) / steps));
}

function stepsOf({ rampMs }: Ramping): number {
  return Math.min(MAX_STEPS, Math.max(1, Math.floor(rampMs / MIN_STEP_MS)));
}

/** The first step that begins after `atMs`; the end of the ramp is the last one. */
export function nextRampStepMs(ramping: Ramping, atMs: number): number {
  const steps = stepsOf(ramping);
  const stepMs = ramping.rampMs / steps;
  const step = Math.floor((atMs - ramping.sinceMs) / stepMs) + 1;
  return Math.ceil(ramping.sinceMs + Math.min(steps, Math.max(1, step)) * stepMs);
}

/** Whether attempts may be made outside the lane. */
export function letsBy(control: EndpointControl): boolean {
  return gateOf(control) === "open" && (control.recovery?.stage !== "ramping" || control.recovery.letsBy);
}
