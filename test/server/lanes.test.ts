/** Attempts that go by the endpoint's own queue: limits, isolation, a share that is used up. */
import { setTimeout as pause } from "node:timers/promises";
import proto from "@temporalio/proto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { GATES_WORKFLOW_ID, laneQueue } from "../../src/delivery/names.ts";
import { GATES_MEMO } from "../../src/workflows/messages.ts";
import { startChild } from "../support/child.ts";
import { exactState, historyText, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    // Two of these slots for one endpoint.
    concurrency: 20,
    endpoints: {
      crm: {},
      narrow: { limits: { concurrency: 2 } },
      vault: { isolated: true, url: { env: "VAULT_URL" }, headers: { authorization: { env: "VAULT_TOKEN" } } },
      sleepy: {},
    },
    routes: [{ match: { type: "both" }, to: ["crm", "vault"] }],
    scripts: { narrow: [{ status: 503 }, {}], sleepy: [{ delayMs: 1000 }] },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: { total: 42 } });
  return key;
}

function requestsOf(key: string) {
  return stage.destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}

function vaultEnvironment() {
  return { VAULT_URL: `${stage.destination.url}/vault`, VAULT_TOKEN: "Bearer of-the-vault" };
}

describe("an endpoint with limits", () => {
  test("is served by its lane, also for retries, and its lane is entered in the registry", async () => {
    const key = await submitted("narrow");
    await stage.far.settled(key);
    const { deliveries } = await exactState(stage, key);
    expect(deliveries).toMatchObject([
      {
        state: "delivered",
        attempts: [
          { status: 503, via: "lane" },
          { status: 200, via: "lane" },
        ],
      },
    ]);
    const entries = await until("the registry has it", async () => {
      const { memo, status } = await stage.temporal.workflow.getHandle(GATES_WORKFLOW_ID).describe();
      return status.name === "RUNNING" && memo?.[GATES_MEMO];
    });
    expect(entries).toEqual({ narrow: { state: "open", until: null, laneInUse: true, version: 1 } });
  });

  test("is followed by the processes that hear of it from the registry", async () => {
    const { address, config, temporal } = stage;
    const other = startChild("worker-process.ts", { address, config });
    onTestFinished(async () => await other.kill());
    await other.line("is up", ({ ready }) => ready === true);
    await until("the other process polls the lane", async () => {
      const { pollers } = await temporal.workflowService.describeTaskQueue({
        namespace: temporal.options.namespace,
        taskQueue: { name: laneQueue(config.temporal.taskQueue, "narrow") },
        taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
      });
      return pollers?.some(({ identity }) => identity?.startsWith(`${other.pid}@`) === true);
    });
  });
});

describe("an isolated endpoint", () => {
  test("waits for a worker of its own, which alone needs its secrets", async () => {
    const keys = [await submitted("vault"), await submitted("both")];
    const [alone, both] = keys;
    await until("both wait", async () =>
      (await Promise.all(keys.map(async (key) => await stage.far.get(key)))).every(
        ({ deliveries }) =>
          deliveries.at(-1)?.waitingFor === "worker" &&
          (deliveries.length === 1 || deliveries[0]?.state === "delivered"),
      ),
    );
    await pause(1100);
    expect(stage.destination.requests.filter(({ path }) => path === "/vault")).toEqual([]);
    await expect(stage.startWorker({ only: ["vault"] })).rejects.toMatchObject({
      code: "missing_env",
      message: expect.stringContaining("VAULT_"),
    });
    const own = await stage.startWorker({ only: ["vault"], environment: vaultEnvironment() });
    await Promise.all(keys.map(async (key) => await stage.far.settled(key)));
    expect(await exactState(stage, alone ?? "")).toMatchObject({
      state: "delivered",
      deliveries: [{ attempts: [{ via: "lane" }] }],
    });
    expect(await exactState(stage, both ?? "")).toMatchObject({ state: "delivered" });
    expect((await stage.far.get(alone ?? "")).deliveries[0]?.attempts[0]?.heldMs).toBeGreaterThanOrEqual(1000);
    const headers = stage.destination.requests
      .filter(({ path }) => path === "/vault")
      .map((request) => request.headers["authorization"]);
    expect(headers).toEqual(["Bearer of-the-vault", "Bearer of-the-vault"]);
    await own.stop();
  });

  test("is left at once when its queued attempt is discarded, and nothing is ever sent", async () => {
    const key = await submitted("vault");
    await until("it waits", async () => (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker");
    const verdict = await stage.far.discard(key, { actor: "ana@example.com", reason: "not needed any more" });
    expect(verdict).toMatchObject({ counted: true, refusedBecause: null });
    expect(await exactState(stage, key)).toMatchObject({ state: "discarded", deliveries: [{ attemptCount: 0 }] });
    expect(requestsOf(key)).toEqual([]);
  });

  test("is all that its worker does", async () => {
    const taskQueue = uniqueName("queue");
    const config = { ...stage.config, temporal: { ...stage.config.temporal, taskQueue } };
    const own = await stage.startWorker({ config, only: ["vault"], environment: vaultEnvironment() });
    const id = uniqueName("nobody");
    const handle = await stage.temporal.workflow.start("event", {
      workflowId: `shop/${id}`,
      taskQueue,
      args: [{ source: "shop", id, type: "crm" }],
    });
    await pause(1000);
    expect((await handle.describe()).historyLength).toBe(2);
    await handle.terminate();
    await own.stop();
  });

  test("has to be configured", async () => {
    await expect(stage.startWorker({ only: ["nowhere"] })).rejects.toMatchObject({
      code: "unknown_endpoint",
      message: expect.stringMatching(/nowhere.*crm, narrow, vault, sleepy/),
    });
  });

  test("leaves no secret and no URL in the history", async () => {
    const own = await stage.startWorker({ only: ["vault"], environment: vaultEnvironment() });
    const key = await submitted("vault");
    await stage.temporal.workflow.getHandle(key).result();
    const text = await historyText(stage.temporal, key);
    expect(text).toContain('"state":"delivered"');
    expect(text).not.toMatch(/of-the-vault|127\.0\.0\.1/);
    await own.stop();
  });
});

describe("the registry", () => {
  test("that somebody ended is started again by the next attempt that needs a lane", async () => {
    const handle = stage.temporal.workflow.getHandle(GATES_WORKFLOW_ID);
    await handle.terminate("by hand");
    await until("a lane is entered again", async () => {
      await stage.far.settled(await submitted("narrow"));
      const { status, memo } = await handle.describe();
      return status.name === "RUNNING" && memo?.[GATES_MEMO] !== undefined;
    });
  });
});

describe("a share that is used up", () => {
  test("sends what is over it to the lane, and every event is delivered once", async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, async () => await submitted("sleepy")));
    await Promise.all(keys.map(async (key) => await stage.far.settled(key)));
    const states = await Promise.all(keys.map(async (key) => await exactState(stage, key)));
    const ways = states.map(({ deliveries }) => deliveries[0]?.attempts.map(({ via }) => via).join());
    expect(states.map(({ state }) => state)).toEqual(keys.map(() => "delivered"));
    expect(ways.filter((way) => way === "local")).toHaveLength(2);
    expect(ways.filter((way) => way === "lane")).toHaveLength(6);
    expect(keys.map((key) => requestsOf(key).length)).toEqual(keys.map(() => 1));
  });
});
