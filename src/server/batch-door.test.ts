/** How the events of a batch follow each other. No Temporal: events go to a fake. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { anApp, read } from "../../test/support/an-app.ts";
import { LISTENING_CONFIG, SHOP_KEY } from "../../test/support/listening-app.ts";
import type { Countersign } from "../client/countersign.ts";
import type { BusinessEvent } from "../delivery/event.ts";

/** Every submit takes as long; what began and ended, in order. */
async function sendBatch(ids: readonly string[], takesMs: number) {
  const story: string[] = [];
  const submit = async (event: unknown) => {
    const { id } = event as BusinessEvent; // parsed by the door
    const isFirst = !story.includes(`${id} ended`);
    story.push(`${id} began`);
    await pause(takesMs);
    story.push(`${id} ended`);
    const key = `shop/${id}`;
    return { key, duplicate: !isFirst, state: "in-progress", workflowId: key, runId: "r" } as const;
  };
  // Nothing else of the facade is called here.
  const countersign = { submit } as Partial<Countersign> as Countersign;
  const { app } = anApp({ countersign, config: LISTENING_CONFIG, limits: { acceptTimeMs: 2000 } });
  const headers = { authorization: SHOP_KEY.bearer, "content-type": "application/cloudevents-batch+json" };
  const body = JSON.stringify(ids.map((id) => ({ specversion: "1.0", source: "shop", id, type: "crm" })));
  const answer = await read(app.request("/v1/events", { method: "POST", headers, body }));
  const items = answer.body["items"] as readonly { readonly status: number; readonly key: string }[];
  return { status: answer.status, items, story };
}

test("a hundred events are taken in the time of one, however far Temporal is", async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `e${index}`);
  // One after the other it would be four seconds.
  const { status, items } = await sendBatch(ids, 40);
  expect(status).toBe(202);
  expect(items.map(({ key }) => key)).toEqual(ids.map((id) => `shop/${id}`));
});

test("the second event of one id begins when the first is safe, and is the duplicate", async () => {
  const { items, story } = await sendBatch(["a", "b", "a", "c", "b"], 5);
  expect(items.map(({ status }) => status)).toEqual([202, 202, 200, 202, 200]);
  expect(story.indexOf("b began")).toBeLessThan(story.indexOf("a ended"));
  for (const id of ["a", "b"])
    expect(story.filter((line) => line.startsWith(id))).toEqual([
      `${id} began`,
      `${id} ended`,
      `${id} began`,
      `${id} ended`,
    ]);
});
