/** The fold: an endpoint's control after one more fact. Pure; the workflow only lives the facts. */
import { type EndpointControl, gateOf, refusedVersions } from "./control.ts";
import type { ControlFact, PauseWord, ResumeRefusal, ResumeWord } from "./control-facts.ts";
import { entered } from "./ledger.ts";
import { passTime } from "./pass-time.ts";
import { afterLook, beginProbing } from "./recovery.ts";
import { afterReport } from "./reports.ts";

/** Folds one fact in, after everything that time alone has changed until then. */
export function advanceControl(control: EndpointControl, fact: ControlFact): EndpointControl {
  const { atMs } = fact;
  return withoutStale(passTime(fold(passTime(control, atMs), fact), atMs));
}

/** Attempts in flight matter only while the gate is closed. */
function withoutStale(control: EndpointControl): EndpointControl {
  const isStale = gateOf(control) === "open" && Object.keys(control.inFlight).length > 0;
  return isStale ? { ...control, inFlight: {} } : control;
}

function fold(control: EndpointControl, fact: ControlFact): EndpointControl {
  const { atMs } = fact;
  switch (fact.fact) {
    case "pause":
      return pause(control, fact.word, atMs);
    case "resume":
      return resume(control, fact.word, atMs);
    case "reported":
      return afterReport(control, fact.report, atMs);
    case "configured":
      return configured(control, fact.configVersion, atMs);
    case "lane-seen":
      return afterLook(control, fact.held, atMs);
    case "time-passed":
      return control;
  }
}

/** Holds, whatever else holds; what was being tried is not tried any more. */
function pause(control: EndpointControl, word: PauseWord, atMs: number): EndpointControl {
  const { actor, reason } = word;
  const untilMs = endOfPause(word, atMs);
  const { recovery } = control;
  const trip = control.trip ?? (recovery?.stage === "probing" ? recovery.from.trip : null);
  const ledger = entered(control.ledger, { atMs, what: "paused", who: actor, why: reason, untilMs });
  return { ...control, pause: { actor, reason, atMs, untilMs }, trip, recovery: null, ledger };
}

/** A word that has waited for a worker ends when its author said; a wrong clock cannot put that before or after it can be. */
function endOfPause({ untilMs, forMs, earliestMs }: PauseWord, atMs: number): number | null {
  if (forMs === null) return untilMs;
  if (untilMs === null) return atMs + forMs;
  return Math.min(Math.max(untilMs, earliestMs + forMs), atMs + forMs);
}

/** Null = it counts. */
export function judgeResume(
  { pause: paused, trip, throttle, recovery }: EndpointControl,
  { rampMs }: Pick<ResumeWord, "rampMs">,
): ResumeRefusal | null {
  if (paused !== null || trip !== null) return null;
  if (recovery?.stage === "probing" || (recovery !== null && !recovery.letsBy && rampMs > 0)) return "already-resuming";
  if (recovery?.stage === "ramping" && !recovery.letsBy) return null;
  return throttle === null ? "not-held" : "throttled";
}

function resume(control: EndpointControl, word: ResumeWord, atMs: number): EndpointControl {
  if (judgeResume(control, word) !== null) return control;
  const { actor: who, reason: why, rampMs, strict } = word;
  if (control.recovery === null) return beginProbing(control, { atMs, what: "resumed", who, why, rampMs, strict });
  const ledger = entered(control.ledger, { atMs, what: "resumed", who, why });
  return { ...control, recovery: null, ledger };
}

/** What a person has mended is tried; the same configuration that was refused is not. */
function configured(control: EndpointControl, configVersion: string, atMs: number): EndpointControl {
  const { pause: paused, trip } = control;
  if (trip === null || paused !== null || trip.untilMs !== null) return control;
  if (refusedVersions(trip).includes(configVersion)) return control;
  const why = "the endpoint's configuration has changed: a few attempts try it";
  return beginProbing(control, { atMs, what: "probing", who: "workers", why, rampMs: 0, strict: false });
}
