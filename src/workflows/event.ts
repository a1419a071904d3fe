/**
 * Workflow type `event`: one business event, its ID is the idempotency key.
 *
 * An interpreter of `delivery/`: it lives facts (an attempt ended, a person spoke,
 * a timer fired), folds them with `advance`, and does what the folded state asks.
 */
import { allHandlersFinished, CancellationScope, condition, sleep } from "@temporalio/workflow";
import { SECOND_MS } from "../delivery/durations.ts";
import type { EventState } from "../delivery/event-state.ts";
import { nextAction } from "../delivery/next-action.ts";
import { waitSummary } from "../delivery/summaries.ts";
import { acceptEvent } from "./acceptance.ts";
import { newApprovalTimers, keepTimers } from "./approval-timers.ts";
import { attempt, clearUp } from "./attempts.ts";
import { apply, deliveryAt, type EventRun, openRun, progressOf, stateOf } from "./event-run.ts";
import { noticesSent } from "./notices.ts";
import { examine, plan } from "./planning.ts";
import { lookUp } from "./reconciling.ts";

export async function event(input: unknown): Promise<EventState> {
  const run = openRun(clearUp);
  return await CancellationScope.nonCancellable(async () => {
    await acceptEvent(run, input);
    await Promise.all(progressOf(run).deliveries.map((_, index) => deliver(run, index)));
    await noticesSent(run);
    await condition(allHandlersFinished);
    return stateOf(run);
  });
}

/** Follows one delivery to its end. Deliveries of one event do not wait for each other. */
async function deliver(run: EventRun, index: number): Promise<void> {
  const timers = newApprovalTimers();
  for (;;) {
    if (run.clearing !== null) await run.clearing;
    keepTimers(run, index, timers);
    const action = nextAction(deliveryAt(run, index));
    switch (action) {
      case "nothing":
        return await listenOn(run, index);
      case "await-person":
      case "await-decision":
      case "await-release":
        await condition(() => nextAction(deliveryAt(run, index)) !== action);
        break;
      case "plan":
        await plan(run, index);
        break;
      case "examine":
        await examine(run, index);
        break;
      case "reconcile":
        await lookUp(run, index);
        break;
      case "wait":
        await waitUntilDue(run, index);
        break;
      case "attempt":
        await attempt(run, index);
        break;
    }
  }
}

const LISTEN_ON_MS = SECOND_MS;

/**
 * A rejection would end the run in the very task that reads it: an approval said in the same
 * instant would meet a closed door and leave no record. So the door stays open a moment longer.
 */
async function listenOn(run: EventRun, index: number): Promise<void> {
  const { state, endpoint } = deliveryAt(run, index);
  if (state !== "rejected") return;
  await sleep(LISTEN_ON_MS, { summary: `${endpoint}: hear who else decides just now` });
  apply(run, { fact: "time-passed" });
}

/** Waits out a retry delay, or until a person changes the delivery. */
async function waitUntilDue(run: EventRun, index: number): Promise<void> {
  const { endpoint, attempts, wait } = deliveryAt(run, index);
  if (wait === null) return;
  const timer = new CancellationScope();
  const summary = waitSummary(endpoint, attempts.length + 1, wait);
  const due = timer.run(() => sleep(wait.delayMs, { summary }));
  const changed = condition(() => deliveryAt(run, index).wait !== wait);
  const fired = await Promise.race([due.then(() => true), changed.then(() => false)]);
  if (fired) {
    apply(run, { fact: "wait-over", endpoint });
    return;
  }
  timer.cancel();
  await due.catch(() => undefined);
}
