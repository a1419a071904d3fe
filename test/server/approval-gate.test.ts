/** The last look before the first byte: forged plans, changed configurations, late approvals, held lanes. */
import proto from "@temporalio/proto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EventReport } from "../../src/client/get-event.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { planEvent } from "../../src/config/plan-event.ts";
import type { RawConfig, RawRoute } from "../../src/config/raw-config.ts";
import type { Config } from "../../src/config/config.ts";
import { laneQueue } from "../../src/delivery/names.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const [ANA, BEN] = ["ana@example.com", "ben@example.com"];
const PEOPLE = { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] } };
const APPROVAL = { approvers: ["group:finance"] };

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      payments: {},
      other: {},
      slow: { limits: { concurrency: 5 } },
      vault: { isolated: true },
    },
    routes: ["payments", "slow", "vault"].map((name) => ({
      match: { type: `ask-${name}` },
      to: [name],
      approval: APPROVAL,
    })),
    rest: { people: PEOPLE },
  });
});

afterAll(async () => await stage.close());

/** Each test may have changed the worker. */
beforeEach(async () => {
  await stage.stopWorker();
  await stage.startWorker();
});

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

function requestsOf(key: string) {
  return stage.destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}

async function inState(key: string, state: EventReport["state"], revision?: number): Promise<EventReport> {
  return await until(`${key} is ${state}`, async () => {
    const report = await stage.far.get(key);
    const at = report.deliveries[0]?.proposal?.revision;
    return report.state === state && (revision === undefined || at === revision) && report;
  });
}

async function proposed(type: string): Promise<{ readonly key: string; readonly digest: string }> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: { amount: 900 } });
  return { key, digest: digestOf(await inState(key, "awaiting-approval")) };
}

function digestOf({ deliveries }: EventReport): string {
  return deliveries[0]?.proposal?.digest ?? "";
}

/** The stage's configuration with something about it changed; on the same queue. */
function changedConfig(change: (raw: ReturnType<typeof rawConfig>) => RawConfig): Config {
  return parseConfig(change(rawConfig()), { path: null });
}

function rawConfig() {
  const { temporal } = stage.config;
  const url = (name: string) => `${stage.destination.url}/${name}`;
  const allowPrivate = ["127.0.0.0/8"];
  const retry = { schedule: ["1s" as const] };
  const routes: RawRoute[] = ["payments", "slow"].map((name) => ({
    match: { type: `ask-${name}` },
    to: [name],
    approval: APPROVAL,
  }));
  return {
    temporal,
    sources: { shop: {}, billing: {} },
    people: PEOPLE,
    routes,
    endpoints: {
      payments: { url: url("payments"), allowPrivate, retry },
      other: { url: url("other"), allowPrivate, retry },
      slow: { url: url("slow"), allowPrivate, retry, limits: { concurrency: 5 } },
    },
  };
}

async function replaceWorker(config: Config): Promise<void> {
  await stage.stopWorker();
  await stage.startWorker({ config });
}

/** 0 keeps the work of the lane on the server, null takes the limit away. */
async function setLanePace(requestsPerSecond: number | null): Promise<void> {
  await stage.temporal.workflowService.updateTaskQueueConfig({
    namespace: stage.temporal.options.namespace,
    identity: "test",
    taskQueue: laneQueue(stage.config.temporal.taskQueue, "slow"),
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    updateQueueRateLimit: {
      reason: "test",
      ...(requestsPerSecond === null ? {} : { rateLimit: { requestsPerSecond } }),
    },
  });
}

