/** What only `describe` tells: attempts that no worker has in hand, and workers that try and fail. */
import type { WorkflowExecutionDescription } from "@temporalio/client";
import proto from "@temporalio/proto";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import type { DeliveryStatus } from "../delivery/event-state.ts";
import type { HistoryEntry } from "../delivery/history-entries.ts";
import type { Decode } from "./payloads.ts";

/** A worker failed before it could do its work, and tries again. */
export interface Trouble {
  /** Number of the try that comes next or runs now, from 2. */
  readonly tries: number;
  /** What the worker said about the last one. */
  readonly message: string;
}

/** One delivery in a report. */
export interface ReportedDelivery extends DeliveryStatus {
  readonly trouble?: Trouble;
}

type PendingActivity = NonNullable<WorkflowExecutionDescription["raw"]["pendingActivities"]>[number];

export interface PendingWork {
  /** Endpoint → what is known of its regular attempt, or of the lookup after it. */
  readonly attempts: ReadonlyMap<string, PendingAttempt>;
  /** Of the step that finds the routes; null = none. */
  readonly routing: Trouble | null;
}

interface PendingAttempt {
  readonly isLookup: boolean;
  readonly waitsForWorker: boolean;
  readonly trouble: Trouble | null;
}

export async function pendingWorkOf(
  run: WorkflowExecutionDescription,
  entries: readonly HistoryEntry[],
  decode: Decode,
): Promise<PendingWork> {
  const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
  const attempts = new Map<string, PendingAttempt>();
  let routing: Trouble | null = null;
  for (const pending of run.raw.pendingActivities ?? []) {
    const trouble = await troubleOf(pending, decode);
    const endpoint = endpointOf(pending, entries);
    const type = pending.activityType?.name;
    if (type === "resolveRoutes") routing = trouble;
    else if (endpoint !== null) {
      // Between two questions a lookup waits for its time, not for a worker.
      const isLookup = type === LOOKUP;
      const mayWait = !isLookup || (pending.attempt ?? 1) <= 1;
      const waitsForWorker = mayWait && pending.state === PENDING_ACTIVITY_STATE_SCHEDULED;
      attempts.set(endpoint, { isLookup, waitsForWorker, trouble });
    }
  }
  return { attempts, routing };
}

/** The deliveries, each with what its pending attempt tells. */
export function withPendingWork(
  deliveries: readonly DeliveryStatus[],
  { attempts }: PendingWork,
): readonly ReportedDelivery[] {
  return deliveries.map((delivery) => {
    const pending = attempts.get(delivery.endpoint);
    if (pending === undefined) return delivery;
    // Somebody has ended it, and its lookup is on its way back.
    if (pending.isLookup && delivery.state !== "reconciling") return delivery;
    return {
      ...delivery,
      ...(pending.waitsForWorker ? { waitingFor: "worker" as const } : {}),
      ...(pending.trouble === null ? {} : { trouble: pending.trouble }),
    };
  });
}

const LOOKUP = "reconcileDelivery";
const ABOUT_ONE_DELIVERY: ReadonlySet<string> = new Set(["attemptDelivery", LOOKUP]);

function endpointOf({ activityId }: PendingActivity, entries: readonly HistoryEntry[]): string | null {
  const scheduled = entries.findLast(
    (entry) =>
      entry.entry === "activity-scheduled" && entry.activityId === activityId && ABOUT_ONE_DELIVERY.has(entry.type),
  );
  if (scheduled?.entry !== "activity-scheduled") return null;
  return (scheduled.input as Partial<AttemptInput> | undefined)?.endpoint ?? null;
}

/** Not a failure: the attempt went back to its lane, because the endpoint is held. */
const HELD = "held";

/** Our activities fail with types such as `missing_env`; those of the SDK are names of classes, and not for people. */
const OWN_TYPE = /^[a-z]+(?:_[a-z]+)*$/;

async function troubleOf({ attempt, lastFailure }: PendingActivity, decode: Decode): Promise<Trouble | null> {
  const type = lastFailure?.applicationFailureInfo?.type ?? "";
  const tries = attempt ?? 1;
  if (tries <= 1 || type === HELD || !OWN_TYPE.test(type)) return null;
  return { tries, message: await messageOf(lastFailure, decode) };
}

/** A converter may keep the words of a failure apart, where a codec covers them. */
async function messageOf(failure: PendingActivity["lastFailure"], decode: Decode): Promise<string> {
  const hidden = failure?.encodedAttributes;
  if (hidden === null || hidden === undefined) return failure?.message ?? "";
  const attributes = await decode(hidden);
  const message =
    typeof attributes === "object" && attributes !== null && "message" in attributes ? attributes.message : null;
  return typeof message === "string" ? message : (failure?.message ?? "");
}
