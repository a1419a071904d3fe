/** What time alone changes at an endpoint, and when it does so next. */
import type { EndpointControl } from "./control.ts";
import { entered } from "./ledger.ts";
import { nextRampStepMs } from "./lane-rate.ts";
import { afterThrottle, beginProbing, burstEndsMs, endBurst, probeByTime } from "./recovery.ts";

/** Each takes one thing that is due; the same control = nothing is. */
type Step = (control: EndpointControl, atMs: number) => EndpointControl;

/** Folds in everything that is due by `atMs`. */
export function passTime(control: EndpointControl, atMs: number): EndpointControl {
  return STEPS.reduce((current, step) => step(current, atMs), control);
}

/** In this order one look is enough: none makes one before it due. */
const STEPS: readonly Step[] = [endThrottle, endPause, endTrip, endProbing, endRamp, endWatch];

function endThrottle(control: EndpointControl, atMs: number): EndpointControl {
  const { throttle } = control;
  if (throttle === null || throttle.untilMs > atMs) return control;
  const why = "the endpoint's Retry-After is over";
  const ledger = entered(control.ledger, { atMs, what: "throttle-ended", who: "time", why });
  return afterThrottle({ ...control, throttle: null, ledger }, atMs);
}

function endPause(control: EndpointControl, atMs: number): EndpointControl {
  const { pause, trip } = control;
  if (pause === null || pause.untilMs === null || pause.untilMs > atMs) return control;
  if (trip !== null) {
    const still = "the pause is over, the trip stands";
    const ledger = entered(control.ledger, { atMs, what: "pause-ended", who: "time", why: still });
    return { ...control, pause: null, ledger };
  }
  const why = "the pause is over: a few attempts try the endpoint";
  return beginProbing(control, { atMs, what: "pause-ended", who: "time", why, rampMs: 0, strict: false });
}

function endTrip(control: EndpointControl, atMs: number): EndpointControl {
  const { pause, trip } = control;
  if (pause !== null || trip === null || trip.untilMs === null || trip.untilMs > atMs) return control;
  return probeByTime(control, atMs);
}

function endProbing(control: EndpointControl, atMs: number): EndpointControl {
  const { recovery, throttle } = control;
  if (recovery?.stage !== "probing" || throttle !== null) return control;
  const endsMs = burstEndsMs(recovery);
  return endsMs === null || endsMs > atMs ? control : endBurst(control, recovery, atMs);
}

function endRamp(control: EndpointControl, atMs: number): EndpointControl {
  const { recovery, throttle } = control;
  if (recovery?.stage !== "ramping" || throttle !== null || recovery.sinceMs + recovery.rampMs > atMs) return control;
  return { ...control, recovery: null };
}

function endWatch(control: EndpointControl, atMs: number): EndpointControl {
  const { watchUntilMs } = control;
  return watchUntilMs === null || watchUntilMs > atMs ? control : { ...control, watchUntilMs: null };
}

/** When `passTime` or the lane's rate changes next; null = only a message can change anything. */
export function nextTimeMs(control: EndpointControl, atMs: number): number | null {
  const { pause, trip, throttle, recovery, watchUntilMs } = control;
  const times = [
    throttle?.untilMs,
    pause?.untilMs,
    pause === null ? trip?.untilMs : null,
    throttle === null && recovery?.stage === "probing" ? burstEndsMs(recovery) : null,
    throttle === null && recovery?.stage === "ramping" ? nextRampStepMs(recovery, atMs) : null,
    watchUntilMs,
  ].filter((time) => time !== null && time !== undefined);
  return times.length === 0 ? null : Math.min(...times);
}
