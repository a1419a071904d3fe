/** Bulk replays on a stage: what tests ask of them. */
import type { BulkReplayOrder } from "../../src/client/bulk-replay-order.ts";
import type { BulkReplayStatus } from "../../src/client/bulk-replay-show.ts";
import type { Countersign } from "../../src/client/countersign.ts";
import type { ItemResult } from "../../src/delivery/bulk-replay/item.ts";
import { until } from "./until.ts";

/** Everything parked for that endpoint, at 20 a second. */
export function aWish(endpoint: string, more: Partial<BulkReplayOrder> = {}): BulkReplayOrder {
  return { state: "needs-attention", endpoint, rate: 20, actor: "ana@example.com", note: "mended", ...more };
}

export async function untilEnded(
  { bulkReplays }: Pick<Countersign, "bulkReplays">,
  id: string,
  withinMs?: number,
): Promise<BulkReplayStatus> {
  return await until(
    `bulk replay ${id} has ended`,
    async () => {
      const status = await bulkReplays.show(id);
      return status.endedAt !== null && status;
    },
    withinMs === undefined ? {} : { withinMs },
  );
}

export async function resultsOf(
  { bulkReplays }: Pick<Countersign, "bulkReplays">,
  id: string,
): Promise<readonly ItemResult[]> {
  const { items } = await bulkReplays.items(id);
  const results: ItemResult[] = [];
  for await (const item of items) results.push(item);
  return results;
}
