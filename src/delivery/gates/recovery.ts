/** How a held endpoint comes back: a burst of probes, then a drain at a rising rate, then open. */
import { counted } from "../counted.ts";
import { SECOND_MS } from "../durations.ts";
import { DEFAULT_CIRCUIT, NO_COUNTS, openForMs } from "./circuit.ts";
import { type EndpointControl, type Probing, type Ramping, refusedVersions, type Trip } from "./control.ts";
import { entered, type LedgerEvent } from "./ledger.ts";

/** After the last probe has begun: if all that began have ended by then, no more are waiting. */
const SETTLE_MS = 3 * SECOND_MS;
/** A probe whose end nobody reports, because its worker died, is given up after this; then comes another burst. */
const ROUND_MS = 60 * SECOND_MS;
/** After a Retry-After: whatever has gathered must not come at once. */
const THROTTLE_RAMP_MS = 10 * SECOND_MS;
/** More configurations than that at once are no fleet. */
const MAX_REFUSED = 20;
const MAX_CIRCUIT_RAMP_MS = 60 * SECOND_MS;

/** Why and how probing begins. */
export interface ProbeOrder {
  readonly atMs: number;
  readonly what: Extract<LedgerEvent, "resumed" | "probing" | "pause-ended">;
  readonly who: string;
  readonly why: string;
  readonly rampMs: number;
  readonly strict: boolean;
}

/** Lifts pause and trip, and lets a few attempts through. */
export function beginProbing(control: EndpointControl, order: ProbeOrder): EndpointControl {
  const { atMs, what, who, why, rampMs, strict } = order;
  const { pause, trip, circuit } = control;
  const probing: Probing = {
    stage: "probing",
    ...burst(atMs),
    sinceMs: atMs,
    wanted: (circuit ?? DEFAULT_CIRCUIT).probes,
    looks: 0,
    rampMs,
    strict,
    from: { pause, trip },
  };
  const ledger = entered(control.ledger, { atMs, what, who, why });
  return { ...control, pause: null, trip: null, recovery: probing, inFlight: {}, ledger };
}

/** The circuit tries again by itself. */
export function probeByTime(control: EndpointControl, atMs: number): EndpointControl {
  const { openMs } = control.circuit ?? DEFAULT_CIRCUIT;
  const rampMs = Math.min(openMs, MAX_CIRCUIT_RAMP_MS);
  const why = "its time is over: a few attempts try the endpoint";
  return beginProbing(control, { atMs, what: "probing", who: "time", why, rampMs, strict: false });
}

/** Another burst within the same probing; who took part in the last one starts counting anew. */
function nextRound(control: EndpointControl, probing: Probing, atMs: number): EndpointControl {
  return { ...control, recovery: { ...probing, ...burst(Math.max(atMs, probing.round + 1)) } };
}

function burst(round: number): Pick<Probing, "round" | "begun" | "succeeded" | "ended" | "lastBegunMs"> {
  return { round, begun: 0, succeeded: 0, ended: 0, lastBegunMs: null };
}

/** The endpoint works: it opens, by and by if asked. */
export function probeSucceeded(control: EndpointControl, probing: Probing, atMs: number): EndpointControl {
  const { rampMs, succeeded, from } = probing;
  const how = rampMs === 0 ? "" : "; what waits drains at a rising rate";
  const why = `${counted(succeeded, "probe")} succeeded${how}`;
  const ramping: Ramping = { stage: "ramping", sinceMs: atMs, rampMs, tries: triesOf(from.trip), letsBy: false };
  return {
    ...control,
    recovery: rampMs === 0 ? null : ramping,
    counts: NO_COUNTS,
    ledger: entered(control.ledger, { atMs, what: "opened", who: "workers", why }),
  };
}

function triesOf(trip: Trip | null): number {
  return trip?.tries ?? 0;
}

export interface ProbeFailure {
  readonly atMs: number;
  readonly lastCode: string;
  readonly configVersion: string;
}

