/** One lane: a worker that polls one endpoint's queue, and the calls about it. Lanes carry no worker version. */
import proto from "@temporalio/proto";
import { type NativeConnection, Worker } from "@temporalio/worker";
import type { EventActivities } from "../activities/contract.ts";
import { type Session, withDeadline } from "../client/session.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { GATES_WORKFLOW_ID, laneQueue } from "../delivery/names.ts";
import { type GateEntry, laneIdleSignal, laneInUseSignal } from "../workflows/messages.ts";
import type { Lane } from "./lanes.ts";

export interface LaneWorkerParts {
  readonly session: Session;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly graceMs: number;
  /** Hears why a lane stopped polling by itself. */
  onError(error: unknown): void;
}

const LANE_SLOTS = 100;
const FORCE_AFTER_GRACE_MS = 10 * SECOND_MS;

/** Starts polling; resolves once the worker runs. */
export async function openLane(
  parts: LaneWorkerParts,
  endpoint: string,
  activities: () => EventActivities,
): Promise<Lane> {
  let lastUsedMs = Date.now();
  const { attemptDelivery } = activities();
  const worker = await Worker.create({
    connection: parts.connection,
    namespace: parts.namespace,
    taskQueue: laneQueue(parts.session.config.temporal.taskQueue, endpoint),
    activities: {
      async attemptDelivery(input: Parameters<EventActivities["attemptDelivery"]>[0]) {
        lastUsedMs = Date.now();
        return await attemptDelivery(input);
      },
    },
    maxConcurrentActivityTaskExecutions: LANE_SLOTS,
    maxConcurrentActivityTaskPolls: 1,
    shutdownGraceTime: parts.graceMs,
    shutdownForceTime: parts.graceMs + FORCE_AFTER_GRACE_MS,
  });
  const ended = worker.run().catch((error: unknown) => parts.onError(error));
  return {
    lastUsedMs: () => lastUsedMs,
    ended,
    async stop() {
      if (worker.getState() === "RUNNING") worker.shutdown();
      await ended;
    },
  };
}

/** Tasks waiting on a lane; the server's figure is approximate and seconds old. */
export async function backlogOf(session: Session, endpoint: string): Promise<number> {
  const { stats } = await withDeadline(session, () =>
    session.client.workflowService.describeTaskQueue({
      namespace: session.client.options.namespace,
      taskQueue: { name: laneQueue(session.config.temporal.taskQueue, endpoint) },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
      reportStats: true,
    }),
  );
  return Number(stats?.approximateBacklogCount ?? 0);
}

/** Enters a lane in the registry, which every process follows; `known` is this process's copy of the entry. */
export async function announceLane(session: Session, endpoint: string, known: GateEntry | null): Promise<void> {
  if (known?.laneInUse === true) return;
  await withDeadline(session, () =>
    session.client.workflow.signalWithStart("gates", {
      workflowId: GATES_WORKFLOW_ID,
      taskQueue: session.config.temporal.taskQueue,
      args: [],
      signal: laneInUseSignal,
      signalArgs: [{ endpoint }],
      staticSummary: "which endpoints are held, which lanes are in use",
    }),
  );
}

export async function withdrawLane(session: Session, endpoint: string, known: GateEntry | null): Promise<void> {
  if (known === null) return;
  const handle = session.client.workflow.getHandle(GATES_WORKFLOW_ID);
  await withDeadline(session, () => handle.signal(laneIdleSignal, { endpoint, version: known.version }));
}
