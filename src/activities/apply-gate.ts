/** What holds an endpoint, made true: the rate of its lane on the server, and what every process reads. */
import { activityInfo } from "@temporalio/activity";
import { SECOND_MS } from "../delivery/durations.ts";
import type { Gate, GateApplied, GateOrder } from "../delivery/gates/gate-entry.ts";
import { type LaneRate, withLimit } from "../delivery/gates/lane-rate.ts";
import { oneLineReason } from "../delivery/gates/lane-reason.ts";
import { atBoundary } from "./boundary.ts";
import type { EndpointActivities } from "./contract.ts";
import type { ActivityLog, RunReference } from "./dependencies.ts";
import { currentRun } from "./own-event.ts";
import { TryAgain } from "./try-again.ts";

/** One try of an activity, as the server tells it from all others. */
export interface ActivityTry extends RunReference {
  readonly activityId: string;
  /** Counts from 1. */
  readonly attempt: number;
}

export interface GateDependencies {
  /** Attempts per second that the endpoint's own configuration allows; null = no limit. */
  limitOf(endpoint: string): LaneRate;
  /** Given up after `deadlineMs`, so that it cannot land later; so is `putGate`. */
  setLaneRate(
    endpoint: string,
    rate: { readonly ratePerSecond: LaneRate; readonly reason: string },
    deadlineMs: number,
  ): Promise<GateApplied["lane"]>;
  putGate(endpoint: string, gate: Gate, deadlineMs: number): Promise<void>;
  held(endpoint: string): Promise<number | null>;
  /** Whether the server still waits for this try. */
  isCurrent(one: ActivityTry): Promise<boolean>;
  /** Starts a stopwatch: what it answers with says how many milliseconds have passed, those of a frozen process too. */
  stopwatch(): () => number;
  /** Told of each gate that was applied. */
  applied(order: GateOrder, result: GateApplied): void;
  readonly log: ActivityLog;
}

export function createEndpointActivities(deps: GateDependencies): EndpointActivities {
  return {
    applyGate: atBoundary("applyGate", deps.log, async (order) => await applyGate(deps, order)),
    lookAtLane: atBoundary("lookAtLane", deps.log, async ({ endpoint }) => ({ held: await deps.held(endpoint) })),
  };
}

/** The lane first: once the server hands nothing out any more, it does not matter when others hear of it. */
async function applyGate(deps: GateDependencies, order: GateOrder): Promise<GateApplied> {
  const { endpoint, gate } = order;
  const leftMs = await openFence(deps, endpoint);
  const ratePerSecond = withLimit(order.ratePerSecond, deps.limitOf(endpoint));
  const lane = await deps.setLaneRate(endpoint, { ratePerSecond, reason: oneLineReason(order.reason) }, leftMs());
  await deps.putGate(endpoint, gate, leftMs());
  deps.applied(order, { lane });
  return { lane };
}

const AGAIN_AFTER_MS = SECOND_MS;

/**
 * Each call of the answer says how many milliseconds this try has left, and throws once they are over: the server has
 * given the order to somebody else, and what that one or a later order has set must not be replaced by this one.
 *
 * A process that was stopped and goes on knows nothing of the time in between. Where it was stopped in the middle, the
 * stopwatch tells; where the order came in while it was stopped, only the server does.
 */
async function openFence(deps: GateDependencies, endpoint: string): Promise<() => number> {
  const { activityId, attempt, startToCloseTimeoutMs } = activityInfo();
  const elapsedMs = deps.stopwatch();
  const tooLate = (): TryAgain =>
    new TryAgain(`This order about ${endpoint} came too late; nothing more of it was applied`, {
      type: "too_late",
      afterMs: AGAIN_AFTER_MS,
    });
  if (!(await deps.isCurrent({ ...currentRun(), activityId, attempt }))) throw tooLate();
  return () => {
    const leftMs = startToCloseTimeoutMs - elapsedMs();
    if (leftMs <= 0) throw tooLate();
    return leftMs;
  };
}
