/** One endpoint in detail: what holds it, who and why; what waits on its lane; and the ledger. Needs no worker. */
import type { EndpointControl } from "../delivery/gates/control.ts";
import { type LedgerEntry, timeText } from "../delivery/gates/ledger.ts";
import { type EndpointOverview, endpointOverviews, type GateStatus } from "./endpoint-overview.ts";
import { inFlightOf, readEndpointRun } from "./endpoint-run.ts";
import { requireEndpoint } from "./endpoint-words.ts";
import { countWorkers } from "./health.ts";
import { readLane } from "./lane-queue.ts";
import type { Session } from "./session.ts";

export interface EndpointDetail extends EndpointOverview {
  readonly gate: GateStatus & {
    /** The actor of a pause, `workers` for a trip or a Retry-After; null = it is open, or no worker has taken it in yet. */
    readonly who: string | null;
    readonly why: string | null;
    /** RFC 3339. */
    readonly since: string | null;
  };
  readonly lane: {
    /** Attempts that wait on the lane, as the server counts them, up to five seconds ago; null = it does not say. */
    readonly held: number | null;
    readonly oldestAgeMs: number | null;
    readonly approximate: true;
    /** Limit on the server, attempts per second; 0 = held, null = none. */
    readonly ratePerSecond: number | null;
    /** Processes seen polling it within the last 75 seconds: it is polled only while it is needed. */
    readonly pollers: number;
  };
  /** Processes seen polling for event workflows within the last 75 seconds. */
  readonly workers: number;
  /** Attempts that had begun when the gate closed and have not ended, as workers told. */
  readonly inFlight: number;
  /** Oldest first, at most 20: of the present run of the endpoint's workflow, or of the last one. */
  readonly ledger: readonly LedgerEntry[];
}

/** Throws `unknown_endpoint`. */
export async function endpointDetail(session: Session, name: string): Promise<EndpointDetail> {
  requireEndpoint(session, name);
  const [[overview], run, lane, workers] = await Promise.all([
    endpointOverviews(session, name),
    readEndpointRun(session, name),
    readLane(session, name),
    countWorkers(session),
  ]);
  if (overview === undefined) throw new TypeError(`There is no overview of endpoint ${name}`);
  const { held, oldestAgeMs, ratePerSecond, pollers } = lane;
  const { control, isRunning } = run;
  return {
    ...overview,
    gate: heldGate(overview.gate, isRunning ? control : null, lane.reason),
    lane: { held, oldestAgeMs: held === 0 ? null : oldestAgeMs, approximate: true, ratePerSecond, pollers },
    workers,
    inFlight: inFlightOf(run),
    ledger: control?.ledger ?? [],
  };
}

type Control = Omit<EndpointControl, "counts">;
type Holder = Pick<EndpointDetail["gate"], "who" | "why" | "since">;

/** What the registry shows of an endpoint, and what its workflow knows of it. */
export function heldGate(status: GateStatus, control: Control | null, laneReason = ""): EndpointDetail["gate"] {
  const shown = sinceResumed(status, control);
  return { ...shown, ...holderOf(shown, control, laneReason) };
}

/** Resumed within a Retry-After: probes wait for its end, so that alone holds it. The registry calls that tripped. */
function sinceResumed(status: GateStatus, control: Control | null): GateStatus {
  const { trip, throttle, recovery } = control ?? {};
  const waits = status.state === "tripped" && !status.probing && recovery?.stage === "probing" && trip === null;
  if (!waits || throttle === undefined || throttle === null) return status;
  return { ...status, state: "throttled", until: timeText(throttle.untilMs) };
}

/** `laneReason` is what the server has beside the lane's rate; it speaks where the endpoint's workflow says nothing. */
function holderOf({ state }: GateStatus, control: Control | null, laneReason: string): Holder {
  if (state === "open") return { who: null, why: null, since: null };
  const { pause = null, trip = null, throttle = null, recovery = null } = control ?? {};
  if (state === "paused" && pause !== null) return { who: pause.actor, why: pause.reason, since: timeText(pause.atMs) };
  if (state === "tripped" && trip !== null) return { who: "workers", why: trip.why, since: timeText(trip.atMs) };
  if (state === "throttled") {
    // Those that got it say so before its workflow has taken it in.
    const since = throttle === null ? null : timeText(throttle.atMs);
    const then = recovery?.stage === "probing" ? "; a few attempts try it after that" : "";
    return { who: "workers", why: `the endpoint asked for it by Retry-After${then}`, since };
  }
  if (recovery?.stage === "probing") {
    const { begun, succeeded, wanted, sinceMs } = recovery;
    const so = begun === 0 ? "no probe has begun yet" : `${succeeded} of ${begun} probes succeeded so far`;
    const why = `${so}, ${wanted} wanted`;
    return { who: "workers", why, since: timeText(sinceMs) };
  }
  return { who: null, why: laneReason === "" ? null : laneReason, since: null };
}
