/** Whether the clock of an endpoint and that of this process agree, by the `Date` of an answer (RFC 9110 §6.6.1). */
import { MINUTE_MS, SECOND_MS } from "./durations.ts";
import { parseHttpDate } from "./retry-after.ts";

export interface ClockFacts {
  /** The answer's own `Date` field; null = absent. */
  readonly responseDate: string | null;
  /** When the answer had come, by our clock. */
  readonly nowMs: number;
  /** How long the exchange took. */
  readonly elapsedMs: number;
}

/** Receivers of signed requests usually allow five minutes (Standard Webhooks): worth a word well before. */
const TOLERATED_MS = MINUTE_MS;

/**
 * How far the endpoint's clock is ahead of ours, in milliseconds, negative = behind; null =
 * not worth a word, or not known. Whose clock is wrong an answer does not tell.
 *
 * It was made at some moment of the exchange, and a date names whole seconds: what may come
 * of that alone is no difference.
 */
export function clockDifferenceMs({ responseDate, nowMs, elapsedMs }: ClockFacts): number | null {
  const theirsMs = responseDate === null ? null : parseHttpDate(responseDate, nowMs);
  if (theirsMs === null) return null;
  const aheadMs = theirsMs - nowMs;
  const behindMs = nowMs - elapsedMs - (theirsMs + SECOND_MS);
  if (aheadMs > TOLERATED_MS) return aheadMs;
  return behindMs > TOLERATED_MS ? -behindMs : null;
}
