/** What shows and what happens without a worker, during long attempts, when the fault is our own, and while a worker leaves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/telemetry/logger.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "looked into it" };
/** Longer than a workflow task (10 s), so that its local attempt needs the task's heartbeats. */
const LONG_MS = 12_000;

/** How often the route of an event of this id was asked for, and when the answer is an exception. */
const asked = new Map<string, number>();
const BROKEN_CALLS: Readonly<Record<string, readonly number[]>> = { "by-our-client": [2, 3], "plain-start": [1, 2] };

function when({ id }: { readonly id: string }): boolean {
  const call = (asked.get(id) ?? 0) + 1;
  asked.set(id, call);
  const kind = Object.keys(BROKEN_CALLS).find((name) => id.startsWith(name)) ?? "";
  if (BROKEN_CALLS[kind]?.includes(call) === true) throw new Error("our own fault");
  return true;
}

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      crm: {},
      "first-400": {},
      later: { retry: { schedule: ["1h"] } },
      long: {},
      "long-careful": { idempotent: false },
      medium: {},
    },
    routes: [
      { match: { type: "sometimes", when }, to: ["crm"] },
      { match: { type: "both" }, to: ["crm", "later"] },
    ],
    scripts: {
      "first-400": [{ status: 400 }, {}],
      later: [{ status: 503 }],
      long: [{ delayMs: LONG_MS }],
      "long-careful": [{ delayMs: LONG_MS }],
      medium: [{ delayMs: 2000 }],
    },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string, id = uniqueName(type)): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id, type, data: { total: 42 } });
  return key;
}

function requestsOf(key: string) {
  return stage.destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}

describe.concurrent("an attempt of twelve seconds", () => {
  test.each([
    ["long", "local"],
    ["long-careful", "direct"],
  ])("shows as delivering at once, and is one request: %s", async (type, via) => {
    const key = await submitted(type);
    await until("the endpoint has it", () => requestsOf(key).length === 1);
    const meanwhile = await stage.far.get(key);
    expect(Date.now() - (requestsOf(key)[0]?.atMs ?? 0)).toBeLessThan(LONG_MS);
    expect(meanwhile).toMatchObject({
      state: "delivering",
      deliveries: [{ state: "delivering", attemptCount: 0, waitingFor: null }],
    });
    await stage.temporal.workflow.getHandle(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries).toMatchObject([{ state: "delivered", attempts: [{ number: 1, via, status: 200 }] }]);
    expect(deliveries[0]?.attempts[0]?.durationMs).toBeGreaterThanOrEqual(LONG_MS);
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("takes a signal in, ends with its answer and is still one request", async () => {
    const key = await submitted("long");
    await until("the endpoint has it", () => requestsOf(key).length === 1);
    await stage.temporal.workflow.getHandle(key).signal("discard", WORD);
    await stage.temporal.workflow.getHandle(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 1 }] });
    expect(requestsOf(key)).toHaveLength(1);
  });
});

describe.concurrent("a fault of our own", () => {
  test("uses no attempt and does not end the run", async () => {
    const key = await submitted("sometimes", uniqueName("by-our-client"));
    await stage.far.settled(key);
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 1 }] });
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("while routes are resolved is waited out", async () => {
    const id = uniqueName("plain-start");
    const key = `shop/${id}`;
    const { taskQueue } = stage.config.temporal;
    await stage.temporal.workflow.start("event", {
      workflowId: key,
      taskQueue,
      args: [{ source: "shop", id, type: "sometimes" }],
    });
    await stage.temporal.workflow.getHandle(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 1 }] });
    expect(requestsOf(key)).toHaveLength(1);
  });
});

describe("without a worker", () => {
  test("every state can be read, and what was accepted is delivered once one is back", async () => {
    const before = await Promise.all(["crm", "first-400", "later", "both"].map(async (type) => await submitted(type)));
    const states = ["delivered", "needs-attention", "waiting-retry", "waiting-retry"];
    const readStates = async () =>
      (await Promise.all(before.map(async (key) => await stage.far.get(key)))).map(({ state }) => state);
    await until("all have come to rest", async () => (await readStates()).join() === states.join());
    const exact = await Promise.all(before.map(async (key) => await exactState(stage, key)));
    await stage.stopWorker();
    expect(await Promise.all(before.map(async (key) => await stage.far.get(key)))).toEqual(exact);
    const waiting = await submitted("crm");
    expect(await stage.far.get(waiting)).toMatchObject({
      state: "accepted",
      deliveries: [{ state: "accepted", waitingFor: "worker" }],
    });
    const again = { source: "shop", id: waiting.slice("shop/".length), type: "crm", data: { total: 42 } };
    expect(await stage.far.submit(again)).toMatchObject({ key: waiting, duplicate: true, state: "in-progress" });
    await stage.startWorker();
    expect(await stage.far.settled(waiting)).toMatchObject({ state: "delivered" });
    expect(await stage.near().submit(again)).toMatchObject({ duplicate: true, state: "delivered" });
    expect(requestsOf(waiting)).toHaveLength(1);
    await exactState(stage, waiting);
    await Promise.all(before.slice(1).map(async (key) => await stage.temporal.workflow.getHandle(key).cancel()));
    await Promise.all(before.map(async (key) => await stage.temporal.workflow.getHandle(key).result()));
    await Promise.all(before.map(async (key) => await exactState(stage, key)));
  });
});

describe("a worker that is told to stop", () => {
  test("ends the requests it has in hand, and records them", async () => {
    const key = await submitted("medium");
    await until("the endpoint has it", () => requestsOf(key).length === 1);
    await stage.stopWorker();
    expect(await stage.far.get(key)).toMatchObject({
      state: "delivered",
      deliveries: [{ attempts: [{ status: 200, via: "local" }] }],
    });
    expect(requestsOf(key)).toHaveLength(1);
  });
});

describe("a worker whose log cannot be written", () => {
  test("delivers all the same, once", async () => {
    const log = createLogger("silent");
    const worker = await stage.startWorker({ log });
    Object.assign(log, { info: fail, warn: fail, error: fail });
    const keys = await Promise.all(["crm", "both", "medium"].map(async (type) => await submitted(type)));
    await until("all were sent", async () =>
      (await Promise.all(keys.map(async (key) => await stage.far.get(key)))).every(({ deliveries }) =>
        deliveries.every(({ attemptCount }) => attemptCount > 0),
      ),
    );
    const states = await Promise.all(keys.map(async (key) => await exactState(stage, key)));
    expect(states.map(({ state }) => state)).toEqual(["delivered", "waiting-retry", "delivered"]);
    expect(keys.map((key) => requestsOf(key).length)).toEqual([1, 2, 1]);
    await worker.stop();
  });
});

function fail(): never {
  throw new Error("write EPIPE");
}
