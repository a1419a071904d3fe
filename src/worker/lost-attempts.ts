/**
 * Attempts that were lost with the worker that made them, as the worker that finds them tells.
 *
 * Only local ones are found by a worker. A lost regular attempt is noticed by the server, and stands in the event alone.
 */
import type { EventActivities } from "../activities/contract.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { eventKey } from "../delivery/names.ts";
import type { Logger } from "../telemetry/logger.ts";

export interface LostAttempt {
  readonly endpoint: string;
}

interface Told {
  readonly log: Logger;
  readonly onLost: ((lost: LostAttempt) => void) | undefined;
}

/** The same activities; each lost attempt they report is one line and one count. */
export function tellingLost(activities: EventActivities, told: Told): EventActivities {
  return {
    ...activities,
    async attemptDelivery(input) {
      const result = await activities.attemptDelivery(input);
      tell(told, result, input.event);
      return result;
    },
    async resolveRoutes(input) {
      const resolved = await activities.resolveRoutes(input);
      if (resolved.first !== undefined) tell(told, resolved.first, input.event);
      return resolved;
    },
  };
}

/** Never throws: the finding stands, whatever becomes of its line. `event` is null where it was too large to carry. */
function tell({ log, onLost }: Told, result: AttemptResult, event: BusinessEvent | null): void {
  if (result.kind !== "lost") return;
  const { endpoint, number: attempt, sinceMs } = result;
  const key = event === null ? null : eventKey(event.source, event.id);
  const since = sinceMs === undefined ? null : new Date(sinceMs).toISOString();
  try {
    log.warn({ key, endpoint, attempt, since }, "delivery.attempt_lost");
    onLost?.({ endpoint });
  } catch {
    // A log that is full or a counter of a stranger.
  }
}
