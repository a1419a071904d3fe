/** How long an undisturbed history is, in events: only clues, never decisions (see `delivery/lost-attempt.ts`). */

/** Before the first activation: execution started, task scheduled, task started. */
export const LENGTH_AT_START = 3;
/** From one local report to the next attempt: task completed, marker, timer started, timer fired, task scheduled, task started. */
export const LENGTH_OF_A_RETRY = 6;
