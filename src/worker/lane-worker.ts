/** One lane: a worker that polls one endpoint's queue, and the calls about it. Lanes carry no worker version. */
import { type NativeConnection, Worker } from "@temporalio/worker";
import type { EventActivities } from "../activities/contract.ts";
import { type Session, withDeadline } from "../client/session.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import type { GateEntry } from "../delivery/gates/gate-entry.ts";
import { GATES_WORKFLOW_ID, laneQueue } from "../delivery/names.ts";
import { laneIdleSignal } from "../workflows/messages.ts";
import type { Lane } from "./lane-set.ts";

export interface LaneWorkerParts {
  readonly session: Session;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly graceMs: number;
  /** Hears why a lane stopped polling by itself. */
  onError(error: unknown): void;
}

/** Attempts at once on one lane of one process; `limits.concurrency` lowers it. */
const LANE_SLOTS = 100;
const FORCE_AFTER_GRACE_MS = 10 * SECOND_MS;

/** Starts polling; resolves once the worker runs. */
export async function openLane(
  parts: LaneWorkerParts,
  endpoint: string,
  activities: () => EventActivities,
): Promise<Lane> {
  let lastUsedMs = Date.now();
  let inHand = 0;
  const used = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    inHand += 1;
    try {
      return await work();
    } finally {
      inHand -= 1;
      lastUsedMs = Date.now();
    }
  };
  const { attemptDelivery, reconcileDelivery } = activities();
  const { concurrency = null } = parts.session.config.endpoints[endpoint]?.limits ?? {};
  const worker = await Worker.create({
    connection: parts.connection,
    namespace: parts.namespace,
    identity: parts.session.client.options.identity,
    taskQueue: laneQueue(parts.session.config.temporal.taskQueue, endpoint),
    activities: {
      attemptDelivery: async (input: Parameters<EventActivities["attemptDelivery"]>[0]) =>
        await used(async () => await attemptDelivery(input)),
      // Whoever delivers to an isolated endpoint alone knows how to ask it.
      reconcileDelivery: async (input: Parameters<EventActivities["reconcileDelivery"]>[0]) =>
        await used(async () => await reconcileDelivery(input)),
    },
    maxConcurrentActivityTaskExecutions: Math.min(concurrency ?? LANE_SLOTS, LANE_SLOTS),
    maxConcurrentActivityTaskPolls: 1,
    shutdownGraceTime: parts.graceMs,
    shutdownForceTime: parts.graceMs + FORCE_AFTER_GRACE_MS,
  });
  const ended = worker.run().catch((error: unknown) => parts.onError(error));
  return {
    lastUsedMs: () => (inHand > 0 ? Date.now() : lastUsedMs),
    ended,
    async stop() {
      if (worker.getState() === "RUNNING") worker.shutdown();
      await ended;
    },
  };
}

/** Takes an idle lane out of the registry; `known` is this process's copy of the entry. */
export async function withdrawLane(session: Session, endpoint: string, known: GateEntry | null): Promise<void> {
  if (known === null) return;
  const handle = session.client.workflow.getHandle(GATES_WORKFLOW_ID);
  await withDeadline(session, () => handle.signal(laneIdleSignal, { endpoint, version: known.version }));
}
