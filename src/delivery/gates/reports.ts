/** What the reports of workers change at an endpoint. */
import { counted } from "../counted.ts";
import { SECOND_MS } from "../durations.ts";
import {
  addResults,
  type CircuitSettings,
  isTroubling,
  judgeCircuit,
  NO_COUNTS,
  openForMs,
  type TripCause,
} from "./circuit.ts";
import { type EndpointControl, type InFlight, type Probing, refusedVersions, type Trip } from "./control.ts";
import type { ProbeCounts, TroubleReport } from "./control-facts.ts";
import { entered, extended } from "./ledger.ts";
import { probeFailed, probeSucceeded, refusedEarlier } from "./recovery.ts";

export function afterReport(control: EndpointControl, report: TroubleReport, atMs: number): EndpointControl {
  switch (report.kind) {
    case "failures":
      return afterResults(control, report, atMs);
    case "credentials-refused":
    case "endpoint-gone":
      return refuse(control, report, atMs);
    case "throttled":
      return throttleOnce(control, report, atMs);
    case "probe":
      return afterProbes(control, report, atMs);
    case "in-flight":
      return { ...control, inFlight: withInFlight(control.inFlight, report.worker, { count: report.count, atMs }) };
  }
}

type Report<Kind> = Extract<TroubleReport, { readonly kind: Kind }>;

/** Counted only while attempts are made in earnest: those in flight when the gate closed tell nothing new. */
function afterResults(control: EndpointControl, report: Report<"failures">, atMs: number): EndpointControl {
  const { circuit } = report;
  if (circuit === null) return { ...control, circuit, counts: NO_COUNTS };
  const { pause, trip, recovery } = control;
  if (pause !== null || trip !== null || recovery?.stage === "probing") return { ...control, circuit };
  const counts = addResults(control.counts, report, { atMs, windowMs: circuit.windowMs });
  const cause = judgeCircuit(counts, circuit);
  if (cause !== null) return tripNow({ ...control, circuit }, { cause, circuit, report }, atMs);
  const watchUntilMs = isTroubling(counts, circuit) ? atMs + circuit.windowMs : control.watchUntilMs;
  return { ...control, circuit, counts, watchUntilMs };
}

interface Tripping {
  readonly cause: TripCause;
  readonly circuit: CircuitSettings;
  readonly report: TroubleReport;
}

function tripNow(control: EndpointControl, { cause, circuit, report }: Tripping, atMs: number): EndpointControl {
  const { recovery } = control;
  // Down again before the drain was over: it had not recovered.
  const tries = recovery?.stage === "ramping" && !recovery.letsBy ? recovery.tries + 1 : 0;
  const { configVersion, lastCode } = report;
  const untilMs = atMs + openForMs(circuit, tries);
  return tripped(control, {
    because: "failures",
    why: `${causeText(cause)}, the last one ${lastCode}`,
    atMs,
    untilMs,
    configVersion,
    tries,
  });
}

function causeText(cause: TripCause): string {
  if (cause.by === "streak") return `${counted(cause.failures, "failure")} in a row`;
  return `${Math.round(cause.share * 100)} % of the attempts failed`;
}

function tripped(control: EndpointControl, trip: Trip): EndpointControl {
  const { atMs, untilMs, why } = trip;
  return {
    ...control,
    trip,
    recovery: null,
    counts: NO_COUNTS,
    watchUntilMs: null,
    ledger: entered(control.ledger, { atMs, what: "tripped", who: "workers", why, untilMs }),
  };
}

const REFUSED = {
  "credentials-refused": "it does not accept our credentials",
  "endpoint-gone": "it says that it is gone for good",
} as const;

/** No timer: only a person or another configuration can mend that. */
function refuse(
  control: EndpointControl,
  report: Report<"credentials-refused" | "endpoint-gone">,
  atMs: number,
): EndpointControl {
  const { kind: because, configVersion, lastCode, circuit } = report;
  if (circuit === null) return control;
  const { trip: standing, recovery } = control;
  if (standing !== null && standing.untilMs === null) return { ...control, trip: alsoRefused(standing, configVersion) };
  const earlier = recovery?.stage === "probing" ? recovery.from.trip : standing;
  const paused = recovery?.stage === "probing" && recovery.strict ? recovery.from.pause : control.pause;
  const why = `${REFUSED[because]} (${lastCode})`;
  const before = refusedEarlier(earlier, configVersion);
  const trip: Trip = { because, why, atMs, untilMs: null, configVersion, tries: 0, ...before };
  return tripped({ ...control, circuit, pause: paused }, trip);
}

/** In a mixed fleet each configuration is tried once, not one after the other for ever. */
function alsoRefused(trip: Trip, configVersion: string): Trip {
  if (refusedVersions(trip).includes(configVersion)) return trip;
  return { ...trip, configVersion, ...refusedEarlier(trip) };
}

function throttleOnce(
  control: EndpointControl,
  { retryAfterMs, id }: Report<"throttled">,
  atMs: number,
): EndpointControl {
  if (id === undefined) return throttle(control, retryAfterMs, atMs);
  return control.throttleId === id ? control : { ...throttle(control, retryAfterMs, atMs), throttleId: id };
}

/** To the whole second after it: sooner never, and a burst of answers changes it once. */
function throttle(control: EndpointControl, retryAfterMs: number, atMs: number): EndpointControl {
  const untilMs = Math.ceil((atMs + retryAfterMs) / SECOND_MS) * SECOND_MS;
  const standing = control.throttle;
  if (standing !== null && standing.untilMs >= untilMs) return control;
  if (standing !== null) {
    return { ...control, throttle: { ...standing, untilMs }, ledger: extended(control.ledger, untilMs) };
  }
  const why = "the endpoint asked for it by Retry-After";
  const ledger = entered(control.ledger, { atMs, what: "throttled", who: "workers", why, untilMs });
  return { ...control, throttle: { atMs, untilMs }, ledger };
}

/** The burst is decided by its first failure, or by as many successes as were wanted. */
function afterProbes(control: EndpointControl, report: Report<"probe">, atMs: number): EndpointControl {
  const { recovery } = control;
  if (recovery?.stage !== "probing" || recovery.round !== report.round) return control;
  const probing = withProbes(recovery, report, atMs);
  const next = { ...control, circuit: report.circuit, recovery: probing };
  const { lastCode, configVersion } = report;
  if (report.failed > 0) return probeFailed(next, probing, { atMs, lastCode, configVersion });
  return probing.succeeded >= probing.wanted ? probeSucceeded(next, probing, atMs) : next;
}

function withProbes(probing: Probing, { begun, succeeded, failed, others }: ProbeCounts, atMs: number): Probing {
  return {
    ...probing,
    begun: probing.begun + begun,
    succeeded: probing.succeeded + succeeded,
    ended: probing.ended + succeeded + failed + others,
    lastBegunMs: begun > 0 ? atMs : probing.lastBegunMs,
  };
}

const MAX_WORKERS = 100;

function withInFlight(
  known: Readonly<Record<string, InFlight>>,
  worker: string,
  inFlight: InFlight,
): Readonly<Record<string, InFlight>> {
  const { [worker]: _replaced, ...others } = known;
  if (inFlight.count === 0 || Object.keys(others).length >= MAX_WORKERS) return others;
  return { ...others, [worker]: inFlight };
}
