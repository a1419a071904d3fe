/** The paths of a bulk replay whose histories are recorded. */
import { bulkReplayWorkflowId } from "../../src/delivery/bulk-replay/order.ts";
import { aWish, untilEnded } from "./bulk-replays.ts";
import { parkMany } from "./parked-events.ts";
import type { RecordedPath, RecordingStage } from "./recorded-paths.ts";
import { until } from "./until.ts";

const WORD = { actor: "ana@example.com", note: "looked into it" };
const PARKED = 3;

/** Parks a few events, starts one at that rate, and sees it through after what is done meanwhile. */
function bulk(rate: number, meanwhile: (stage: RecordingStage, id: string) => Promise<unknown>): RecordedPath {
  return async (stage, id) => {
    await parkMany(stage.far, { type: "first-400", count: PARKED });
    await stage.far.bulkReplays.start(aWish("first-400", { rate, id }));
    await until("one is done", async () => (await stage.far.bulkReplays.show(id)).done > 0);
    await meanwhile(stage, id);
    await untilEnded(stage.far, id);
    return bulkReplayWorkflowId(id);
  };
}

/** By file name. */
export const RECORDED_BULK_REPLAYS: Readonly<Record<string, RecordedPath>> = {
  "bulk-replay": bulk(20, async () => await Promise.resolve()),
  "bulk-replay-paused": bulk(0.5, async ({ far }, id) => {
    await far.bulkReplays.resume(id, WORD);
    await far.bulkReplays.pause(id, WORD);
    await far.bulkReplays.resume(id, WORD);
  }),
  "bulk-replay-canceled": bulk(0.1, async ({ client }, id) => {
    await client.workflow.getHandle(bulkReplayWorkflowId(id)).signal("cancel", WORD);
  }),
  "bulk-replay-canceled-in-temporal": bulk(0.1, async ({ client }, id) => {
    await client.workflow.getHandle(bulkReplayWorkflowId(id)).cancel();
  }),
  /** The second run of a chain. */
  "bulk-replay-continued": bulk(0.5, async ({ client }, id) => {
    const handle = client.workflow.getHandle(bulkReplayWorkflowId(id));
    for (let sent = 0; sent < 520; sent += 20)
      await Promise.all(Array.from({ length: 20 }, async () => await handle.signal("by-the-way")));
  }),
  "bulk-replay-refused": async ({ client, taskQueue }, id) => {
    const workflowId = bulkReplayWorkflowId(id);
    const handle = await client.workflow.start("bulk-replay", { workflowId, taskQueue, args: [{}] });
    await handle.result().catch(() => undefined);
    return workflowId;
  },
};
