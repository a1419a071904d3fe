/** What an event costs, read from the server's own counters: state transitions / history events of the whole run. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planEvent } from "../../src/config/plan-event.ts";
import { expectCost as expectRunCost } from "../support/expect-cost.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { readCost, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "the endpoint is mended" };

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      quick: {},
      careful: { idempotent: false },
      second: {},
      "once-503": {},
      "twice-503": {},
      "first-400": {},
    },
    routes: [{ match: { type: "both" }, to: ["quick", "second"] }],
    scripts: {
      "once-503": [{ status: 503 }, {}],
      "twice-503": [{ status: 503 }, { status: 503 }, {}],
      "first-400": [{ status: 400 }, {}],
    },
  });
});

afterAll(async () => await stage.close());

/** Submits from a connection of its own, as another process does. */
async function submitted(type: string, from: Pick<Stage["far"], "submit"> = stage.far): Promise<string> {
  const { key } = await from.submit({ source: "shop", id: uniqueName(type), type, data: { total: 42 } });
  return key;
}

async function delivered(key: string): Promise<void> {
  await stage.temporal.workflow.getHandle(key).result();
  expect((await exactState(stage, key)).state).toBe("delivered");
}

async function expectCost(expected: string, play: () => Promise<string>): Promise<void> {
  await expectRunCost(async (key) => await readCost(stage.temporal, key), expected, play);
}

async function playedOut(type: string, from: Pick<Stage["far"], "submit"> = stage.far): Promise<string> {
  const key = await submitted(type, from);
  await delivered(key);
  return key;
}

describe("the first try", () => {
  test("costs 2 transitions and 6 events with producer and worker in one process", async () => {
    await expectCost("2/6", async () => await playedOut("quick", stage.near()));
  });

  test("costs 3 transitions and 6 events from another process", async () => {
    await expectCost("3/6", async () => await playedOut("quick"));
  });

  test("costs 3 transitions and 7 events when started without our client", async () => {
    await expectCost("3/7", async () => {
      const id = uniqueName("plain");
      await stage.temporal.workflow.start("event", {
        workflowId: `shop/${id}`,
        taskQueue: stage.config.temporal.taskQueue,
        args: [{ source: "shop", id, type: "quick", data: { total: 42 } }],
      });
      await delivered(`shop/${id}`);
      return `shop/${id}`;
    });
  });
});

describe("retries", () => {
  test("cost 5 transitions and 12 events for one, at most 3 and 7 more for each further", async () => {
    await expectCost("5/12", async () => await playedOut("once-503", stage.near()));
    await expectCost("8/18", async () => await playedOut("twice-503", stage.near()));
  });
});

describe("two endpoints", () => {
  // One workflow task takes in both reports when they come together; a report that comes while that task is at
  // work gets a task of its own, one transition and three events more. A busy machine may also miss an eager
  // hand-over, one transition. Nothing beyond that.
  test("cost 6 transitions and 14 events", async () => {
    const costs = await until(
      "an event costs that",
      async () => {
        const keys = await Promise.all(Array.from({ length: 10 }, async () => await submitted("both", stage.near())));
        await Promise.all(keys.map(delivered));
        const found = new Set(await Promise.all(keys.map(cost)));
        return found.has("6/14") && found;
      },
      { withinMs: 40_000 },
    );
    expect(["6/14", "7/14", "7/17", "8/17"]).toEqual(expect.arrayContaining([...costs]));
  });
});

describe("one delivery that no local attempt may make", () => {
  test("costs 6 transitions and 11 events, 5 and 11 with producer and worker in one process", async () => {
    await expectCost("6/11", async () => await playedOut("careful"));
    await expectCost("5/11", async () => await playedOut("careful", stage.near()));
  });

  test("costs 6 transitions and 11 events plus the message's own after a message", async () => {
    await expectCost("6/12", async () => {
      const id = uniqueName("early");
      const event = { source: "shop", id, type: "quick" };
      await stage.temporal.workflow.signalWithStart("event", {
        workflowId: `shop/${id}`,
        taskQueue: stage.config.temporal.taskQueue,
        args: [{ ...event, plan: planEvent(stage.config, event) }],
        signal: "replay",
        signalArgs: [WORD],
      });
      await delivered(`shop/${id}`);
      return `shop/${id}`;
    });
  });
});

describe("a parked event", () => {
  test("costs 6 transitions and 19 events with the replay that delivers it, 8 and 18 by signal", async () => {
    await expectCost("6/19", async () => {
      const key = await parked();
      await stage.far.replay(key, WORD);
      await delivered(key);
      return key;
    });
    await expectCost("8/18", async () => {
      const key = await parked();
      await stage.temporal.workflow.getHandle(key).signal("replay", WORD);
      await delivered(key);
      return key;
    });
  });

  test("costs 3 transitions and 13 events with the discard that ends it, 5 and 12 by signal", async () => {
    await expectCost("3/13", async () => {
      const key = await parked();
      await stage.far.discard(key, WORD);
      await exactState(stage, key);
      return key;
    });
    await expectCost("5/12", async () => {
      const key = await parked();
      await stage.temporal.workflow.getHandle(key).signal("discard", WORD);
      await stage.temporal.workflow.getHandle(key).result();
      await exactState(stage, key);
      return key;
    });
  });

  test("costs nothing while it waits", async () => {
    const key = await parked();
    const before = await cost(key);
    await pause(3000);
    expect(await cost(key)).toBe(before);
  });
});

/** As `transitions/events`. */
async function cost(key: string): Promise<string> {
  const { transitions, events } = await readCost(stage.temporal, key);
  return `${transitions}/${events}`;
}

async function parked(): Promise<string> {
  const { key } = await stage.near().submit({ source: "shop", id: uniqueName("parked"), type: "first-400" });
  expect((await stage.far.settled(key)).state).toBe("needs-attention");
  return key;
}
