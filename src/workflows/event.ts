/**
 * Workflow type `event`: one business event, its ID is the idempotency key.
 *
 * An interpreter of `delivery/`: it lives facts (an attempt ended, a person spoke,
 * a timer fired), folds them with `advance`, and does what the folded state asks.
 */
import { allHandlersFinished, CancellationScope, condition, sleep } from "@temporalio/workflow";
import { type EventState, isTerminal } from "../delivery/event-state.ts";
import type { RetryWait } from "../delivery/progress.ts";
import { project } from "../delivery/project.ts";
import { waitSummary } from "../delivery/summaries.ts";
import { acceptEvent } from "./acceptance.ts";
import { attempt, clearUp } from "./attempts.ts";
import { apply, deliveryOf, type EventRun, openRun, progressOf } from "./event-run.ts";

export async function event(input: unknown): Promise<EventState> {
  const run = openRun(clearUp);
  return await CancellationScope.nonCancellable(async () => {
    await acceptEvent(run, input);
    await Promise.all(progressOf(run).deliveries.map(({ endpoint }) => deliver(run, endpoint)));
    await condition(allHandlersFinished);
    return project(progressOf(run));
  });
}

/** Follows one delivery to its end. Deliveries of one event do not wait for each other. */
async function deliver(run: EventRun, endpoint: string): Promise<void> {
  for (;;) {
    if (run.clearing !== null) await run.clearing;
    const delivery = deliveryOf(run, endpoint);
    if (isTerminal(delivery.state)) return;
    if (delivery.attention !== null) await condition(() => deliveryOf(run, endpoint).attention === null);
    else if (delivery.wait !== null) await waitUntilDue(run, endpoint, delivery.wait);
    else await attempt(run, endpoint);
  }
}

/** Waits out a retry delay, or until a person changes the delivery. */
async function waitUntilDue(run: EventRun, endpoint: string, wait: RetryWait): Promise<void> {
  const nextNumber = deliveryOf(run, endpoint).attempts.length + 1;
  const timer = new CancellationScope();
  const due = timer.run(() => sleep(wait.delayMs, { summary: waitSummary(endpoint, nextNumber, wait) }));
  const changed = condition(() => deliveryOf(run, endpoint).wait !== wait);
  const fired = await Promise.race([due.then(() => true), changed.then(() => false)]);
  if (fired) {
    apply(run, { fact: "wait-over", endpoint });
    return;
  }
  timer.cancel();
  await due.catch(() => undefined);
}
