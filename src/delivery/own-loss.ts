/**
 * Whether the lost tasks before the present one were all begun by one worker, which lives and knows what it sent.
 *
 * A machine that is too slow loses workflow tasks like one that dies; the difference is that its worker can still be
 * asked. What the server writes decides whether it may: of several losses in a row it leaves out all but the first,
 * unless something came in between.
 */
import { SECOND_MS } from "./durations.ts";
import { isLoss, type SeenTaskEvent } from "./lost-attempt.ts";

/** What the server says of the task it has handed out. */
export interface PresentTask {
  /** Counts from 1, anew after each completed task and whenever something came in. */
  readonly attempt: number;
  readonly startedMs: number;
}

/** One execution of a workflow task, as its local activity knows it. */
export interface TaskExecution {
  /** Of the history that was executed. */
  readonly historyLength: number;
  /** Workflow time, milliseconds since the epoch. */
  readonly scheduledAtMs: number;
}

/** The next task is written in the same step as the loss of the one before; a later one may have had others before it. */
const SAME_STEP_MS = SECOND_MS;

/** Who asks. */
export interface Asker {
  /** Identity of its worker. */
  readonly worker: string;
  /** Of the history that it was given. */
  readonly historyLength: number;
}

/**
 * Start of the first task that was lost since the last completed one, milliseconds since the epoch, where the asker's
 * worker began each of them; null = somebody else may have begun one, or none was lost, or the asker itself was lost:
 * its own loss cannot stand in the history that it was given. `newestFirst` as for `lostTask`.
 */
export function ownLossesSince(newestFirst: readonly SeenTaskEvent[], asker: Asker): number | null {
  const { worker, historyLength } = asker;
  const end = newestFirst.findIndex(({ event }) => event === "task-completed" || event === "other");
  if (end === -1) return null;
  let firstMs: number | null = null;
  let lostMs = Number.POSITIVE_INFINITY;
  let begun: SeenTaskEvent | null = null;
  for (const seen of newestFirst.slice(0, end).toReversed()) {
    if (mayHideALoss(seen, lostMs)) return null;
    if (seen.event === "task-started") begun = seen;
    if (!isLoss(seen.event)) continue;
    if (begun?.worker !== worker || seen.id > historyLength) return null;
    firstMs ??= begun.atMs;
    lostMs = seen.atMs;
    begun = null;
  }
  return begun === null || begun.worker === worker ? firstMs : null;
}

/** Whether between the loss and this a task may have been handed out and lost that the server has not written. */
function mayHideALoss({ event, atMs }: SeenTaskEvent, lostMs: number): boolean {
  switch (event) {
    case "message":
      // One that came during the lost task was written with the loss; a later one may have come during another.
      return atMs >= lostMs;
    case "task-scheduled":
      return atMs > lostMs + SAME_STEP_MS;
    case "task-expired-in-queue":
      return true;
    case "task-started":
    case "task-completed":
    case "task-failed":
    case "task-timed-out":
    case "other":
      return false;
  }
}

/** Of the second loss in a row the server does not write whose it was. */
const LAST_CERTAIN_ATTEMPT = 2;
/** From the first lost task to the present one, both on the server's clock. */
const RECENT_MS = 30 * SECOND_MS;
/** From the first lost task to now. The worker's clock may be off, so this is well below what is remembered (60 s). */
const CURRENT_MS = 45 * SECOND_MS;

/** Whether `ownLossesSince` is the whole story, and young enough that the worker remembers all of it. */
export function isRemembered(times: {
  readonly sinceMs: number;
  /** Null = the server has handed out none. */
  readonly present: PresentTask | null;
  readonly nowMs: number;
}): boolean {
  const { sinceMs, present, nowMs } = times;
  if (present === null || present.attempt > LAST_CERTAIN_ATTEMPT) return false;
  return present.startedMs - sinceMs < RECENT_MS && nowMs - sinceMs < CURRENT_MS;
}

/** A task that is executed again has a longer history, or a later start. */
export function isEarlier(one: TaskExecution, other: TaskExecution): boolean {
  if (one.historyLength !== other.historyLength) return one.historyLength < other.historyLength;
  return one.scheduledAtMs < other.scheduledAtMs;
}
