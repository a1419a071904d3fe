/** What a bulk replay does next. */
import type { Position } from "./position.ts";
import { batchOf, type BulkProgress, PAGE_ITEMS, type QueuedItem } from "./progress.ts";

export type BulkStep =
  | { readonly do: "finish" }
  /** Until somebody resumes or cancels it. */
  | { readonly do: "hold" }
  /** The next page of the list. */
  | { readonly do: "read"; readonly position: Position }
  | { readonly do: "wait"; readonly delayMs: number }
  | { readonly do: "replay"; readonly items: readonly QueuedItem[] };

export function nextBulkStep(progress: BulkProgress, nowMs: number): BulkStep {
  const { queue, position, paused, canceled, dueMs } = progress;
  if (canceled !== null) return { do: "finish" };
  if (paused !== null) return { do: "hold" };
  if (position !== null && wantsPage(queue)) return { do: "read", position };
  if (queue.length === 0) return { do: "finish" };
  return nowMs < dueMs ? { do: "wait", delayMs: dueMs - nowMs } : { do: "replay", items: batchOf(progress) };
}

/** What gave no verdict is asked again when everything else has been, unless too much of it has come together. */
function wantsPage(queue: readonly QueuedItem[]): boolean {
  return queue.every(({ tries }) => tries > 0) && queue.length < PAGE_ITEMS;
}
