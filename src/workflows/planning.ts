/** What only a worker's configuration knows: whether a person must approve, and who the people are that spoke. */
import { proxyActivities, proxyLocalActivities, TemporalFailure } from "@temporalio/workflow";
import type { EventActivities } from "../activities/contract.ts";
import { examineInputOf, planInputOf } from "../delivery/activity-inputs.ts";
import { isAsked } from "../delivery/ballots.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { apply, deliveryAt, type EventRun, progressOf, repeatable } from "./event-run.ts";

/** Asks what is due: the settings of the delivery, and the proposal where a person must approve. */
export async function plan(run: EventRun, index: number): Promise<void> {
  const delivery = deliveryAt(run, index);
  const input = planInputOf(delivery, repeatable(run));
  const words = `prepare the request to ${delivery.endpoint}`;
  apply(run, { fact: "planned", planned: await askWorker(words, (worker) => worker.planDelivery(input)) });
}

/** Asks who the authors of the waiting decisions are; then each is judged. */
export async function examine(run: EventRun, index: number): Promise<void> {
  const delivery = deliveryAt(run, index);
  if (!isAsked(delivery)) return;
  const input = examineInputOf(delivery, { event: repeatable(run), key: progressOf(run).event.key });
  // Quoted, so that a name from outside cannot read as words of ours.
  const said = delivery.ballots.map(({ action, actor }) => `${action} by ${JSON.stringify(actor)}`).join(", ");
  const words = `${delivery.endpoint}: does it count? ${said}`;
  apply(run, { fact: "examined", examination: await askWorker(words, (worker) => worker.examineBallots(input)) });
}

/** The server takes 400 bytes, of which a character may be three. */
const MAX_SUMMARY = 120;

/** In the task at hand where that works (no state transition), else by a regular activity, for as long as it takes. */
async function askWorker<Answer>(
  words: string,
  ask: (worker: Pick<EventActivities, "planDelivery" | "examineBallots">) => Promise<Answer>,
): Promise<Answer> {
  const summary = words.length <= MAX_SUMMARY ? words : `${words.slice(0, MAX_SUMMARY)}…`;
  try {
    const retry = { maximumAttempts: 1 };
    return await ask(proxyLocalActivities<EventActivities>({ startToCloseTimeout: 5 * SECOND_MS, retry, summary }));
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const retry = { initialInterval: SECOND_MS, maximumInterval: MINUTE_MS };
    return await ask(proxyActivities<EventActivities>({ startToCloseTimeout: MINUTE_MS, retry, summary }));
  }
}
