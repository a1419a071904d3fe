import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOON_MS } from "../../test/support/deliveries.ts";
import { isLoss, lostTask, mayBeRerun, type SeenTaskEvent, type TaskClues, type TaskEvent } from "./lost-attempt.ts";

/** Histories as the server writes them, oldest first; the last task is the one that asks. */
const TASK: readonly TaskEvent[] = ["task-scheduled", "task-started"];
const DONE: readonly TaskEvent[] = [...TASK, "task-completed"];
const TIMED_OUT: readonly TaskEvent[] = [...TASK, "task-timed-out"];
const STARTED: readonly TaskEvent[] = ["other"];
const RETRY_WAIT: readonly TaskEvent[] = ["other", "other", "other"]; // marker, timer started, timer fired

/** An event a millisecond, newest first as the server tells them. */
const told = (history: readonly TaskEvent[]): readonly SeenTaskEvent[] =>
  history.map((event, index) => ({ event, id: index + 1, atMs: NOON_MS + index })).toReversed();
/** What an execution concludes that was given the whole history. */
const lost = (history: readonly TaskEvent[]): boolean => lostTask(told(history), history.length) !== null;

describe("a task", () => {
  test.each<[string, readonly TaskEvent[]]>([
    ["the first task was lost", [...STARTED, ...TIMED_OUT, ...TASK]],
    // A task handed out for the third time stands in the history only once it completes.
    ["the present task is too young to stand in the history", [...STARTED, ...TIMED_OUT]],
    [
      "the worker was killed in the attempt between retries",
      [...STARTED, ...DONE, ...RETRY_WAIT, ...TIMED_OUT, ...TASK],
    ],
    ["the task had heartbeated before its worker was killed", [...STARTED, ...DONE, ...TIMED_OUT, ...TASK]],
    [
      "the server refused the completion because a signal had come",
      [...STARTED, ...TASK, "task-failed", "message", ...TASK],
    ],
    [
      "the next task then expired on the dead worker's sticky queue",
      [...STARTED, ...TIMED_OUT, "task-scheduled", "task-expired-in-queue", ...TASK],
    ],
    ["a message came after the loss", [...STARTED, ...TIMED_OUT, "message", ...TASK]],
  ])("counts as lost when %s", (_, history) => {
    expect(lost(history)).toBe(true);
  });

  test.each<[string, readonly TaskEvent[], number]>([
    ["it has given a sign of life itself meanwhile", [...STARTED, ...TIMED_OUT, ...DONE, ...TASK], 6],
    [
      "it has done so many times, and sent what was decided before",
      [...STARTED, ...TIMED_OUT, ...DONE, "other", ...DONE, ...DONE, "message", ...TASK],
      6,
    ],
    [
      "it was lost itself, and another one has made the attempt",
      [...STARTED, ...TIMED_OUT, ...DONE, ...RETRY_WAIT, ...TASK],
      3,
    ],
    [
      "it is replayed only up to a sign of life, behind which a message and the loss stand",
      [...STARTED, ...DONE, "message", ...TIMED_OUT, ...TASK],
      3,
    ],
  ])("counts as lost, as it was given the history, when %s", (_, history, historyLength) => {
    expect(lostTask(told(history), historyLength)).not.toBeNull();
  });

  test.each<[string, readonly TaskEvent[], number]>([
    ["nothing was lost", [...STARTED, ...DONE, ...TASK], 3],
    ["the one that was lost is past", [...STARTED, ...TIMED_OUT, ...DONE, ...RETRY_WAIT, ...DONE, ...TASK], 12],
  ])("does not count as lost after its own sign of life when %s", (_, history, historyLength) => {
    expect(lostTask(told(history), historyLength)).toBeNull();
  });

  test.each<[string, readonly TaskEvent[]]>([
    ["this is the first task", [...STARTED, ...TASK]],
    ["two signals came before the first task", [...STARTED, "message", "task-scheduled", "message", "task-started"]],
    ["a retry is due as planned", [...STARTED, ...DONE, ...RETRY_WAIT, ...TASK]],
    [
      "the worker died in the wait, and only its sticky queue had to expire",
      [...STARTED, ...DONE, ...RETRY_WAIT, "task-scheduled", "task-expired-in-queue", ...TASK],
    ],
    [
      "an earlier task was lost, but a later one completed",
      [...STARTED, ...TIMED_OUT, ...DONE, ...RETRY_WAIT, ...TASK],
    ],
    ["the task merely heartbeated", [...STARTED, ...DONE, ...TASK]],
    ["nothing could be read", []],
    ["what was read decides nothing", ["message", "message", ...TASK]],
  ])("does not cry wolf when %s", (_, history) => {
    expect(lost(history)).toBe(false);
  });

  test("lets nothing older than the decisive event count", () => {
    const passedOver = fc.array(
      fc.constantFrom<TaskEvent>("task-scheduled", "task-started", "task-expired-in-queue", "message"),
      { maxLength: 5 },
    );
    const decisive = fc.constantFrom<TaskEvent>("task-completed", "task-failed", "task-timed-out", "other");
    const older = fc.array(
      fc.oneof(
        decisive,
        passedOver.map(() => "message" as const),
      ),
    );
    fc.assert(
      fc.property(passedOver, decisive, older, (newest, deciding, rest) => {
        expect(lost([...rest, deciding, ...newest])).toBe(isLoss(deciding));
      }),
    );
  });

  test("is not cleared by anything that was written after it began", () => {
    const anything = fc.constantFrom<TaskEvent>("task-scheduled", "task-started", "task-completed", "message", "other");
    const given = fc.constantFrom<readonly TaskEvent[]>(
      [...STARTED, ...TASK],
      [...STARTED, ...TIMED_OUT, ...TASK],
      [...STARTED, ...DONE, ...RETRY_WAIT, ...TASK],
      [...STARTED, ...DONE, ...RETRY_WAIT, ...TIMED_OUT, ...TASK],
    );
    fc.assert(
      fc.property(given, fc.array(anything), (history, later) => {
        const { length } = history;
        expect(lostTask(told([...history, ...later]), length)).toEqual(lostTask(told(history), length));
        expect(lostTask(told([...history, ...later, "task-timed-out"]), length)).not.toBeNull();
      }),
    );
  });
});

