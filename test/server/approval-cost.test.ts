/** What an approval costs, read from the server's own counters: state transitions / history events of the whole run. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectCost } from "../support/expect-cost.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { readCost, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const [ANA, BEN] = ["ana@example.com", "ben@example.com"];

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { payments: {} },
    routes: [
      { match: { type: "one" }, to: ["payments"], approval: { approvers: [ANA] } },
      { match: { type: "two" }, to: ["payments"], approval: { approvers: [ANA, BEN], quorum: 2 } },
    ],
    rest: { people: { [ANA]: {}, [BEN]: {} } },
  });
});

afterAll(async () => await stage.close());

async function proposed(type: string): Promise<{ readonly key: string; readonly digest: string }> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: { amount: 900 } });
  const digest = await until(`${key} waits`, async () => {
    const { deliveries } = await stage.far.get(key);
    return deliveries[0]?.state === "awaiting-approval" && (deliveries[0].proposal?.digest ?? null);
  });
  return { key, digest };
}

async function ended(key: string): Promise<string> {
  await stage.temporal.workflow.getHandle(key).result();
  await exactState(stage, key);
  return key;
}

const cost = async (key: string) => await readCost(stage.temporal, key);

describe("an approval", () => {
  test("costs 7 transitions and 23 events by update, 9 and 22 by signal, the attempt included", async () => {
    await expectCost(cost, "7/23", async () => {
      const { key, digest } = await proposed("one");
      await stage.far.approve(key, { actor: ANA, digest });
      return await ended(key);
    });
    await expectCost(cost, "9/22", async () => {
      const { key, digest } = await proposed("one");
      await stage.temporal.workflow.getHandle(key).signal("approve", { actor: ANA, digest });
      return await ended(key);
    });
  });

  test("of a quorum costs 1 transition and 6 events more for each further person, by update", async () => {
    await expectCost(cost, "8/29", async () => {
      const { key, digest } = await proposed("two");
      await stage.far.approve(key, { actor: ANA, digest });
      await stage.far.approve(key, { actor: BEN, digest });
      return await ended(key);
    });
  });

  test("costs nothing while it waits", async () => {
    const { key, digest } = await proposed("one");
    const before = await cost(key);
    await pause(3000);
    expect(await cost(key)).toEqual(before);
    await stage.far.approve(key, { actor: ANA, digest });
    await ended(key);
  });
});

describe("a rejection", () => {
  test("costs the moment in which others are still heard, and no attempt", async () => {
    await expectCost(cost, "7/22", async () => {
      const { key, digest } = await proposed("one");
      await stage.far.reject(key, { actor: ANA, digest, note: "no" });
      return await ended(key);
    });
  });
});
