import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import proto from "@temporalio/proto";
import { describe, expect, test } from "vitest";
import { at, NOON_MS } from "../../test/support/deliveries.ts";
import type { HistoryEntry } from "../delivery/history-entries.ts";
import type { TaskEvent } from "../delivery/lost-attempt.ts";
import { UNDECODABLE } from "./payloads.ts";
import { readEntries, taskEventOf } from "./read-history.ts";

type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;
type EventName = keyof typeof proto.temporal.api.enums.v1.EventType;

const { EventType, TimeoutType } = proto.temporal.api.enums.v1;

function anEvent(name: EventName, attributes: Partial<HistoryEvent> = {}): HistoryEvent {
  const eventTime = { seconds: NOON_MS / 1000, nanos: 250_000_000 } as unknown as NonNullable<
    HistoryEvent["eventTime"]
  >;
  return { eventType: EventType[name], eventTime, ...attributes };
}

const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const payloads = (...values: readonly unknown[]) => ({ payloads: values.map(payload) });
const long = (value: number) => value as unknown as NonNullable<HistoryEvent["eventId"]>;
const decode = (given: Payload): Promise<unknown> => Promise.resolve(defaultPayloadConverter.fromPayload(given));
const read = (...events: readonly HistoryEvent[]): Promise<readonly HistoryEntry[]> => readEntries(events, decode);

const atMs = NOON_MS + 250;
const argument = { actor: "ana", reason: "why not" };

