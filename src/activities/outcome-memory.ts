/**
 * Attempts this process is making or has just made, by run, idempotency key and number.
 *
 * The server may hand a workflow task out again while its local attempt runs or right
 * after (a message arrived, a heartbeat got lost): the re-run joins the attempt in
 * flight or gets its outcome, and no second request leaves. What it does not know was
 * not made here, as far back as it remembers.
 */
import type { AttemptResult } from "../delivery/facts.ts";
import { isEarlier, type TaskExecution } from "../delivery/own-loss.ts";
import { TryAgain } from "./try-again.ts";

const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 20_000;

export interface AttemptIdentity {
  /** An event that was deleted and is sent again has the same keys in a run of its own, and is sent again. */
  readonly runId: string;
  readonly idempotencyKey: string;
  readonly number: number;
}

export interface OutcomeMemory {
  /** The attempt in flight or its outcome; null = this process knows none. */
  recall(identity: AttemptIdentity): Promise<AttemptResult> | null;
  /** Makes the attempt and remembers it, or joins one that is known; of one that throws only that it was begun. */
  remember(identity: AttemptIdentity, make: () => Promise<AttemptResult>): Promise<AttemptResult>;
  /** Whether certainly none is under way here and none has ended, well or not, in the last 60 s. */
  neverBegan(identity: AttemptIdentity): boolean;
  /** From now on an earlier execution of the same task must not begin it. */
  overtake(identity: AttemptIdentity, execution: TaskExecution): void;
  isOvertaken(identity: AttemptIdentity, execution: TaskExecution): boolean;
}

interface Entry {
  /** Null = it threw, and may have sent all the same. */
  readonly result: Promise<AttemptResult> | null;
  /** Infinite while in flight. */
  readonly forgetAtMs: number;
}

export function createOutcomeMemory(now: () => number): OutcomeMemory {
  const entries = new Map<string, Entry>();
  const overtaken = createOvertaken();
  /** Until then one that was forgotten before its time, for lack of room, would have stood here. */
  let incompleteUntilMs = Number.NEGATIVE_INFINITY;
  const knownOf = (identity: AttemptIdentity): Entry | null => {
    const entry = entries.get(nameOf(identity));
    return entry === undefined || entry.forgetAtMs <= now() ? null : entry;
  };
  const keep = (name: string, result: Entry["result"]): void => {
    entries.delete(name);
    entries.set(name, { result, forgetAtMs: now() + REMEMBER_MS });
  };
  return {
    recall: (identity) => knownOf(identity)?.result ?? null,
    neverBegan: (identity) => knownOf(identity) === null && incompleteUntilMs <= now(),
    async remember(identity, make) {
      const known = knownOf(identity)?.result ?? null;
      if (known !== null) return await known;
      incompleteUntilMs = Math.max(incompleteUntilMs, forgetOld(entries, now()));
      const name = nameOf(identity);
      const made = make();
      entries.set(name, { result: made, forgetAtMs: Number.POSITIVE_INFINITY });
      try {
        const result = await made;
        keep(name, made);
        return result;
      } catch (error) {
        if (error instanceof TryAgain) entries.delete(name);
        else keep(name, null);
        throw error;
      }
    },
    ...overtaken,
  };
}

/** Without an end but for their number: an execution that hangs may wake at any time. There are few, for few tasks are lost. */
function createOvertaken(): Pick<OutcomeMemory, "overtake" | "isOvertaken"> {
  const latest = new Map<string, TaskExecution>();
  const isOvertaken: OutcomeMemory["isOvertaken"] = (identity, execution) => {
    const by = latest.get(nameOf(identity));
    return by !== undefined && isEarlier(execution, by);
  };
  return {
    overtake(identity, execution) {
      if (isOvertaken(identity, execution)) return;
      const { historyLength, scheduledAtMs } = execution;
      latest.set(nameOf(identity), { historyLength, scheduledAtMs });
      const [oldest] = latest.keys();
      if (latest.size > MAX_REMEMBERED && oldest !== undefined) latest.delete(oldest);
    },
    isOvertaken,
  };
}

function nameOf({ runId, idempotencyKey, number }: AttemptIdentity): string {
  return `${runId}/${idempotencyKey}/${number}`;
}

/**
 * Finished entries stand in the order in which they ended, so the stale ones are in front. Returns when the last of
 * those that had to make room would have been forgotten.
 */
function forgetOld(entries: Map<string, Entry>, nowMs: number): number {
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const [name, { forgetAtMs }] of entries) {
    const finished = Number.isFinite(forgetAtMs);
    if (!finished) continue;
    if (forgetAtMs > nowMs && entries.size <= MAX_REMEMBERED) return untilMs;
    untilMs = Math.max(untilMs, forgetAtMs);
    entries.delete(name);
  }
  return untilMs;
}
