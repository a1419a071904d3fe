/** Waiting by looking: no test sleeps for a guessed time. */
import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 50;

export interface UntilOptions {
  /** 60 s when absent: generous, because machines are slow and nothing is asserted by it. */
  readonly withinMs?: number;
}

/**
 * Looks until the probe gives something, and returns that; `false`, `null` and
 * `undefined` mean "not yet". Throws an error that names the claim after the deadline.
 */
export async function until<T>(
  claim: string,
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  { withinMs = 60_000 }: UntilOptions = {},
): Promise<T> {
  const endsAt = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== false && found !== null && found !== undefined) return found;
    if (Date.now() > endsAt) throw new Error(`Not within ${withinMs / 1000} s: ${claim}`);
    await pause(LOOK_EVERY_MS);
  }
}