describe("readEntries", () => {
  test.each<[EventName, HistoryEntry["entry"]]>([
    ["EVENT_TYPE_WORKFLOW_TASK_STARTED", "task-started"],
    ["EVENT_TYPE_WORKFLOW_TASK_COMPLETED", "task-completed"],
    ["EVENT_TYPE_WORKFLOW_TASK_FAILED", "task-lost"],
    ["EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT", "task-lost"],
    ["EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED", "cancel-requested"],
  ])("takes %s for %s", async (name, entry) => {
    expect(await read(anEvent(name))).toEqual([{ entry, atMs }]);
  });

  test("takes timers with their ids", async () => {
    const started = { ...anEvent("EVENT_TYPE_TIMER_STARTED"), timerStartedEventAttributes: { timerId: "7" } };
    const fired = { ...anEvent("EVENT_TYPE_TIMER_FIRED"), timerFiredEventAttributes: { timerId: "7" } };
    expect(await read(started)).toEqual([{ entry: "timer-started", atMs, timerId: "7" }]);
    expect(await read(fired)).toEqual([{ entry: "timer-fired", atMs, timerId: "7" }]);
  });

  test.each<EventName>([
    "EVENT_TYPE_UNSPECIFIED",
    "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",
    "EVENT_TYPE_WORKFLOW_TASK_SCHEDULED",
    "EVENT_TYPE_TIMER_CANCELED",
    "EVENT_TYPE_ACTIVITY_TASK_STARTED",
    "EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES",
    "EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED",
    "EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED",
  ])("leaves %s out", async (name) => {
    expect(await read(anEvent(name))).toEqual([]);
  });

  test("keeps a message nobody can decode, and knows no outcome that nobody can decode", async () => {
    const input = payloads(argument);
    const signal = anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED", {
      workflowExecutionSignaledEventAttributes: { signalName: "discard", input },
    });
    const completed = anEvent("EVENT_TYPE_ACTIVITY_TASK_COMPLETED", {
      activityTaskCompletedEventAttributes: { scheduledEventId: long(5), result: input },
    });
    const marker = anEvent("EVENT_TYPE_MARKER_RECORDED", {
      markerRecordedEventAttributes: { markerName: "core_local_activity", details: { result: input } },
    });
    expect(await readEntries([signal, completed, marker], () => Promise.resolve(UNDECODABLE))).toEqual([
      { entry: "message", atMs, message: { name: "discard", argument: UNDECODABLE } },
    ]);
  });

  test("reads signals and updates with their first argument", async () => {
    const signal = anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED", {
      workflowExecutionSignaledEventAttributes: { signalName: "discard", input: payloads(argument, "ignored") },
    });
    const update = anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED", {
      workflowExecutionUpdateAcceptedEventAttributes: {
        acceptedRequest: { input: { name: "resolve", args: payloads(argument) } },
      },
    });
    expect(await read(signal, update)).toEqual([
      { entry: "message", message: { name: "discard", argument }, atMs },
      { entry: "update-accepted", message: { name: "resolve", argument }, atMs },
    ]);
  });

  test("reads messages without argument or name, which people can send", async () => {
    const bare = [
      anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED"),
      anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED"),
    ];
    expect(await read(...bare)).toEqual([
      { entry: "message", message: { name: "", argument: undefined }, atMs },
      { entry: "update-accepted", message: { name: "", argument: undefined }, atMs },
    ]);
  });

  test("reads a regular activity from its scheduling to its end", async () => {
    const input = { v: 1, endpoint: "crm", number: 1, via: "direct" };
    const result = { kind: "to-lane", endpoint: "crm" };
    const scheduledEventId = long(5);
    expect(
      await read(
        anEvent("EVENT_TYPE_ACTIVITY_TASK_SCHEDULED", {
          eventId: long(5),
          activityTaskScheduledEventAttributes: {
            activityId: "1",
            activityType: { name: "attemptDelivery" },
            input: payloads(input),
          },
        }),
        anEvent("EVENT_TYPE_ACTIVITY_TASK_COMPLETED", {
          activityTaskCompletedEventAttributes: { scheduledEventId, result: payloads(result) },
        }),
        anEvent("EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT", { activityTaskTimedOutEventAttributes: { scheduledEventId } }),
        anEvent("EVENT_TYPE_ACTIVITY_TASK_FAILED", { activityTaskFailedEventAttributes: { scheduledEventId } }),
        anEvent("EVENT_TYPE_ACTIVITY_TASK_CANCELED", { activityTaskCanceledEventAttributes: { scheduledEventId } }),
      ),
    ).toEqual([
      { entry: "activity-scheduled", id: 5, activityId: "1", type: "attemptDelivery", input, atMs },
      { entry: "activity-completed", scheduledId: 5, result, atMs },
      { entry: "activity-failed", scheduledId: 5, timedOut: true, atMs },
      { entry: "activity-failed", scheduledId: 5, timedOut: false, atMs },
      { entry: "activity-failed", scheduledId: 5, timedOut: false, canceled: true, atMs },
    ]);
  });

  test("reads an activity whose attributes are missing as one that is nobody's", async () => {
    const entries = await read(
      anEvent("EVENT_TYPE_ACTIVITY_TASK_SCHEDULED", { eventId: long(5) }),
      anEvent("EVENT_TYPE_ACTIVITY_TASK_COMPLETED"),
      anEvent("EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT"),
      anEvent("EVENT_TYPE_ACTIVITY_TASK_FAILED"),
    );
    expect(entries.map(({ entry }) => entry)).toEqual([
      "activity-scheduled",
      "activity-completed",
      "activity-failed",
      "activity-failed",
    ]);
    expect(entries[0]).toMatchObject({ activityId: "", type: "", input: undefined });
  });

  describe("of local activities", () => {
    const note = (data: object) => ({ payloads: [{ data: new TextEncoder().encode(JSON.stringify(data)) }] });
    const marker = (details: object, failure?: object, markerName = "core_local_activity"): HistoryEvent =>
      anEvent("EVENT_TYPE_MARKER_RECORDED", {
        markerRecordedEventAttributes: {
          markerName,
          details: { ...details },
          ...(failure === undefined ? {} : { failure }),
        },
      });
    const complete = { complete_time: { seconds: NOON_MS / 1000, nanos: 100_000_000 } };
    const result = { kind: "set-aside", endpoint: "crm" };

    test("tells one that ran out of its time from one that failed", async () => {
      const data = note({ activity_type: "attemptDelivery", ...complete });
      const failures = [{ timeoutFailureInfo: {} }, { cause: { timeoutFailureInfo: {} } }, { message: "failed" }];
      const entries = await read(...failures.map((failure) => marker({ data }, failure)));
      expect(entries).toMatchObject([{ timedOut: true }, { timedOut: true }, { failed: true, timedOut: false }]);
    });

    test("takes type and end from the SDK's note, and the result from beside it", async () => {
      const data = note({ activity_type: "attemptDelivery", seq: 1, ...complete });
      expect(await read(marker({ data, result: payloads(result) }))).toEqual([
        {
          entry: "local-activity",
          type: "attemptDelivery",
          result,
          failed: false,
          timedOut: false,
          atMs: NOON_MS + 100,
        },
      ]);
    });

    test("tells one that failed", async () => {
      const data = note({ activity_type: "resolveRoutes", ...complete });
      expect(await read(marker({ data }, { message: "x" }))).toEqual([
        {
          entry: "local-activity",
          type: "resolveRoutes",
          result: undefined,
          failed: true,
          timedOut: false,
          atMs: NOON_MS + 100,
        },
      ]);
    });

    test("passes over markers of others, and reads one without a note as nobody's", async () => {
      expect(await read(marker({}, undefined, "Version"), anEvent("EVENT_TYPE_MARKER_RECORDED"))).toEqual([]);
      expect(await read(marker({}), marker({ data: { payloads: [{}] } }))).toMatchObject([{ type: "" }, { type: "" }]);
    });
  });

  test("keeps the order of the history, whatever decoding takes", async () => {
    const pauses = [3, 1, 2];
    const slowly = async (given: Payload): Promise<unknown> => {
      for (let turns = pauses.shift() ?? 0; turns > 0; turns -= 1) await Promise.resolve();
      return await decode(given);
    };
    const signal = (name: string): HistoryEvent =>
      anEvent("EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED", {
        workflowExecutionSignaledEventAttributes: { signalName: name, input: payloads(1) },
      });
    const entries = await readEntries(["a", "b", "c"].map(signal), slowly);
    expect(entries.map((entry) => entry.entry === "message" && entry.message.name)).toEqual(["a", "b", "c"]);
    expect(new Date(entries[0]?.atMs ?? 0).toISOString()).toBe(at(250));
  });
});

