/**
 * Attempts this process is making or has just made, by run, idempotency key and number.
 *
 * The server may hand a workflow task out again while its local attempt runs or right
 * after (a message arrived, a heartbeat got lost): the re-run joins the attempt in
 * flight or gets its outcome, and no second request leaves.
 */
import type { AttemptResult } from "../delivery/facts.ts";

const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 20_000;

export interface AttemptIdentity {
  /** An event that was deleted and is sent again has the same keys in a run of its own, and is sent again. */
  readonly runId: string;
  readonly idempotencyKey: string;
  readonly number: number;
}

export interface OutcomeMemory {
  /** The attempt in flight or its outcome; null = this process knows nothing of it. */
  recall(identity: AttemptIdentity): Promise<AttemptResult> | null;
  /** Makes the attempt and remembers it, or joins one that is known; one that throws is forgotten. */
  remember(identity: AttemptIdentity, make: () => Promise<AttemptResult>): Promise<AttemptResult>;
}

interface Entry {
  readonly result: Promise<AttemptResult>;
  /** Infinite while in flight. */
  forgetAtMs: number;
}

export function createOutcomeMemory(now: () => number): OutcomeMemory {
  const entries = new Map<string, Entry>();
  const recall: OutcomeMemory["recall"] = (identity) => {
    const entry = entries.get(nameOf(identity));
    return entry === undefined || entry.forgetAtMs <= now() ? null : entry.result;
  };
  return {
    recall,
    async remember(identity, make) {
      const known = recall(identity);
      if (known !== null) return await known;
      forgetOld(entries, now());
      const name = nameOf(identity);
      const entry: Entry = { result: make(), forgetAtMs: Number.POSITIVE_INFINITY };
      entries.set(name, entry);
      try {
        const result = await entry.result;
        entry.forgetAtMs = now() + REMEMBER_MS;
        entries.delete(name);
        entries.set(name, entry);
        return result;
      } catch (error) {
        entries.delete(name);
        throw error;
      }
    },
  };
}

function nameOf({ runId, idempotencyKey, number }: AttemptIdentity): string {
  return `${runId}/${idempotencyKey}/${number}`;
}

/** Finished entries stand in the order in which they ended, so the stale ones are in front. */
function forgetOld(entries: Map<string, Entry>, nowMs: number): void {
  for (const [name, entry] of entries) {
    const finished = Number.isFinite(entry.forgetAtMs);
    if (finished && (entry.forgetAtMs <= nowMs || entries.size > MAX_REMEMBERED)) entries.delete(name);
    else if (finished) return;
  }
}
