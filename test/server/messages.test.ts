/** A person's word: updates for our own tools, signals and cancel requests for people in the Temporal UI. */
import { setTimeout as pause } from "node:timers/promises";
import { WorkflowUpdateFailedError } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventReport } from "../../src/client/get-event.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "looked into it" };

/** Attempts in hand of the slow endpoints, by event id: each is answered once `answer` is called. */
const inHand = new Map<string, () => void>();

/** Answers when told, and after five seconds by itself. */
function whenTold(first: ScriptedAnswer): (request: DestinationRequest) => Promise<ScriptedAnswer> {
  return async ({ headers, nth }) => {
    const told = new Promise<void>((resolve) => inHand.set(headers["ce-id"] ?? "", resolve));
    await Promise.race([told, pause(5000)]);
    return nth === 1 ? first : {};
  };
}

let stage: Stage;

beforeAll(async () => {
  const hourly = { schedule: ["1h", "1h"], jitter: 0 } as const;
  stage = await openStage({
    endpoints: {
      bad: {},
      worse: {},
      later: { retry: hourly },
      slow: {},
      "slow-bad": {},
      "slow-later": { retry: hourly },
      "slow-careful": { idempotent: false, retry: hourly },
      "slow-again": {},
    },
    routes: [{ match: { type: "both" }, to: ["bad", "worse"] }],
    scripts: {
      bad: [{ status: 400 }, {}],
      worse: [{ status: 422 }, {}],
      later: [{ status: 503 }, {}],
      slow: whenTold({}),
      "slow-bad": whenTold({ status: 400 }),
      "slow-later": whenTold({ status: 503 }),
      "slow-careful": whenTold({ status: 429 }),
      "slow-again": async (request) => (request.nth === 1 ? { status: 503 } : await whenTold({})(request)),
    },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string, from: Pick<Stage["far"], "submit"> = stage.far): Promise<string> {
  const { key } = await from.submit({ source: "shop", id: uniqueName(type), type });
  return key;
}

async function inState(key: string, state: EventReport["state"]): Promise<EventReport> {
  return await until(`${key} is ${state}`, async () => {
    const report = await stage.far.get(key);
    return report.state === state && report;
  });
}

async function parked(type = "bad"): Promise<string> {
  const key = await submitted(type);
  await inState(key, "needs-attention");
  return key;
}

/** An event whose attempt the endpoint has in hand for at least 300 ms. */
async function underWay(type: string): Promise<string> {
  const key = await submitted(type, stage.near());
  await until("the endpoint has the request", () => requestsOf(key).length === 1);
  await pause(300);
  return key;
}

function answer(key: string): void {
  inHand.get(key.slice("shop/".length))?.();
}

function requestsOf(key: string) {
  return stage.destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

describe.concurrent("a parked event", () => {
  const ends = { replay: "delivered", discard: "discarded", "mark-delivered": "delivered" } as const;

  test.each(["replay", "discard", "mark-delivered"] as const)(
    "takes %s by update and by signal, and keeps the word",
    async (action) => {
      const [byUpdate, bySignal] = await Promise.all([parked(), parked()]);
      const verdict = await handleOf(byUpdate).executeUpdate("resolve", { args: [{ ...WORD, action }] });
      expect(verdict).toEqual({ counted: true, refusedBecause: null, at: expect.any(String) });
      await handleOf(bySignal).signal(action, WORD);
      for (const key of [byUpdate, bySignal]) {
        await inState(key, ends[action]);
        const [delivery] = (await exactState(stage, key)).deliveries;
        expect(delivery).toMatchObject({
          attention: null,
          resolutions: [{ ...WORD, action, counted: true, refusedBecause: null }],
        });
        expect(requestsOf(key)).toHaveLength(action === "replay" ? 2 : 1);
        expect((await handleOf(key).describe()).status.name).toBe("COMPLETED");
      }
    },
  );

  test("answers a second replay with a refusal, and sends once", async () => {
    const key = await parked();
    const verdicts = await Promise.all([
      stage.far.replay(key, WORD),
      stage.far.replay(key, WORD),
      stage.near().replay(key, WORD),
    ]);
    expect(verdicts.filter(({ counted }) => counted)).toHaveLength(1);
    await inState(key, "delivered");
    expect(requestsOf(key)).toHaveLength(2);
  });

  test("records what does not count, with the reason, and changes nothing", async () => {
    const key = await parked();
    await handleOf(key).signal("replay", { actor: "ana" });
    await handleOf(key).signal("discard", { reason: "no name" });
    await handleOf(key).signal("replay", { ...WORD, delivery: "nowhere" });
    await handleOf(key).signal("hurry", WORD);
    await handleOf(key).signal("discard");
    const state = await until("all are recorded", async () => {
      const report = await stage.far.get(key);
      return report.deliveries[0]?.resolutions.length === 5 && report;
    });
    expect(state.deliveries[0]?.resolutions.map(({ refusedBecause }) => refusedBecause)).toEqual([
      "malformed",
      "malformed",
      "unknown-delivery",
      "not-waiting",
      "malformed",
    ]);
    expect(await exactState(stage, key)).toMatchObject({ state: "needs-attention" });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await inState(key, "delivered");
    await exactState(stage, key);
  });

  test("is not troubled by messages it does not know, nor by arguments that are no object", async () => {
    const key = await parked();
    await handleOf(key).signal("approve", { ...WORD, digest: "sha256:0" });
    await handleOf(key).signal("no-such-signal", 1, [2], { three: null });
    for (const junk of [7, "replay", [[[]]], true]) await handleOf(key).signal("replay", junk);
    const update = handleOf(key).executeUpdate("resolve", { args: ["replay"] });
    await expect(update).rejects.toBeInstanceOf(WorkflowUpdateFailedError);
    expect(await handleOf(key).executeUpdate("resolve", { args: [{ ...WORD, action: "approve" }] })).toMatchObject({
      counted: false,
      refusedBecause: "not-supported",
    });
    await exactState(stage, key);
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    expect(await exactState(stage, key)).toMatchObject({ state: "discarded" });
  });
});

describe.concurrent("an event with several deliveries", () => {
  test("asks which one is meant, and resolves them one by one", async () => {
    const key = await parked("both");
    await until("both are parked", async () =>
      (await stage.far.get(key)).deliveries.every((delivery) => delivery.state === "needs-attention"),
    );
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: false, refusedBecause: "several-deliveries" });
    expect(await stage.far.replay(key, { ...WORD, delivery: "worse" })).toMatchObject({ counted: true });
    await until("one is delivered", async () => (await stage.far.get(key)).deliveries[1]?.state === "delivered");
    await exactState(stage, key);
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    await handleOf(key).result();
    const { state, deliveries } = await exactState(stage, key);
    expect([state, deliveries.map((one) => one.state)]).toEqual(["discarded", ["discarded", "delivered"]]);
    expect(requestsOf(key)).toHaveLength(3);
  });

  test("is discarded whole by a cancel request", async () => {
    const key = await parked("both");
    await handleOf(key).cancel();
    await handleOf(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries.map((one) => one.state)).toEqual(["discarded", "discarded"]);
    expect(deliveries.map((one) => one.attemptCount)).toEqual([1, 1]);
  });
});

describe.concurrent("a retry wait", () => {
  test.each(["discard", "mark-delivered", "cancel"] as const)("is ended by %s at once", async (action) => {
    const key = await submitted("later");
    await inState(key, "waiting-retry");
    if (action === "cancel") await handleOf(key).cancel();
    else await handleOf(key).signal(action, WORD);
    await handleOf(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries).toMatchObject([
      { state: action === "mark-delivered" ? "delivered" : "discarded", attemptCount: 1, nextAt: null },
    ]);
    expect((await handleOf(key).describe()).status.name).toBe("COMPLETED");
  });

  test("goes on after a replay, which is refused", async () => {
    const key = await submitted("later");
    const before = await inState(key, "waiting-retry");
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: false, refusedBecause: "not-parked" });
    const after = await exactState(stage, key);
    expect(after.deliveries[0]?.nextAt).toBe(before.deliveries[0]?.nextAt);
    await stage.far.discard(key, WORD);
    await exactState(stage, key);
  });
});