/** It does not: held again, by the pause it came from or by the circuit; open only where neither is there. */
export function probeFailed(control: EndpointControl, probing: Probing, failure: ProbeFailure): EndpointControl {
  const { from, strict } = probing;
  const { atMs } = failure;
  const failed = `a probe failed (${failure.lastCode})`;
  const still = { ...control, recovery: null, counts: NO_COUNTS };
  const note = (why: string, untilMs: number | null) =>
    entered(control.ledger, { atMs, what: "probe-failed", who: "workers", why, untilMs });
  if (strict && from.pause !== null) {
    const ledger = note(`${failed}: paused again as before`, from.pause.untilMs);
    return { ...still, ...from, ledger };
  }
  const trip = tripAgain(control, from.trip, failure);
  if (trip === null) return { ...still, ledger: note(`${failed}, but the circuit is off: open`, null) };
  return { ...still, trip, ledger: note(failed, trip.untilMs) };
}

function tripAgain(
  { circuit = DEFAULT_CIRCUIT }: EndpointControl,
  earlier: Trip | null,
  { atMs, lastCode, configVersion }: ProbeFailure,
): Trip | null {
  if (circuit === null) return earlier;
  const tries = triesOf(earlier) + 1;
  const untilMs = atMs + openForMs(circuit, tries);
  const why = `a probe failed (${lastCode})`;
  return { because: "failures", why, atMs, untilMs, configVersion, tries, ...refusedEarlier(earlier) };
}

/** What a new trip keeps of the one before it. */
export function refusedEarlier(earlier: Trip | null, but?: string): Pick<Trip, "refusedBefore"> {
  const versions = refusedVersions(earlier).filter((version) => version !== but);
  return versions.length === 0 ? {} : { refusedBefore: versions.slice(-MAX_REFUSED) };
}

/** A Retry-After is over: probes start anew; else what waits on the lane drains by and by, and all else goes on. */
export function afterThrottle(control: EndpointControl, atMs: number): EndpointControl {
  const { recovery, pause, trip } = control;
  if (recovery?.stage === "probing") return nextRound(control, recovery, atMs);
  if (pause !== null || trip !== null) return control;
  const rampMs = Math.max(recovery?.rampMs ?? 0, THROTTLE_RAMP_MS);
  const tries = recovery?.tries ?? 0;
  return { ...control, recovery: { stage: "ramping", sinceMs: atMs, rampMs, tries, letsBy: recovery?.letsBy ?? true } };
}

/** When a burst is decided by time alone; null = it waits for attempts to come. */
export function burstEndsMs({ begun, ended, lastBegunMs }: Probing): number | null {
  if (lastBegunMs === null) return null;
  return lastBegunMs + (ended >= begun ? SETTLE_MS : ROUND_MS);
}

/** What a burst that is over has shown: one success without a failure is enough. */
export function endBurst(control: EndpointControl, probing: Probing, atMs: number): EndpointControl {
  return probing.succeeded > 0 ? probeSucceeded(control, probing, atMs) : nextRound(control, probing, atMs);
}

/** The server counts what waits every few seconds; where something does wait, a look is of use less and less. */
const FIRST_LOOK_MS = 15 * SECOND_MS;
const LOOKS_APART = 4;
/** From then on once an hour or so. */
const MOST_LOOKS = 4;

/** When to look whether anything is there to try the endpoint with; null = there is no need. */
export function nextLookMs({ recovery, throttle }: EndpointControl): number | null {
  if (recovery?.stage !== "probing" || throttle !== null || recovery.begun > 0) return null;
  return recovery.round + FIRST_LOOK_MS * LOOKS_APART ** recovery.looks;
}

/**
 * Nothing waits, so nothing would be rushed: the next delivery is the probe. Where something does wait and none has
 * begun, processes may have used up their part of the burst in attempts whose report was lost: they get another one.
 */
export function afterLook(control: EndpointControl, held: number | null, atMs: number): EndpointControl {
  const { recovery } = control;
  const lookMs = nextLookMs(control);
  if (recovery?.stage !== "probing" || lookMs === null || lookMs > atMs) return control;
  if (held !== 0 || recovery.strict) {
    const probing = { ...recovery, looks: Math.min(MOST_LOOKS, recovery.looks + 1) };
    return held === 0 ? { ...control, recovery: probing } : nextRound(control, probing, atMs);
  }
  const why = "nothing waits: open without a probe";
  const ledger = entered(control.ledger, { atMs, what: "opened", who: "time", why });
  return { ...control, recovery: null, counts: NO_COUNTS, ledger };
}
