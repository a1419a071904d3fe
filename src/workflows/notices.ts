/** Telling people: each notice is an event of its own, delivered like any other, and each is sent once. */
import { ActivityFailure, CancellationScope, proxyActivities } from "@temporalio/workflow";
import type { EventActivities } from "../activities/contract.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { type NoticeKind, noticeOf } from "../delivery/notice.ts";
import { deliveryAt, type EventRun, progressOf } from "./event-run.ts";

const WORDS: Readonly<Record<NoticeKind, string>> = {
  requested: "waits for approval",
  reminder: "still waits for approval",
  escalated: "waits for approval, further people may decide now",
  approved: "is approved",
  rejected: "is rejected",
  expired: "ran out of its time for approval",
};

/** Tells the endpoint that the route names; nothing where it names none, or where the proposal is no longer open. */
export function notify(
  run: EventRun,
  index: number,
  { kind, count }: { readonly kind: NoticeKind; readonly count: number },
): void {
  const notice = noticeOf(progressOf(run).event, deliveryAt(run, index), { kind, count });
  if (notice === null) return;
  const { notifyPeople } = proxyActivities<EventActivities>({
    startToCloseTimeout: MINUTE_MS,
    retry: { initialInterval: SECOND_MS, maximumInterval: MINUTE_MS },
    summary: `tell ${notice.to}: ${notice.endpoint} ${WORDS[kind]}`,
  });
  // Whoever decides ends the clocks that asked for this notice, and must not take it back with them.
  const handedOver = CancellationScope.nonCancellable(async () => await notifyPeople(notice));
  run.notices.push(handedOver.catch(ignoreFailure));
}

/** A notice that cannot be handed over is in the worker's log; the event goes on without it. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof ActivityFailure)) throw error;
}

/** A run does not end before what it had to tell is handed over. */
export async function noticesSent(run: EventRun): Promise<void> {
  await Promise.all(run.notices);
}