describe.concurrent("during an attempt", () => {
  const five = [1, 2, 3, 4, 5];

  test("a signal does not lead to a second request, five times", async () => {
    const keys = await Promise.all(five.map(async () => await underWay("slow")));
    await Promise.all(keys.map(async (key) => await handleOf(key).signal("replay", WORD)));
    for (const key of keys) {
      answer(key);
      await handleOf(key).result();
      expect((await exactState(stage, key)).deliveries).toMatchObject([
        {
          state: "delivered",
          attempts: [{ number: 1, outcome: "delivered", status: 200 }],
          resolutions: [{ action: "replay", counted: false }],
        },
      ]);
      expect(requestsOf(key)).toHaveLength(1);
    }
  });

  test("a discard by signal waits for its answer, five times", async () => {
    const keys = await Promise.all(five.map(async () => await underWay("slow-later")));
    await Promise.all(keys.map(async (key) => await handleOf(key).signal("discard", WORD)));
    for (const key of keys) {
      answer(key);
      await handleOf(key).result();
      expect((await exactState(stage, key)).deliveries).toMatchObject([
        {
          state: "discarded",
          attempts: [{ number: 1, outcome: "retry", status: 503 }],
          resolutions: [{ counted: true }],
        },
      ]);
      expect(requestsOf(key)).toHaveLength(1);
    }
  });

  test.each(["slow", "slow-bad", "slow-later", "slow-careful"])(
    "a cancel request keeps the attempt in the record: %s",
    async (type) => {
      const key = await underWay(type);
      await handleOf(key).cancel();
      answer(key);
      await handleOf(key).result();
      const [delivery] = (await exactState(stage, key)).deliveries;
      expect(delivery).toMatchObject({ state: type === "slow" ? "delivered" : "discarded", attemptCount: 1 });
      // It is about what has not ended: what its own answer has delivered is not touched, nor written upon.
      expect(delivery?.resolutions).toMatchObject(type === "slow" ? [] : [{ actor: "temporal:cancel", counted: true }]);
      expect(requestsOf(key)).toHaveLength(1);
      expect((await handleOf(key).describe()).status.name).toBe("COMPLETED");
    },
  );

  test("of a retry, several signals and a cancel request lead to no further request", async () => {
    const key = await submitted("slow-again");
    await until("the endpoint has the retry", () => requestsOf(key).length === 2);
    await handleOf(key).signal("replay", WORD);
    await handleOf(key).signal("hurry", WORD);
    await handleOf(key).cancel();
    answer(key);
    await handleOf(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries).toMatchObject([{ state: "delivered", attempts: [{ status: 503 }, { number: 2, status: 200 }] }]);
    expect(deliveries[0]?.resolutions.map(({ counted }) => counted)).toEqual([false, false]);
    expect(requestsOf(key)).toHaveLength(2);
  });

  test("of a run that was started without our client, a signal does not lead to a second request", async () => {
    const id = uniqueName("plain");
    const key = `shop/${id}`;
    const { taskQueue } = stage.config.temporal;
    await stage.temporal.workflow.start("event", {
      workflowId: key,
      taskQueue,
      args: [{ source: "shop", id, type: "slow" }],
    });
    await until("the endpoint has the request", () => requestsOf(key).length === 1);
    await handleOf(key).signal("discard", WORD);
    answer(key);
    await handleOf(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 1 }] });
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("an update is answered once the attempt has ended the run: too late, no error", async () => {
    const [local, direct] = await Promise.all([underWay("slow"), underWay("slow-careful")]);
    const verdicts = [stage.far.discard(local, WORD), stage.far.discard(direct, WORD)];
    await pause(300);
    for (const key of [local, direct]) answer(key);
    expect(await Promise.all(verdicts)).toMatchObject([
      { counted: false, refusedBecause: "already-ended" },
      { counted: true },
    ]);
    expect(await exactState(stage, local)).toMatchObject({ state: "delivered" });
    expect(await exactState(stage, direct)).toMatchObject({ state: "discarded" });
    expect([requestsOf(local).length, requestsOf(direct).length]).toEqual([1, 1]);
  });

  test("of a replay, a second replay is refused and sends nothing", async () => {
    const key = await underWay("slow-bad");
    answer(key);
    await inState(key, "needs-attention");
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await until("the endpoint has it", () => requestsOf(key).length === 2);
    await handleOf(key).signal("replay", WORD);
    answer(key);
    await handleOf(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries[0]?.resolutions).toMatchObject([
      { counted: true },
      { counted: false, refusedBecause: "attempt-in-flight" },
    ]);
    expect(requestsOf(key)).toHaveLength(2);
  });
});

