/** When the oldest run that a list finds began, found by counting: a list ends with its oldest, and may be very long. */
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";

/** How many of them had begun before a moment, milliseconds since the epoch. */
export type CountBefore = (atMs: number) => Promise<number>;

const FIRST_AGE_MS = MINUTE_MS;
const FACTOR = 4;
/** Of the age: people look at hours and days. */
const PRECISION = 1 / 20;

/** At least one is as old; none is more than a twentieth older. A dozen counts for an age of a day, sixteen for a year. */
export async function oldestByCounting(countBefore: CountBefore, nowMs: number): Promise<number> {
  const isAnyOlder = async (ageMs: number): Promise<boolean> => (await countBefore(nowMs - ageMs)) > 0;
  let [someAgeMs, noAgeMs] = [0, FIRST_AGE_MS];
  while (noAgeMs < nowMs && (await isAnyOlder(noAgeMs))) [someAgeMs, noAgeMs] = [noAgeMs, noAgeMs * FACTOR];
  while (noAgeMs - someAgeMs > Math.max(SECOND_MS, someAgeMs * PRECISION)) {
    const middleMs = (someAgeMs + noAgeMs) / 2;
    if (await isAnyOlder(middleMs)) someAgeMs = middleMs;
    else noAgeMs = middleMs;
  }
  return nowMs - someAgeMs;
}