describe("lostTask", () => {
  const since = (history: readonly TaskEvent[]) => lostTask(told(history), history.length);

  test("tells when the lost task began", () => {
    expect(since([...STARTED, ...TIMED_OUT, ...TASK])).toEqual({ startedMs: NOON_MS + 2 });
    expect(since([...STARTED, ...DONE, ...TIMED_OUT, "message", ...TASK])).toEqual({ startedMs: NOON_MS + 5 });
  });

  test("takes the loss itself when the start was not read", () => {
    expect(since(["task-timed-out", ...TASK])).toEqual({ startedMs: NOON_MS });
  });

  test("tells of none where none was lost", () => {
    expect(since([...STARTED, ...TASK])).toBeNull();
    expect(since([])).toBeNull();
  });
});

describe("mayBeRerun", () => {
  const prompt: TaskClues = { historyLength: 3, expectedLength: 3, scheduledAtMs: NOON_MS, nowMs: NOON_MS + 20 };

  test.each<[string, Partial<TaskClues>]>([
    ["a first task that was lost: 6 instead of 3 events", { historyLength: 6 }],
    ["a kill in the attempt between retries: 9 more instead of 6", { historyLength: 21, expectedLength: 18 }],
    ["a worker that died in the wait: 8 more instead of 6", { historyLength: 20, expectedLength: 18 }],
    ["a history shorter than expected", { historyLength: 2 }],
    ["a length that cannot be told", { expectedLength: null }],
    ["a start long after scheduling, as behind a task heartbeat", { nowMs: NOON_MS + 8000 }],
    ["clocks that disagree", { nowMs: NOON_MS - 8000 }],
  ])("asks the server about %s", (_, clues) => {
    expect(mayBeRerun({ ...prompt, ...clues })).toBe(true);
  });

  test.each<[string, Partial<TaskClues>]>([
    ["an undisturbed first task", {}],
    ["two early signals that were expected", { historyLength: 5, expectedLength: 5 }],
    ["an undisturbed retry", { historyLength: 18, expectedLength: 18 }],
    ["a busy machine", { nowMs: NOON_MS + 4000 }],
  ])("saves the question for %s", (_, clues) => {
    expect(mayBeRerun({ ...prompt, ...clues })).toBe(false);
  });
});
