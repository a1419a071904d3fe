/** What a bulk replay has done: pages of the list, and batches of events that are told to go on. */
import { activityInfo, sleep } from "@temporalio/activity";
import type { ListedPage, ListOrder, ReplayBatch } from "../delivery/bulk-replay/activity-shapes.ts";
import { bulkReplayIdOf } from "../delivery/bulk-replay/order.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { whileBeating } from "./heartbeat.ts";

/** The activity body. */
export async function listParked({ parked }: ActivityDependencies, order: ListOrder): Promise<ListedPage> {
  return await parked.list(order);
}

/**
 * The activity body: the events begin one after the other, evenly over the batch's time. An answer that takes long
 * holds no other one up. When one fails the batch is done again: what was replayed is known again.
 *
 * Returns the results there are: an event without one was not told anything.
 */
export async function replayParked(deps: ActivityDependencies, batch: ReplayBatch): Promise<readonly ItemResult[]> {
  return await whileBeating(replayAll(deps, batch));
}

async function replayAll(deps: ActivityDependencies, batch: ReplayBatch): Promise<readonly ItemResult[]> {
  const { keys, gapMs, ...order } = batch;
  if (await wasStopped(deps)) return await lookAt(deps, batch);
  const begun: Promise<ItemResult>[] = [];
  const startedMs = performance.now();
  for (const key of keys) {
    const item = deps.parked.replay(key, order);
    // Looked at below; until then a failure must not count as nobody's.
    item.catch(() => undefined);
    begun.push(item);
    const restMs = startedMs + begun.length * gapMs - performance.now();
    if (restMs > 0) await sleep(restMs);
  }
  return await Promise.all(begun);
}

/** Longer than a worker that polls takes to take it up. */
const LATE_MS = 2 * SECOND_MS;

/**
 * Whether somebody has paused or canceled the bulk replay in the meantime. A batch that lay
 * here while no worker ran may be older than a word the workflow has not even read.
 */
async function wasStopped({ parked, now }: ActivityDependencies): Promise<boolean> {
  const { attempt, currentAttemptScheduledTimestampMs: scheduledMs, workflowExecution } = activityInfo();
  if (attempt === 1 && now() - scheduledMs < LATE_MS) return false;
  const id = bulkReplayIdOf(workflowExecution?.workflowId ?? "");
  return id !== null && (await parked.isStopped(id));
}

/** Which of them an execution that was lost had told; the others stay as they are. */
async function lookAt(
  { parked }: ActivityDependencies,
  { keys, gapMs: _gapMs, ...order }: ReplayBatch,
): Promise<readonly ItemResult[]> {
  const seen = await Promise.all(keys.map(async (key) => await parked.look(key, order)));
  return seen.filter((result) => result !== null);
}
