/**
 * Whose timer it is that a history tells of. A lone delivery has at most one for its retry wait,
 * and those of its proposal; a wait that somebody ends or replaces leaves its timer behind.
 * With several deliveries the owner is told by the attempt that follows.
 */
import type { Delivery, RetryWait } from "./progress.ts";

export interface RunTimers {
  /** Clocks of a proposal: when they fire, no retry wait is over. */
  readonly ofApproval: Set<string>;
  /** The wait each was started for, so that a later one is not ended by it. */
  readonly ofWait: Map<string, RetryWait>;
}

export function newRunTimers(): RunTimers {
  return { ofApproval: new Set(), ofWait: new Map() };
}

/** A retry wait has its timer started while it is set; whatever else has one is a clock of a proposal. */
export function timerStarted(timers: RunTimers, timerId: string, deliveries: readonly Delivery[]): void {
  const [wait] = deliveries.flatMap((delivery) => delivery.wait ?? []);
  if (wait === undefined) timers.ofApproval.add(timerId);
  else if (deliveries.length === 1) timers.ofWait.set(timerId, wait);
}

/** The lone delivery whose wait is over now that the timer has fired; null = none is known to be. */
export function waitEndedBy(timers: RunTimers, timerId: string, deliveries: readonly Delivery[]): Delivery | null {
  const [only, ...others] = deliveries;
  if (only === undefined || others.length > 0 || only.wait === null || timers.ofApproval.has(timerId)) return null;
  const started = timers.ofWait.get(timerId);
  return started === undefined || started === only.wait ? only : null;
}