describe("taskEventOf", () => {
  test.each<[EventName, TaskEvent]>([
    ["EVENT_TYPE_WORKFLOW_TASK_SCHEDULED", "task-scheduled"],
    ["EVENT_TYPE_WORKFLOW_TASK_STARTED", "task-started"],
    ["EVENT_TYPE_WORKFLOW_TASK_COMPLETED", "task-completed"],
    ["EVENT_TYPE_WORKFLOW_TASK_FAILED", "task-failed"],
    ["EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED", "message"],
    ["EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED", "message"],
    ["EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED", "message"],
    ["EVENT_TYPE_WORKFLOW_EXECUTION_STARTED", "other"],
    ["EVENT_TYPE_MARKER_RECORDED", "other"],
    ["EVENT_TYPE_TIMER_FIRED", "other"],
  ])("takes %s for %s", (name, taskEvent) => {
    expect(taskEventOf(anEvent(name))).toBe(taskEvent);
  });

  test.each<[keyof typeof TimeoutType, TaskEvent]>([
    ["TIMEOUT_TYPE_SCHEDULE_TO_START", "task-expired-in-queue"],
    ["TIMEOUT_TYPE_START_TO_CLOSE", "task-timed-out"],
    ["TIMEOUT_TYPE_UNSPECIFIED", "task-timed-out"],
  ])("tells a task that only waited too long from one that was lost: %s", (timeout, taskEvent) => {
    const attributes = { workflowTaskTimedOutEventAttributes: { timeoutType: TimeoutType[timeout] } };
    expect(taskEventOf(anEvent("EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT", attributes))).toBe(taskEvent);
  });

  test("takes a time-out of unknown kind for a loss", () => {
    expect(taskEventOf(anEvent("EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT"))).toBe("task-timed-out");
  });
});
