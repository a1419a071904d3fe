/** Looking up what became of an attempt whose outcome is uncertain. Asks, never sends; by a regular activity only. */
import {
  ActivityFailure,
  type ActivityOptions,
  CancellationScope,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from "@temporalio/workflow";
import type { EventActivities } from "../activities/contract.ts";
import { reconcileInputOf } from "../delivery/activity-inputs.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { laneQueue } from "../delivery/names.ts";
import { nextAction } from "../delivery/next-action.ts";
import { lookupSummary } from "../delivery/summaries.ts";
import { cancelWhen } from "./cancel-when.ts";
import { apply, deliveryAt, type EventRun, repeatable } from "./event-run.ts";

/** Above the lookup's own deadline: time to be taken up, to resolve a name, to report. */
const MARGIN_MS = 30 * SECOND_MS;

/** It may be asked as often as one likes. How often an answer that does not tell is asked for again, the activity decides. */
const LOOKUP_RETRY: NonNullable<ActivityOptions["retry"]> = {
  initialInterval: SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: MINUTE_MS,
};

/** Asks until it is known, until no answer is to be had, or until somebody ends the delivery. */
export async function lookUp(run: EventRun, index: number): Promise<void> {
  const delivery = deliveryAt(run, index);
  const { endpoint, attempts, settings } = delivery;
  const { reconcileDelivery } = proxyActivities<EventActivities>({
    startToCloseTimeout: settings.totalMs + MARGIN_MS,
    heartbeatTimeout: 10 * SECOND_MS,
    cancellationType: "TRY_CANCEL",
    retry: LOOKUP_RETRY,
    summary: lookupSummary(endpoint, attempts.length),
    // Whoever delivers to an isolated endpoint alone knows how to ask it.
    ...(settings.isolated ? { taskQueue: laneQueue(workflowInfo().taskQueue, endpoint) } : {}),
  });
  const lookup = new CancellationScope();
  const answer = lookup.run(async () => await reconcileDelivery(reconcileInputOf(delivery, repeatable(run))));
  // A person who knows what became of it need not wait for the lookup.
  const stopWatching = cancelWhen(() => nextAction(deliveryAt(run, index)) !== "reconcile", lookup);
  try {
    apply(run, { fact: "looked-up", result: await answer });
  } catch (error) {
    if (isCancellation(error)) return;
    if (!(error instanceof ActivityFailure)) throw error;
    apply(run, { fact: "lookup-broken", endpoint });
  } finally {
    stopWatching();
  }
}