describe("a workflow started by hand", () => {
  const forge = async (type: string, change: (plan: ReturnType<typeof planEvent>) => unknown) => {
    const event = { source: "shop", id: uniqueName("forged"), type, data: { amount: 900 } };
    const plan = change(planEvent(stage.config, event));
    const workflowId = `shop/${event.id}`;
    const taskQueue = stage.config.temporal.taskQueue;
    await stage.temporal.workflow.start("event", { workflowId, taskQueue, args: [{ ...event, plan }] });
    return workflowId;
  };

  test("with a plan that leaves the approval out sends nothing and asks for it", async () => {
    const key = await forge("ask-payments", ({ fingerprint, deliveries }) => ({
      fingerprint,
      deliveries: deliveries.map(({ endpoint, settings: { approval: _, ...settings } }) => ({ endpoint, settings })),
    }));
    const waiting = await inState(key, "awaiting-approval");
    expect(requestsOf(key)).toEqual([]);
    await exactState(stage, key);
    await handleOf(key).signal("approve", { actor: ANA, digest: digestOf(waiting) });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("with a plan that names another endpoint sends nothing", async () => {
    const key = await forge("ask-payments", ({ fingerprint, deliveries }) => ({
      fingerprint,
      deliveries: deliveries.map(({ settings }) => ({ endpoint: "other", settings })),
    }));
    expect((await inState(key, "needs-attention")).deliveries[0]?.attention?.reason).toBe("misconfigured");
    expect(requestsOf(key)).toEqual([]);
    await exactState(stage, key);
  });

  test("with proposals, votes and quorums of its own making sends nothing", async () => {
    const key = await forge("ask-payments", ({ fingerprint, deliveries }) => ({
      fingerprint,
      quorum: 0,
      deliveries: deliveries.map(({ endpoint, settings }) => ({
        endpoint,
        settings: { ...settings, approval: { quorum: 0, standing: "approved" } },
        approval: { standing: "approved", approvals: [{ actor: ANA }], quorum: 0 },
      })),
    }));
    expect(await inState(key, "awaiting-approval")).toMatchObject({
      deliveries: [{ proposal: { policy: { quorum: 1 }, approvals: [] }, decisions: [] }],
    });
    expect(requestsOf(key)).toEqual([]);
  });

  test("with a plan and an alias for its source runs under the one key of the event, or not at all", async () => {
    const event = { source: "https://shop.example/orders", id: uniqueName("alias"), type: "ask-payments", data: {} };
    const plan = planEvent(stage.config, { ...event, source: "shop" });
    const { taskQueue } = stage.config.temporal;
    const start = async (workflowId: string) =>
      await stage.temporal.workflow.start("event", { workflowId, taskQueue, args: [{ ...event, plan }] });
    const stray = await start(`${event.source}/${event.id}`);
    await expect(stray.result()).rejects.toMatchObject({ cause: { type: "bad_event" } });
    await start(`shop/${event.id}`);
    await inState(`shop/${event.id}`, "awaiting-approval");
    await exactState(stage, `shop/${event.id}`);
  });

  test("without a plan waits for the approval all the same", async () => {
    const id = uniqueName("plain");
    const args = [{ source: "shop", id, type: "ask-payments", data: { amount: 12345678901234567890n.toString() } }];
    const { taskQueue } = stage.config.temporal;
    await stage.temporal.workflow.start("event", { workflowId: `shop/${id}`, taskQueue, args });
    const waiting = await inState(`shop/${id}`, "awaiting-approval");
    await handleOf(`shop/${id}`).signal("approve", { actor: ANA, digest: digestOf(waiting) });
    await inState(`shop/${id}`, "delivered");
    await exactState(stage, `shop/${id}`);
  });
});

describe("between the approval and the request", () => {
  test("an endpoint that moves is asked about anew; the old approval sends nothing", async () => {
    await setLanePace(0);
    const { key, digest } = await proposed("ask-slow");
    await stage.far.approve(key, { actor: ANA, digest });
    await until("it waits on the lane", async () => (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker");
    const moved = changedConfig((raw) => ({
      ...raw,
      endpoints: { ...raw.endpoints, slow: { ...raw.endpoints.slow, url: `${stage.destination.url}/moved` } },
    }));
    await replaceWorker(moved);
    await setLanePace(null);
    const asked = await inState(key, "awaiting-approval", 2);
    expect(requestsOf(key)).toEqual([]);
    expect(asked.deliveries[0]).toMatchObject({
      decisions: [{ actor: ANA, digest, revision: 1, counted: true }],
      proposal: { approvals: [], action: { url: `${stage.destination.url}/moved` } },
    });
    expect(await stage.far.approve(key, { actor: BEN, digest })).toMatchObject({ refusedBecause: "stale-revision" });
    await stage.far.approve(key, { actor: BEN, digest: digestOf(asked) });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key).map(({ path }) => path)).toEqual(["/moved"]);
  });

  test("an approver who may no longer decide takes their approval along", async () => {
    await setLanePace(0);
    const { key, digest } = await proposed("ask-slow");
    await stage.far.approve(key, { actor: ANA, digest });
    await until("it waits on the lane", async () => (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker");
    await replaceWorker(changedConfig((raw) => ({ ...raw, people: { [BEN]: { groups: ["finance"] } } })));
    await setLanePace(null);
    const asked = await inState(key, "awaiting-approval", 2);
    expect(requestsOf(key)).toEqual([]);
    expect(await stage.far.approve(key, { actor: ANA, digest: digestOf(asked) })).toMatchObject({
      refusedBecause: "unknown-person",
    });
    await stage.far.approve(key, { actor: BEN, digest: digestOf(asked) });
    await inState(key, "delivered");
    await exactState(stage, key);
  });

  test("an approval can be taken back while the lane holds the request", async () => {
    await setLanePace(0);
    const { key, digest } = await proposed("ask-slow");
    await stage.far.approve(key, { actor: ANA, digest });
    await until("it waits on the lane", async () => (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker");
    expect(await stage.far.withdraw(key, { actor: ANA, digest })).toMatchObject({ counted: true });
    await inState(key, "awaiting-approval");
    await exactState(stage, key);
    await setLanePace(null);
    await stage.far.reject(key, { actor: BEN, digest, note: "better not" });
    await inState(key, "rejected");
    expect(requestsOf(key)).toEqual([]);
  });

  test("an approval that expires while the lane holds the request expires, and nothing is sent", async () => {
    await replaceWorker(
      changedConfig((raw) => ({
        ...raw,
        routes: [{ match: { type: "ask-slow" }, to: ["slow"], approval: { ...APPROVAL, expires: "4s" } }],
      })),
    );
    await setLanePace(0);
    const { key, digest } = await proposed("ask-slow");
    expect(await stage.far.approve(key, { actor: ANA, digest })).toMatchObject({ counted: true });
    await inState(key, "expired");
    await exactState(stage, key);
    await setLanePace(null);
    expect(requestsOf(key)).toEqual([]);
    expect(await stage.far.approve(key, { actor: BEN, digest })).toMatchObject({
      counted: false,
      refusedBecause: "expired",
    });
  });

  test("an approval given in time is too late when workers come back after its end", async () => {
    await replaceWorker(
      changedConfig((raw) => ({
        ...raw,
        routes: [
          {
            match: { type: "ask-payments" },
            to: ["payments"],
            approval: { ...APPROVAL, expires: "3s", onExpire: "park" },
          },
        ],
      })),
    );
    const { key, digest } = await proposed("ask-payments");
    const { expiresAt = "" } = (await stage.far.get(key)).deliveries[0]?.proposal ?? {};
    await stage.stopWorker();
    await handleOf(key).signal("approve", { actor: ANA, digest });
    await until("the approval has expired", () => Date.now() > Date.parse(expiresAt) + 500);
    await stage.startWorker();
    await inState(key, "needs-attention");
    const [parked] = await until("the late word is on record", async () => {
      const { deliveries } = await stage.far.get(key);
      return deliveries[0]?.decisions.length === 1 && deliveries;
    });
    expect(parked).toMatchObject({
      attention: { reason: "approval-expired" },
      decisions: [{ actor: ANA, counted: false, refusedBecause: "expired" }],
    });
    expect(requestsOf(key)).toEqual([]);
    await stage.far.replay(key, { actor: BEN, reason: "still wanted" });
    const asked = await inState(key, "awaiting-approval", 2);
    await stage.far.approve(key, { actor: ANA, digest: digestOf(asked) });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key)).toHaveLength(1);
  });
});

describe("an isolated endpoint", () => {
  test("is approved without the process that holds its credentials, and called by that one alone", async () => {
    const { key, digest } = await proposed("ask-vault");
    await stage.far.approve(key, { actor: ANA, digest });
    await until("it waits for its own worker", async () => {
      return (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker";
    });
    expect(requestsOf(key)).toEqual([]);
    const keeper = await stage.startWorker({ only: ["vault"] });
    try {
      await inState(key, "delivered");
      await exactState(stage, key);
      expect(requestsOf(key)).toHaveLength(1);
    } finally {
      await keeper.stop();
    }
  });
});