describe("a finished event", () => {
  test("answers every word with already-ended, and a key nobody used with not_found", async () => {
    const key = await underWay("slow");
    answer(key);
    await inState(key, "delivered");
    const words = [stage.far.replay(key, WORD), stage.far.discard(key, WORD), stage.far.markDelivered(key, WORD)];
    for (const word of words) expect(await word).toMatchObject({ counted: false, refusedBecause: "already-ended" });
    await expect(stage.far.replay("shop/nobody-used-this", WORD)).rejects.toMatchObject({ code: "not_found" });
    expect(requestsOf(key)).toHaveLength(1);
  });
});

describe("what cannot be decoded", () => {
  test("is a word that does not count, and spoils nothing", async () => {
    const key = await submitted("bad");
    await stage.far.settled(key);
    await stage.temporal.workflowService.signalWorkflowExecution({
      namespace: stage.temporal.options.namespace,
      workflowExecution: { workflowId: key },
      signalName: "replay",
      input: { payloads: [{ metadata: { encoding: Buffer.from("binary/encrypted") }, data: Buffer.from([1, 2]) }] },
    });
    await until("it is on record", async () => (await stage.far.get(key)).deliveries[0]?.resolutions.length === 1);
    expect(await exactState(stage, key)).toMatchObject({
      state: "needs-attention",
      deliveries: [{ resolutions: [{ action: "replay", counted: false, refusedBecause: "malformed" }] }],
    });
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
  });
});

describe("after a cancel request", () => {
  test("every word still gets its verdict", async () => {
    const key = await submitted("slow-bad", stage.far);
    const handle = stage.temporal.workflow.getHandle(key);
    await until("the attempt is in hand", () => inHand.has(key.slice("shop/".length)));
    await handle.cancel();
    const verdict = stage.far.replay(key, WORD);
    inHand.get(key.slice("shop/".length))?.();
    // Which of the two the run reads first is the server's affair; that it answers is ours.
    expect(await verdict).toMatchObject({ counted: expect.any(Boolean), at: expect.any(String) });
    expect((await stage.far.settled(key)).state).toMatch(/discarded|delivered/u);
  });
});
