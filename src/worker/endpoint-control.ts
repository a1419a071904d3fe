/** Everything of a worker process that has to do with the gates of endpoints, put together. */
import { randomUUID } from "node:crypto";
import { createEndpointActivities } from "../activities/apply-gate.ts";
import type { EndpointActivities } from "../activities/contract.ts";
import type { ActivityLog, AttemptGates } from "../activities/dependencies.ts";
import { putGate } from "../client/gate-registry.ts";
import { readLane, setLaneRate } from "../client/lane-queue.ts";
import { isCurrentTry, sendReport, signalReport } from "../client/endpoint-run.ts";
import type { Session } from "../client/session.ts";
import { endpointVersion } from "../config/endpoint-version.ts";
import type { ResolvedEndpoint } from "../config/resolve-endpoint.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import {
  type Gate,
  type GateChange,
  type GateMap,
  type GateOrder,
  isPassable,
  OPEN_GATE,
} from "../delivery/gates/gate-entry.ts";
import type { LaneRate } from "../delivery/gates/lane-rate.ts";
import { takesLane, throttleReason } from "../delivery/gates/lane-reason.ts";
import { timeText } from "../delivery/gates/ledger.ts";
import type { Logger } from "../telemetry/logger.ts";
import { createEndpointGates } from "./endpoint-gates.ts";
import { followGates, type GateSnapshot } from "./gate-snapshot.ts";
import { createReportQueue } from "./report-queue.ts";
import { createTroubleReporter, type ThrottleReport } from "./trouble-reporter.ts";

export interface EndpointControlParts {
  readonly session: Session;
  /** Endpoints this process delivers to. */
  readonly resolved: ReadonlyMap<string, ResolvedEndpoint>;
  readonly log: Logger;
  readonly activityLog: ActivityLog;
  /** Hears of every copy of the registry. */
  onRegistry(gates: GateMap): void;
  /** Told of each gate this process has applied; absent = nobody counts. */
  readonly onGate?: ((change: GateChange) => void) | undefined;
}

export interface EndpointControl {
  readonly snapshot: GateSnapshot;
  readonly gates: AttemptGates;
  readonly activities: EndpointActivities;
  gateOpen(endpoint: string): boolean;
  limitOf(endpoint: string): LaneRate;
  /** Null = this process does not deliver to it. */
  versionOf(endpoint: string): string | null;
  stop(): Promise<void>;
}

export function createEndpointControl(parts: EndpointControlParts): EndpointControl {
  const { session, resolved, log } = parts;
  const { endpoints } = session.config;
  const now = (): number => performance.now();
  const limitOf = (name: string): LaneRate => endpoints[name]?.limits?.ratePerSecond ?? null;
  const versionOf = (name: string): string | null => {
    const own = resolved.get(name);
    const endpoint = endpoints[name];
    return own === undefined || endpoint === undefined ? null : endpointVersion(endpoint, own);
  };
  const snapshot = followGates(session, (map) => {
    parts.onRegistry(map);
    reporter.follow(map);
  });
  const local = createEndpointGates({ snapshot, now });
  const worker = randomUUID().slice(0, 8);
  const queue = createReportQueue({
    worker,
    send: async (endpoint, report, updateId) => await sendReport(session, endpoint, { report, updateId }),
    answered({ endpoint, kind }, { gate }) {
      if (kind === "throttled") local.throttleIsShownAs(endpoint, gate.state === "throttled" ? gate.until : null);
    },
    lost: ({ endpoint, kind }, error) => log.warn({ endpoint, kind, err: error }, "report.lost"),
  });
  const reporter = createTroubleReporter({
    worker,
    queue,
    gates: local,
    endpoint: (name) => endpoints[name] ?? null,
    versionOf: (name) => versionOf(name) ?? "",
    gate: (name) => snapshot.entry(name),
    holdLane: async (name, report) => await holdForAll(parts, snapshot, { endpoint: name, report }),
    now,
  });
  const activities = createEndpointActivities({
    limitOf,
    setLaneRate: async (name, rate, deadlineMs) => await setLaneRate({ ...session, deadlineMs }, name, rate),
    putGate: async (name, gate, deadlineMs) => await putGate({ ...session, deadlineMs }, name, gate),
    held: async (name) => (await readLane(session, name)).held,
    isCurrent: async (one) => await isCurrentTry(session, one),
    stopwatch,
    applied: (order, { lane }) => noteApplied(parts, order, lane),
    log: parts.activityLog,
  });
  return {
    snapshot,
    gates: { onLane: local.onLane, begin: reporter.begin },
    activities,
    gateOpen: local.isOpen,
    limitOf,
    versionOf,
    async stop() {
      snapshot.stop();
      await reporter.settled();
      await queue.stop();
    },
  };
}

/** What is not open is held by somebody already, who is overwritten nowhere: the report adds to that. */
async function holdForAll(
  { session, log }: EndpointControlParts,
  snapshot: GateSnapshot,
  { endpoint, report }: { readonly endpoint: string; readonly report: ThrottleReport },
): Promise<void> {
  const untilMs = Date.now() + report.retryAfterMs;
  const gate: Gate = { state: "throttled", until: timeText(untilMs), pending: true };
  const isOpen = isPassable(snapshot.entry(endpoint) ?? OPEN_GATE);
  const held = await Promise.allSettled([
    holdLane(session, endpoint, untilMs),
    isOpen ? putGate(session, endpoint, gate) : null,
    signalReport(session, endpoint, report),
  ]);
  for (const one of held) if (one.status === "rejected") log.warn({ endpoint, err: one.reason }, "lane.not_held");
}

/** Within three seconds nobody calls any more, so a server that is slow to say what stands there is not waited for. */
const READ_WITHIN_MS = SECOND_MS;

async function holdLane(session: Session, endpoint: string, untilMs: number): Promise<void> {
  const lane = await readLane(session, endpoint, READ_WITHIN_MS).catch(() => null);
  if (!takesLane(lane, untilMs)) return;
  await setLaneRate(session, endpoint, { ratePerSecond: 0, reason: throttleReason(untilMs) });
}

/** The one clock stands still while a machine sleeps, the other may be set back: whichever has gone further. */
function stopwatch(): () => number {
  const [startedMs, startedAtMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - startedMs, Date.now() - startedAtMs);
}

function noteApplied({ log, onGate }: EndpointControlParts, order: GateOrder, lane: string): void {
  const { endpoint, gate, ratePerSecond, reason } = order;
  log.info({ endpoint, gate, ratePerSecond, reason, lane }, "gate.applied");
  const stage = gate.ramping === true ? "ramping" : gate.state;
  onGate?.({ endpoint, state: gate.probing === undefined ? stage : "probing" });
}
