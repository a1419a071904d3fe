/** The history of a bulk replay → the facts that `delivery/bulk-replay/progress.ts` folds, and the results of its batches. */
import proto from "@temporalio/proto";
import type { ListedPage } from "../delivery/bulk-replay/activity-shapes.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import { markOf, readOrder } from "../delivery/bulk-replay/order.ts";
import {
  advanceBulkReplay,
  beginBulkReplay,
  type BulkFact,
  type BulkProgress,
  settledBy,
} from "../delivery/bulk-replay/progress.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import type { BulkActivities } from "../activities/contract.ts";
import { type Decode, millis, UNDECODABLE } from "./payloads.ts";

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;
type Payloads = proto.temporal.api.common.v1.IPayloads | null | undefined;

const { EventType } = proto.temporal.api.enums.v1;

/** One run of a chain, as facts. */
export interface BulkStory {
  readonly begun: BulkProgress;
  readonly facts: readonly BulkFact[];
}

/** Null = the input is none. */
export async function readStory(
  id: string,
  events: readonly HistoryEvent[],
  decode: Decode,
): Promise<BulkStory | null> {
  const begun = await begunWith(id, events[0], decode);
  return begun === null ? null : { begun, facts: await factsOf(events, decode) };
}

/** The final results of its batches, in order. */
export function resultsIn({ begun, facts }: BulkStory): readonly ItemResult[] {
  let progress = begun;
  return facts.flatMap((fact) => {
    const settled = settledBy(progress, fact);
    progress = advanceBulkReplay(progress, fact);
    return settled;
  });
}

async function begunWith(id: string, first: HistoryEvent | undefined, decode: Decode): Promise<BulkProgress | null> {
  const started = first?.workflowExecutionStartedEventAttributes;
  const input = await only(started?.input, decode);
  const isContinued = (started?.continuedExecutionRunId ?? "") !== "";
  if (isContinued) return (input as { readonly carried?: BulkProgress } | null)?.carried ?? null; // written by the run before
  const order = readOrder(input);
  if (typeof order === "string") return null;
  const mark = markOf(id, started?.firstExecutionRunId ?? "");
  return beginBulkReplay({ id, order, mark, startedMs: millis(first?.eventTime) });
}

/**
 * Facts carry the time of the workflow task that took them in, as the workflow's own clock has it;
 * what no task has taken in yet carries its own.
 */
async function factsOf(events: readonly HistoryEvent[], decode: Decode): Promise<readonly BulkFact[]> {
  const facts: BulkFact[] = [];
  const activities = new Map<number, string>();
  let waiting: { readonly atMs: number; readonly fact: WithoutTime<BulkFact> }[] = [];
  let taskMs = 0;
  let inTask = 0;
  for (const event of events) {
    if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED) {
      taskMs = millis(event.eventTime);
      inTask = waiting.length;
    } else if (event.eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED) {
      facts.push(...waiting.slice(0, inTask).map(({ fact }): BulkFact => ({ ...fact, atMs: taskMs })));
      waiting = waiting.slice(inTask);
    }
    note(activities, event);
    const fact = await factOf(event, activities, decode);
    if (fact === null) continue;
    if (isOfTask(event)) facts.push({ ...fact, atMs: taskMs });
    else waiting.push({ atMs: millis(event.eventTime), fact });
  }
  return [...facts, ...waiting.map(({ atMs, fact }): BulkFact => ({ ...fact, atMs }))];
}

/** Written when a task completes: the workflow was there already. */
function isOfTask({ eventType }: HistoryEvent): boolean {
  return (
    eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED ||
    eventType === EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED ||
    eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
  );
}

function note(activities: Map<number, string>, { eventId, activityTaskScheduledEventAttributes: task }: HistoryEvent) {
  if (task !== null && task !== undefined) activities.set(Number(eventId), task.activityType?.name ?? "");
}

const REPLAY: keyof BulkActivities = "replayParked";

async function factOf(
  event: HistoryEvent,
  activities: ReadonlyMap<number, string>,
  decode: Decode,
): Promise<WithoutTime<BulkFact> | null> {
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: {
      const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
      return { fact: "message", name: signalName ?? "", argument: await only(input, decode) };
    }
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: {
      const { input } = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? {};
      return { fact: "message", name: input?.name ?? "", argument: await only(input?.args, decode) };
    }
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
      return { fact: "cancel-requested" };
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
      return { fact: "ended" };
    case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
      return activities.get(Number(event.eventId)) === REPLAY ? { fact: "batch-begun" } : null;
    case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
      return await completedFact(event, activities, decode);
    case EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED:
      return failedFact(activities, event.activityTaskFailedEventAttributes);
    case EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
      return failedFact(activities, event.activityTaskTimedOutEventAttributes);
    default:
      return null;
  }
}

async function completedFact(
  { activityTaskCompletedEventAttributes: done }: HistoryEvent,
  activities: ReadonlyMap<number, string>,
  decode: Decode,
): Promise<WithoutTime<BulkFact> | null> {
  const result = await only(done?.result, decode);
  // Another codec's: what it says cannot be known, and the count falls short of what is expected.
  if (typeof result !== "object" || result === null) return null;
  // Both are written by our activities alone.
  return activities.get(Number(done?.scheduledEventId)) === REPLAY
    ? { fact: "batch-ended", results: result as readonly ItemResult[] }
    : { fact: "listed", ...(result as ListedPage) };
}

function failedFact(
  activities: ReadonlyMap<number, string>,
  failed: { readonly scheduledEventId?: unknown } | null | undefined,
): WithoutTime<BulkFact> {
  const isBatch = activities.get(Number(failed?.scheduledEventId)) === REPLAY;
  return isBatch ? { fact: "batch-failed" } : { fact: "list-failed" };
}

async function only(payloads: Payloads, decode: Decode): Promise<unknown> {
  const payload = payloads?.payloads?.[0];
  const value = payload === undefined ? null : await decode(payload);
  return value === UNDECODABLE ? null : value;
}
