import proto from "@temporalio/proto";
import { describe, expect, test } from "vitest";
import type { Session } from "../client/session.ts";
import { createRunReader } from "./run-reader.ts";

const { EventType } = proto.temporal.api.enums.v1;
type Page = Readonly<Record<string, keyof typeof EventType>>;

const RUN = { workflowId: "shop/evt_1", runId: "run-1" };

/** A server whose history comes in these pages, newest first; event by id. */
function aReader(...pages: readonly Page[]) {
  const asked = { pages: 0 };
  const getWorkflowExecutionHistoryReverse = () => {
    const page = pages[asked.pages] ?? {};
    asked.pages += 1;
    const events = Object.entries(page)
      .map(([id, type]) => ({ eventId: Number(id), eventType: EventType[type], eventTime: { seconds: Number(id) } }))
      .toReversed();
    const nextPageToken = asked.pages < pages.length ? Uint8Array.of(asked.pages) : new Uint8Array();
    return Promise.resolve({ history: { events }, nextPageToken });
  };
  const client = {
    options: { namespace: "default" },
    withDeadline: async <T>(_at: number, call: () => Promise<T>) => await call(),
    workflowService: { getWorkflowExecutionHistoryReverse },
  };
  // Only what the reader asks for.
  return { reader: createRunReader({ client } as unknown as Session), asked };
}

const TASK: Page = { 5: "EVENT_TYPE_WORKFLOW_TASK_SCHEDULED", 6: "EVENT_TYPE_WORKFLOW_TASK_STARTED" };
const LOST: Page = { 3: "EVENT_TYPE_WORKFLOW_TASK_STARTED", 4: "EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT" };
const FIRST: Page = { 1: "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED", 2: "EVENT_TYPE_WORKFLOW_TASK_SCHEDULED" };
const SIGN_OF_LIFE: Page = { 7: "EVENT_TYPE_WORKFLOW_TASK_COMPLETED", 8: "EVENT_TYPE_WORKFLOW_TASK_SCHEDULED" };

describe("the end of a history", () => {
  test("is read as far as the first event that decides", async () => {
    const { reader, asked } = aReader(TASK, LOST, FIRST);
    expect(await reader.latestTaskEvents(RUN, 6)).toEqual([
      { event: "task-started", id: 6, atMs: 6000 },
      { event: "task-scheduled", id: 5, atMs: 5000 },
      { event: "task-timed-out", id: 4, atMs: 4000 },
      { event: "task-started", id: 3, atMs: 3000 },
    ]);
    expect(asked.pages).toBe(2);
  });

  test("is read past the signs of life that the task has given since", async () => {
    const { reader, asked } = aReader(SIGN_OF_LIFE, TASK, LOST, FIRST);
    expect((await reader.latestTaskEvents(RUN, 6)).map(({ id }) => id)).toEqual([8, 7, 6, 5, 4, 3]);
    expect(asked.pages).toBe(3);
    const later = aReader(SIGN_OF_LIFE, TASK, LOST, FIRST);
    expect((await later.reader.latestTaskEvents(RUN, 9)).map(({ id }) => id)).toEqual([8, 7]);
  });

  test("is read to its beginning where nothing decides", async () => {
    const { reader } = aReader(TASK, { 4: "EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED" });
    expect((await reader.latestTaskEvents(RUN, 6)).map(({ event }) => event)).toEqual([
      "task-started",
      "task-scheduled",
      "message",
    ]);
  });
});
