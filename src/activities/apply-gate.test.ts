import { MockActivityEnvironment } from "@temporalio/testing";
import { describe, expect, test } from "vitest";
import type { GateOrder } from "../delivery/gates/gate-entry.ts";
import { createEndpointActivities, type GateDependencies } from "./apply-gate.ts";
import type { EndpointActivities } from "./contract.ts";

interface Scene {
  readonly activities: EndpointActivities;
  readonly done: unknown[];
  /** Moves the clock. */
  readonly clock: { nowMs: number };
  apply(order: Partial<GateOrder>): Promise<unknown>;
}

function aScene(changes: Partial<GateDependencies> = {}): Scene {
  const done: unknown[] = [];
  const clock = { nowMs: 0 };
  const activities = createEndpointActivities({
    limitOf: (name) => (name === "narrow" ? 20 : null),
    async setLaneRate(endpoint, rate) {
      done.push(["rate", endpoint, rate]);
      return await Promise.resolve("set");
    },
    async putGate(endpoint, gate) {
      done.push(["gate", endpoint, gate]);
      await Promise.resolve();
    },
    held: async () => await Promise.resolve(3),
    isCurrent: async () => await Promise.resolve(true),
    stopwatch() {
      const startedMs = clock.nowMs;
      return () => clock.nowMs - startedMs;
    },
    applied: (order, result) => void done.push(["applied", order.endpoint, result]),
    log: { attempted() {}, lookedUp() {}, failed() {}, clockDiffers() {}, handlerFailed() {} },
    ...changes,
  });
  return {
    activities,
    done,
    clock,
    apply: async (order) =>
      await new MockActivityEnvironment({ ...TRY, startToCloseTimeoutMs: OWN_TIME_MS }, { logger: SILENT }).run(
        activities.applyGate,
        {
          v: 1 as const,
          endpoint: "crm",
          gate: PAUSED,
          ratePerSecond: 0,
          reason: "paused by ana:\n maintenance",
          ...order,
        },
      ),
  };
}

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const OWN_TIME_MS = 10_000;
const TRY = { activityId: "7", attempt: 2, workflowExecution: { workflowId: "endpoint:crm", runId: "run-1" } };
const PAUSED = { state: "paused", until: null } as const;

test("a gate is applied to the lane first, then to the registry", async () => {
  const scene = aScene();
  expect(await scene.apply({})).toEqual({ lane: "set" });
  expect(scene.done).toEqual([
    ["rate", "crm", { ratePerSecond: 0, reason: "paused by ana: maintenance" }],
    ["gate", "crm", PAUSED],
    ["applied", "crm", { lane: "set" }],
  ]);
});

test.each([
  ["crm", null, null],
  ["narrow", null, 20],
  ["narrow", 4, 4],
  ["narrow", 64, 20],
  ["narrow", 0, 0],
])("the rate of %s under a gate of %s is %s", async (endpoint, ratePerSecond, expected) => {
  const scene = aScene();
  await scene.apply({ endpoint, ratePerSecond });
  expect(scene.done[0]).toEqual(["rate", endpoint, expect.objectContaining({ ratePerSecond: expected })]);
});

test("a server that allows no rates is told, and the registry all the same", async () => {
  const scene = aScene({ setLaneRate: async () => await Promise.resolve("refused") });
  expect(await scene.apply({})).toEqual({ lane: "refused" });
  expect(scene.done).toEqual([
    ["gate", "crm", PAUSED],
    ["applied", "crm", { lane: "refused" }],
  ]);
});

test("a server that does not answer is asked again: the registry says nothing that the lane does not do", async () => {
  const scene = aScene({ setLaneRate: async () => await Promise.reject(new Error("unavailable")) });
  await expect(scene.apply({})).rejects.toMatchObject({ type: "internal", nonRetryable: false });
  expect(scene.done).toEqual([]);
});

test("a look at the lane says what waits there", async () => {
  const { activities } = aScene();
  expect(await new MockActivityEnvironment().run(activities.lookAtLane, { endpoint: "crm" })).toEqual({ held: 3 });
});

describe("an order that comes late", () => {
  const TOO_LATE = { type: "too_late", nonRetryable: false, nextRetryDelay: 1000 };

  test("because its process was stopped before it began is not applied: the server waits for another try", async () => {
    const asked: unknown[] = [];
    const scene = aScene({
      async isCurrent(one) {
        asked.push(one);
        return await Promise.resolve(false);
      },
    });
    await expect(scene.apply({})).rejects.toMatchObject(TOO_LATE);
    expect(scene.done).toEqual([]);
    expect(asked).toEqual([{ workflowId: "endpoint:crm", runId: "run-1", activityId: "7", attempt: 2 }]);
  });

  test.each([
    ["within its time is applied", OWN_TIME_MS - 1, ["rate", "gate", "applied"]],
    ["at the end of its time is not", OWN_TIME_MS, []],
    ["an hour later is not", 3_600_000, []],
  ])("whose process is stopped while the server is asked and goes on %s", async (_, stoppedMs, steps) => {
    const scene: Scene = aScene({
      async isCurrent() {
        scene.clock.nowMs += stoppedMs;
        return await Promise.resolve(true);
      },
    });
    await scene.apply({}).catch((error: unknown) => expect(error).toMatchObject(TOO_LATE));
    expect(stepsOf(scene)).toEqual(steps);
  });

  test("has for each call what is left of its time: a call that begins late must not land later", async () => {
    const left: number[] = [];
    const scene: Scene = aScene({
      async isCurrent() {
        scene.clock.nowMs += 1000;
        return await Promise.resolve(true);
      },
      async setLaneRate(_endpoint, _rate, deadlineMs) {
        left.push(deadlineMs);
        scene.clock.nowMs += 6000;
        return await Promise.resolve("set");
      },
      async putGate(_endpoint, _gate, deadlineMs) {
        left.push(deadlineMs);
        await Promise.resolve();
      },
    });
    await scene.apply({});
    expect(left).toEqual([OWN_TIME_MS - 1000, OWN_TIME_MS - 7000]);
  });

  test("whose process is stopped between lane and registry leaves the registry to others", async () => {
    const scene: Scene = aScene({
      async setLaneRate(endpoint, rate) {
        scene.done.push(["rate", endpoint, rate]);
        scene.clock.nowMs += OWN_TIME_MS;
        return await Promise.resolve("set");
      },
    });
    await expect(scene.apply({})).rejects.toMatchObject(TOO_LATE);
    expect(stepsOf(scene)).toEqual(["rate"]);
  });

  function stepsOf({ done }: Scene): readonly unknown[] {
    return done.map((step) => (Array.isArray(step) ? step[0] : step));
  }
});
