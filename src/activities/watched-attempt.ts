/** An attempt under the eye of its endpoint's gate: may it begin, and what does it tell of the endpoint? */
import { activityInfo } from "@temporalio/activity";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { DueAttempt } from "./attempt-delivery.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { TryAgain } from "./try-again.ts";

/**
 * Makes the attempt unless the gate holds it: then it goes back to its lane, and no attempt is used up.
 *
 * Only a lane attempt can meet a closed gate here; the others have been admitted before.
 */
export async function watchedAttempt(
  { gates }: Pick<ActivityDependencies, "gates">,
  due: DueAttempt,
  make: () => Promise<AttemptRecord>,
): Promise<AttemptRecord> {
  const { endpoint, via } = due;
  const word = via === "lane" ? gates.onLane(endpoint, activityInfo().attempt) : ({ kind: "go" } as const);
  if (word.kind === "held")
    throw new TryAgain(`${endpoint} is held; nothing was sent`, { type: "held", afterMs: word.afterMs });
  const { settings, event, replayed = false } = due;
  const ongoing = gates.begin({
    endpoint,
    round: word.kind === "probe" ? word.round : null,
    counts: !replayed && event.synthetic !== true,
    retryAfterMaxMs: settings.retry.retryAfterMaxMs,
  });
  try {
    const record = await make();
    ongoing.end(record);
    return record;
  } catch (error) {
    ongoing.end(null);
    throw error;
  }
}
