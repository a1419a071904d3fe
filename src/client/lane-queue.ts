/** An endpoint's lane as the server has it: what waits there, and at which rate it is handed out. */
import proto from "@temporalio/proto";
import { SECOND_MS } from "../delivery/durations.ts";
import type { LaneRate } from "../delivery/gates/lane-rate.ts";
import { laneQueue } from "../delivery/names.ts";
import { grpcFailure, GRPC_STATUS, isAccessRefused } from "../temporal/grpc-status.ts";
import { countPollers } from "./pollers.ts";
import { type Session, withDeadline } from "./session.ts";

const { TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;

export interface LaneOnServer {
  /** Approximate, and up to five seconds old; null = the server does not say. */
  readonly held: number | null;
  readonly oldestAgeMs: number | null;
  /** 0 = held, null = no limit. */
  readonly ratePerSecond: LaneRate;
  /** What stands beside the rate; empty = nothing. */
  readonly reason: string;
  /** Processes seen polling it within the last 75 seconds. */
  readonly pollers: number;
}

export async function readLane(session: Session, endpoint: string, deadlineMs?: number): Promise<LaneOnServer> {
  const request = {
    namespace: session.client.options.namespace,
    taskQueue: { name: laneQueue(session.config.temporal.taskQueue, endpoint) },
    taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
    reportStats: true,
    reportConfig: true,
  };
  const { stats, config, pollers } = await withDeadline(
    session,
    () => session.client.workflowService.describeTaskQueue(request),
    deadlineMs,
  );
  const count = stats?.approximateBacklogCount;
  const age = stats?.approximateBacklogAge;
  const limit = config?.queueRateLimit;
  return {
    held: count === undefined || count === null ? null : Number(count),
    oldestAgeMs:
      age === undefined || age === null
        ? null
        : Number(age.seconds ?? 0) * SECOND_MS + Math.round((age.nanos ?? 0) / 1_000_000),
    ratePerSecond: rateIn(limit),
    reason: limit?.metadata?.reason ?? "",
    pollers: countPollers(pollers, Date.now()),
  };
}

/** Absent = no limit; present and empty = 0, as the wire format leaves out zeros: presence is what counts. */
function rateIn(limit: proto.temporal.api.taskqueue.v1.IRateLimitConfig | null | undefined): LaneRate {
  const rate = limit?.rateLimit;
  return rate === undefined || rate === null ? null : (rate.requestsPerSecond ?? 0);
}

/** `refused` = the server does not know this call, or does not let us make it; anything else throws. */
export async function setLaneRate(
  session: Session,
  endpoint: string,
  { ratePerSecond, reason }: Pick<LaneOnServer, "ratePerSecond" | "reason">,
): Promise<"set" | "refused"> {
  const rateLimit = ratePerSecond === null ? {} : { rateLimit: { requestsPerSecond: ratePerSecond } };
  try {
    await withDeadline(session, () =>
      session.client.workflowService.updateTaskQueueConfig({
        namespace: session.client.options.namespace,
        identity: session.client.options.identity,
        taskQueue: laneQueue(session.config.temporal.taskQueue, endpoint),
        taskQueueType: TASK_QUEUE_TYPE_ACTIVITY,
        updateQueueRateLimit: { ...rateLimit, reason },
      }),
    );
    return "set";
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.unimplemented || isAccessRefused(error)) return "refused";
    throw error;
  }
}

/** The endpoint's own limit, before a lane that has none is polled; what holds it stays as it is. */
export async function ensureLimit(session: Session, endpoint: string, limit: LaneRate): Promise<void> {
  if (limit === null) return;
  const { ratePerSecond } = await readLane(session, endpoint);
  if (ratePerSecond !== null) return;
  await setLaneRate(session, endpoint, { ratePerSecond: limit, reason: "limits.rate of the endpoint" });
}
