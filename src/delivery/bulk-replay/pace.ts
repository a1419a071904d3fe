/** How fast a bulk replay goes: so many items at the beginning of each interval, never above the rate that was asked for. */
import { SECOND_MS } from "../durations.ts";

export const MIN_RATE = 0.01;
export const MAX_RATE = 100;
export const DEFAULT_RATE = 10;

export interface Pace {
  /** Items of one interval. */
  readonly batch: number;
  readonly intervalMs: number;
  /** The items of a batch begin so far apart; the batch then lasts the whole interval. 0 = there is one, and the interval is waited out in a timer. */
  readonly gapMs: number;
}

export function isRate(value: unknown): value is number {
  return typeof value === "number" && value >= MIN_RATE && value <= MAX_RATE;
}

/** From one event a second on the batch keeps the pace itself; below, a slot of the worker would be held for nothing. */
export function paceOf(rate: number): Pace {
  if (rate < 1) return { batch: 1, intervalMs: Math.ceil(SECOND_MS / rate), gapMs: 0 };
  const batch = Math.ceil(rate);
  return { batch, intervalMs: Math.ceil((batch * SECOND_MS) / rate), gapMs: SECOND_MS / rate };
}

/** How long so many items take at least, milliseconds. */
export function leastMs(items: number, rate: number): number {
  return Math.ceil((items / rate) * SECOND_MS);
}
