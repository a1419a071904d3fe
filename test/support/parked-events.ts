/** Events that are parked, many at a time, on any stage: their endpoint refuses the first request of each. */
import type { Countersign } from "../../src/client/countersign.ts";
import { inBatches } from "./in-batches.ts";
import type { Script } from "./destination.ts";
import { uniqueName } from "./temporal.ts";
import { until } from "./until.ts";

/** For endpoints that take an event at the second request. */
export const REFUSES_FIRST: Script = [{ status: 400 }, {}];

/** Submits so many events of that type, and waits until every one is parked and the list knows it. */
export async function parkMany(
  client: Countersign,
  { type, count, withinMs = 60_000 }: { readonly type: string; readonly count: number; readonly withinMs?: number },
): Promise<readonly string[]> {
  const before = await client.count({ state: "needs-attention", type });
  const ids = Array.from({ length: count }, () => uniqueName(type));
  const receipts = await inBatches(ids, async (id) => await client.submit({ source: "shop", id, type, data: { id } }));
  await until(
    `${count} more events of type ${type} are listed as parked`,
    async () => (await client.count({ state: "needs-attention", type })) === before + count,
    { withinMs },
  );
  return receipts.map(({ key }) => key);
}
