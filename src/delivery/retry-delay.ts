/** How long to wait before the next attempt: a pure function of policy, attempt, hint and seed. */
import { DAY_MS, SECOND_MS } from "./durations.ts";
import type { RetryPolicy } from "./policy.ts";

export interface RetryDelayInput {
  readonly policy: RetryPolicy;
  /** Number of the attempt that just ended within its budget, from 1; beyond the schedule its last wait applies. */
  readonly attemptInBudget: number;
  /** What the endpoint asked for; null = nothing usable. */
  readonly retryAfterMs: number | null;
  /** Equal seeds give equal delays; take idempotency key and attempt number. */
  readonly seed: string;
}

/** Temporal timers resolve about one second. */
const MIN_DELAY_MS = 1 * SECOND_MS;
/** Far beyond every policy, far below where sums lose milliseconds. */
const MAX_WAIT_MS = 1000 * 365 * DAY_MS;
/** Everybody was told the same instant, so spread them at least this far. */
const MIN_SPREAD_MS = 1 * SECOND_MS;
const MAX_HINT_SPREAD = 0.2;

/**
 * Milliseconds to wait: the longer of schedule and hint, and jitter that only adds.
 *
 * Never under either of them, always a finite integer of at least 1,000, at
 * most (1 + jitter) × the longer of them + 1 s. Where the hint decides, the
 * addition is up to 20 % of it (or the policy's jitter, if less) and at least
 * up to one second. Nonsensical numbers (NaN, negative) count as 0.
 */
export function computeDelayMs({ policy, attemptInBudget, retryAfterMs, seed }: RetryDelayInput): number {
  const ownMs = Math.max(MIN_DELAY_MS, scheduledMs(policy.scheduleMs, attemptInBudget));
  const hintMs = bounded(retryAfterMs ?? 0, MAX_WAIT_MS);
  const jitter = bounded(policy.jitter, 1);
  const fraction = jitterFraction(seed);
  if (hintMs < ownMs) return Math.ceil(ownMs) + Math.floor(ownMs * jitter * fraction);
  const spreadMs = Math.max(MIN_SPREAD_MS, hintMs * Math.min(jitter, MAX_HINT_SPREAD));
  return Math.ceil(hintMs) + Math.floor(spreadMs * fraction);
}

function scheduledMs(scheduleMs: readonly number[], attempt: number): number {
  const index = Math.floor(bounded(attempt - 1, Math.max(0, scheduleMs.length - 1)));
  return bounded(scheduleMs[index] ?? 0, MAX_WAIT_MS);
}

/** Between 0 and `max`, whatever the number; NaN is 0. */
function bounded(value: number, max: number): number {
  return value > 0 ? Math.min(value, max) : 0;
}

/**
 * A number from 0 up to, but not, 1 that depends on nothing but the seed.
 *
 * 32-bit FNV-1a over the UTF-16 code units, then the finishing steps of
 * MurmurHash3, without which seeds that differ in their last digit would lie
 * close together. Recorded histories depend on it: never change it.
 */
export function jitterFraction(seed: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1) {
    const unit = seed.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
