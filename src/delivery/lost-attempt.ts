/**
 * Whether an earlier execution of the present workflow task was lost.
 *
 * A local attempt runs inside its workflow task, so a worker that dies takes the
 * attempt along and the server hands the task out again. The history tells: the
 * task before ended by start-to-close timeout or failure. A task that only waited
 * too long on the dead worker's sticky queue (schedule-to-start) lost nothing.
 */

export type TaskEvent =
  | "task-scheduled"
  | "task-started"
  | "task-completed"
  | "task-failed"
  | "task-timed-out"
  | "task-expired-in-queue"
  | "message"
  | "other";

/** An event of a history with its time, milliseconds since the epoch. */
export interface SeenTaskEvent {
  readonly event: TaskEvent;
  /** Its place in the history, from 1. */
  readonly id: number;
  readonly atMs: number;
  /** Identity of the worker that was handed the task; only of `task-started`. */
  readonly worker?: string;
}

/**
 * The lost task before the present one, with its start; null = none was lost.
 * `newestFirst` may stop anywhere; what was not read decides nothing. `historyLength`
 * is that of the execution that asks.
 */
export function lostTask(
  newestFirst: readonly SeenTaskEvent[],
  historyLength: number,
): { readonly startedMs: number } | null {
  const index = newestFirst.findIndex((seen) => isDecisive(seen, historyLength));
  const decisive = newestFirst[index];
  if (decisive === undefined || !isLoss(decisive.event)) return null;
  const start = newestFirst.slice(index).find(({ event }) => event === "task-started");
  return { startedMs: (start ?? decisive).atMs };
}

export function isLoss(event: TaskEvent): boolean {
  return event === "task-timed-out" || event === "task-failed";
}

/**
 * Whether the search ends here; what is passed over says nothing about a loss by itself.
 *
 * What was written after the execution began clears nothing: its own task's sign of life,
 * or what others did after its loss. A loss counts wherever it stands: an execution
 * behind a sign of life and a message is first given the history up to there only.
 */
export function isDecisive({ event, id }: SeenTaskEvent, historyLength: number): boolean {
  switch (event) {
    case "task-scheduled":
    case "task-started":
    case "task-expired-in-queue":
    case "message":
      return false;
    case "task-failed":
    case "task-timed-out":
      return true;
    case "task-completed":
    case "other":
      return id <= historyLength;
  }
}

export interface TaskClues {
  /** `workflowInfo().historyLength` when the attempt was scheduled. */
  readonly historyLength: number;
  /** What it is when no task was lost; null = cannot be told. */
  readonly expectedLength: number | null;
  /** Workflow time at scheduling, milliseconds since the epoch. */
  readonly scheduledAtMs: number;
  readonly nowMs: number;
}

/** A task heartbeats after 8 s, so a re-run behind a heartbeat starts later than this. */
const PROMPT_MS = 5000;

/**
 * Whether it is worth asking the server for the history. Cheap and never wrong on
 * the safe side: a false alarm costs one read, skewed clocks included.
 */
export function mayBeRerun(clues: TaskClues): boolean {
  if (clues.expectedLength === null || clues.historyLength !== clues.expectedLength) return true;
  return Math.abs(clues.nowMs - clues.scheduledAtMs) > PROMPT_MS;
}
