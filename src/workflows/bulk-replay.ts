/**
 * Workflow type `bulk-replay`, ID `bulk-replay:<id>`: many parked events told to go on, at a pace.
 *
 * An interpreter of `delivery/bulk-replay/`. It only says `replay` to each event, so gates and
 * approvals hold as ever. One batch per activity; the results stay in the histories of its runs.
 */
import {
  ActivityFailure,
  type ActivityOptions,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { BulkActivities } from "../activities/contract.ts";
import { nextBulkStep } from "../delivery/bulk-replay/next-step.ts";
import { PAGE_ITEMS, type QueuedItem } from "../delivery/bulk-replay/progress.ts";
import { paceOf } from "../delivery/bulk-replay/pace.ts";
import type { Position } from "../delivery/bulk-replay/position.ts";
import type { BulkReplayReport } from "../delivery/bulk-replay/report.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { durationText } from "../delivery/summaries.ts";
import { applyBulk, type BulkRun, noteStanding, openBulkRun, reportNow } from "./bulk-replay-run.ts";
import type { BulkReplayCarried } from "./messages-bulk-replay.ts";

/** Far under the server's limits, and little to read for whoever asks how it stands. */
const MAX_EVENTS = 500;

const OWN_FAILURES: NonNullable<ActivityOptions["retry"]> = {
  initialInterval: SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: 30 * SECOND_MS,
};

export async function bulkReplay(input: unknown): Promise<BulkReplayReport> {
  const run = openBulkRun(input);
  return await CancellationScope.nonCancellable(async () => {
    await walk(run);
    await condition(allHandlersFinished);
    return reportNow(run);
  });
}

async function walk(run: BulkRun): Promise<void> {
  for (;;) {
    await renew(run);
    const step = nextBulkStep(run.progress, Date.now());
    switch (step.do) {
      case "finish":
        applyBulk(run, { fact: "ended" });
        return;
      case "hold":
        await condition(() => run.progress.paused === null || run.progress.canceled !== null);
        break;
      case "read":
        await read(run, step.position);
        break;
      case "wait":
        await waitForTurn(run, step.delayMs);
        break;
      case "replay":
        await replay(run, step.items);
        break;
    }
  }
}

/** A new run with the same progress, before the history of this one grows. */
async function renew(run: BulkRun): Promise<void> {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  if (historyLength < MAX_EVENTS && !continueAsNewSuggested) return;
  await condition(allHandlersFinished);
  noteStanding(run);
  const next: BulkReplayCarried = { v: 1, carried: run.progress };
  await continueAsNew<typeof bulkReplay>(next);
}

async function read(run: BulkRun, position: Position): Promise<void> {
  const { listParked } = proxyActivities<BulkActivities>({
    startToCloseTimeout: MINUTE_MS,
    retry: OWN_FAILURES,
    summary: "read the next page of the list",
  });
  const { selection } = run.progress.order;
  try {
    applyBulk(run, { fact: "listed", ...(await listParked({ selection, position, items: PAGE_ITEMS })) });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    applyBulk(run, { fact: "list-failed" });
  }
}

/** Until the next batch is due, or somebody pauses or cancels. */
async function waitForTurn(run: BulkRun, delayMs: number): Promise<void> {
  const stopped = (): boolean => run.progress.paused !== null || run.progress.canceled !== null;
  const timer = new CancellationScope();
  const due = timer.run(() => sleep(delayMs, { summary: `keep the pace: ${durationText(delayMs)}` }));
  await Promise.race([due, condition(stopped)]);
  timer.cancel();
  await due.catch(() => undefined);
}

/** What no verdict may take beside the pace of the batch. */
const BATCH_MARGIN_MS = 3 * MINUTE_MS;

async function replay(run: BulkRun, items: readonly QueuedItem[]): Promise<void> {
  const { mark, order } = run.progress;
  const { selection, actor, note, rate } = order;
  const { gapMs, intervalMs } = paceOf(rate);
  const { replayParked } = proxyActivities<BulkActivities>({
    startToCloseTimeout: intervalMs + BATCH_MARGIN_MS,
    heartbeatTimeout: 10 * SECOND_MS,
    retry: OWN_FAILURES,
    summary: items.length === 1 ? "replay 1 event" : `replay ${items.length} events`,
  });
  const { endpoint, reason } = selection;
  applyBulk(run, { fact: "batch-begun" });
  try {
    const keys = items.map(({ key }) => key);
    const results = await replayParked({ mark, actor, note, endpoint, reason, keys, gapMs });
    applyBulk(run, { fact: "batch-ended", results });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    applyBulk(run, { fact: "batch-failed" });
  }
}
