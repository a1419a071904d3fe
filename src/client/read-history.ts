/** Temporal's history events → the entries that `delivery/history.ts` folds. The one place that knows their shapes. */
import proto from "@temporalio/proto";
import type { HistoryEntry } from "../delivery/history-entries.ts";
import type { TaskEvent } from "../delivery/lost-attempt.ts";
import { type Decode, millis, UNDECODABLE } from "./payloads.ts";

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;
type Payloads = proto.temporal.api.common.v1.IPayloads | null | undefined;

const { EventType, TimeoutType } = proto.temporal.api.enums.v1;

/** Reads what the fold needs; every other event is left out. */
export async function readEntries(events: readonly HistoryEvent[], decode: Decode): Promise<readonly HistoryEntry[]> {
  const entries = await Promise.all(events.map(async (event) => await readEntry(event, decode)));
  return entries.filter((entry) => entry !== null);
}

async function readEntry(event: HistoryEvent, decode: Decode): Promise<HistoryEntry | null> {
  const atMs = millis(event.eventTime);
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
      return { atMs, entry: "task-started" };
    case EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
      return { atMs, entry: "task-completed" };
    case EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED:
    case EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
      return { atMs, entry: "task-lost" };
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
      return { atMs, entry: "cancel-requested" };
    case EventType.EVENT_TYPE_TIMER_FIRED:
      return { atMs, entry: "timer-fired", timerId: event.timerFiredEventAttributes?.timerId ?? "" };
    case EventType.EVENT_TYPE_TIMER_STARTED:
      return { atMs, entry: "timer-started", timerId: event.timerStartedEventAttributes?.timerId ?? "" };
    default:
      return await readWithPayload(event, decode);
  }
}

async function readWithPayload(event: HistoryEvent, decode: Decode): Promise<HistoryEntry | null> {
  const atMs = millis(event.eventTime);
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: {
      const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
      return { atMs, entry: "message", message: { name: signalName ?? "", argument: await first(input, decode) } };
    }
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: {
      const { input } = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ?? {};
      return {
        atMs,
        entry: "update-accepted",
        message: { name: input?.name ?? "", argument: await first(input?.args, decode) },
      };
    }
    case EventType.EVENT_TYPE_MARKER_RECORDED:
      return await readMarker(event, decode);
    default:
      return await readActivity(event, decode);
  }
}

async function readActivity(event: HistoryEvent, decode: Decode): Promise<HistoryEntry | null> {
  const atMs = millis(event.eventTime);
  switch (event.eventType) {
    case EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED: {
      const { activityId, activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
      const names = { activityId: activityId ?? "", type: activityType?.name ?? "" };
      return {
        atMs,
        entry: "activity-scheduled",
        id: Number(event.eventId),
        ...names,
        input: await first(input, decode),
      };
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED: {
      const { scheduledEventId, result: payloads } = event.activityTaskCompletedEventAttributes ?? {};
      const result = await first(payloads, decode);
      // An outcome that cannot be read is not known: the attempt shows as under way.
      if (result === UNDECODABLE) return null;
      return { atMs, entry: "activity-completed", scheduledId: Number(scheduledEventId), result };
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT: {
      const { scheduledEventId } = event.activityTaskTimedOutEventAttributes ?? {};
      return { atMs, entry: "activity-failed", scheduledId: Number(scheduledEventId), timedOut: true };
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_CANCELED: {
      const { scheduledEventId } = event.activityTaskCanceledEventAttributes ?? {};
      return { atMs, entry: "activity-failed", scheduledId: Number(scheduledEventId), timedOut: false, canceled: true };
    }
    case EventType.EVENT_TYPE_ACTIVITY_TASK_FAILED: {
      const { scheduledEventId } = event.activityTaskFailedEventAttributes ?? {};
      return { atMs, entry: "activity-failed", scheduledId: Number(scheduledEventId), timedOut: false };
    }
    default:
      return null;
  }
}

/** Local activities are recorded by the SDK as markers of this name. */
const LOCAL_ACTIVITY_MARKER = "core_local_activity";

async function readMarker(event: HistoryEvent, decode: Decode): Promise<HistoryEntry | null> {
  const { markerName, details, failure } = event.markerRecordedEventAttributes ?? {};
  if (markerName !== LOCAL_ACTIVITY_MARKER) return null;
  const data = markerData(details?.["data"]);
  const result = await first(details?.["result"], decode);
  if (result === UNDECODABLE) return null;
  const failed = failure !== null && failure !== undefined;
  const timedOut = (failure?.timeoutFailureInfo ?? failure?.cause?.timeoutFailureInfo ?? null) !== null;
  const type = data.activity_type ?? "";
  return { atMs: millis(data.complete_time), entry: "local-activity", type, result, failed, timedOut };
}

interface MarkerData {
  readonly activity_type?: string;
  /** Where the workflow's clock stands once it has been told, also in a replay. */
  readonly complete_time?: { readonly seconds?: number; readonly nanos?: number };
}

/** The SDK's own note beside the result; plain JSON whatever the codec. */
function markerData(payloads: Payloads): MarkerData {
  const data = payloads?.payloads?.[0]?.data;
  if (data === null || data === undefined) return {};
  return JSON.parse(new TextDecoder().decode(data)) as MarkerData;
}

async function first(payloads: Payloads, decode: Decode): Promise<unknown> {
  const payload = payloads?.payloads?.[0];
  return payload === undefined ? undefined : await decode(payload);
}

/** What telling a lost workflow task needs of one event. */
export function taskEventOf(event: HistoryEvent): TaskEvent {
  switch (event.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
      return "task-scheduled";
    case EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
      return "task-started";
    case EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
      return "task-completed";
    case EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED:
      return "task-failed";
    case EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
      return event.workflowTaskTimedOutEventAttributes?.timeoutType === TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START
        ? "task-expired-in-queue"
        : "task-timed-out";
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
      return "message";
    default:
      return "other";
  }
}
