/** Retry policies as plain values: the delays between attempts, and their bounds. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

/**
 * When a delivery is tried again.
 *
 * `scheduleMs[n - 1]` is the wait after attempt n of the current budget, so the
 * budget is `scheduleMs.length + 1` attempts. `jitter` only ever adds.
 */
export interface RetryPolicy {
  readonly scheduleMs: readonly number[];
  /** Share of the wait that may be added, 0 to 1. */
  readonly jitter: number;
  /** Bound on first attempt to last attempt of one budget; null = only the schedule bounds it. */
  readonly windowMs: number | null;
  /** A Retry-After beyond this parks the delivery instead of being undercut. */
  readonly retryAfterMaxMs: number;
}

const DEFAULTS = { jitter: 0.2, windowMs: null, retryAfterMaxMs: DAY_MS } as const;

/** 8 attempts over about 28 hours: the example schedule of Standard Webhooks, cut after the second 10 h. */
export const STANDARD_RETRY: RetryPolicy = {
  ...DEFAULTS,
  scheduleMs: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 10 * HOUR_MS],
};

/** 5 attempts within about 15 seconds. */
export const QUICK_RETRY: RetryPolicy = {
  ...DEFAULTS,
  scheduleMs: [1 * SECOND_MS, 2 * SECOND_MS, 4 * SECOND_MS, 8 * SECOND_MS],
};

/** One attempt. */
export const NO_RETRY: RetryPolicy = { ...DEFAULTS, scheduleMs: [] };
