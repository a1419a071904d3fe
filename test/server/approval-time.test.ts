/** Waits of hours and days, on the time-skipping server: expiry, reminders, escalation. */
import { randomUUID } from "node:crypto";
import type { TestWorkflowEnvironment } from "@temporalio/testing";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createActivities } from "../../src/activities/create-activities.ts";
import { planEvent } from "../../src/config/plan-event.ts";
import type { EventState } from "../../src/delivery/event-state.ts";
import { HOUR_MS } from "../../src/delivery/durations.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { installRuntime } from "../../src/worker/runtime.ts";
import { workflowCode } from "../../src/worker/workflow-code.ts";
import { anEvent, aStage, stageConfig, type Stage } from "../support/activity-stage.ts";
import { startTimeSkipping } from "../support/time-skipping.ts";
import { until } from "../support/until.ts";

const [ANA, LEA] = ["ana@example.com", "lea@example.com"];
const TASK_QUEUE = "approval-time";

let environment: TestWorkflowEnvironment;
let stage: Stage;
let worker: Worker;
let running: Promise<void>;

const config = stageConfig(
  { crm: { url: "https://crm.example/" }, "ops-chat": { url: "https://chat.example/" } },
  {
    people: { [ANA]: {}, [LEA]: { groups: ["leads"] } },
    routes: [
      {
        match: { type: "refund" },
        to: ["crm"],
        approval: {
          approvers: [ANA],
          expires: "24h",
          remind: ["4h", "20h"],
          escalate: { after: "12h", to: ["group:leads"] },
          notify: "ops-chat",
        },
      },
    ],
  },
);

beforeAll(async () => {
  installRuntime(createLogger("silent"));
  environment = await startTimeSkipping();
  await registerAttributes();
  stage = aStage(config);
  worker = await Worker.create({
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? "default",
    taskQueue: TASK_QUEUE,
    activities: createActivities(stage.deps),
    ...(await workflowCode()),
  });
  running = worker.run();
}, 180_000);

afterAll(async () => {
  worker.shutdown();
  await running;
  await environment.teardown();
});

async function registerAttributes(): Promise<void> {
  const keyword = 2;
  await environment.connection.operatorService.addSearchAttributes({
    namespace: environment.namespace ?? "default",
    searchAttributes: {
      CountersignState: keyword,
      CountersignReason: keyword,
      CountersignType: keyword,
      CountersignEndpoints: 7,
    },
  });
}

async function started() {
  const event = anEvent({ id: randomUUID(), type: "refund", data: { amount: 900 } });
  const workflowId = `shop/${event.id}`;
  const args = [{ ...event, plan: planEvent(config, event) }];
  const handle = await environment.client.workflow.start("event", { workflowId, taskQueue: TASK_QUEUE, args });
  const state = async (): Promise<EventState> => await handle.query<EventState>("state");
  const [delivery] = await until("it waits", async () => {
    const { deliveries } = await state();
    return deliveries[0]?.state === "awaiting-approval" && deliveries;
  });
  return { handle, state, key: workflowId, digest: delivery?.proposal?.digest ?? "" };
}

function noticesFor(key: string): readonly string[] {
  const data = stage.submitted.map((event) => event.data as { readonly key: string; readonly kind: string });
  return data.filter((notice) => notice.key === key).map(({ kind }) => kind);
}

describe("a wait for approval", () => {
  test("reminds after 4 h and 20 h, escalates after 12 h, and expires after 24 h, each once", async () => {
    const { handle, state, key } = await started();
    const told = async (...kinds: readonly string[]): Promise<void> => {
      await until(`${kinds.at(-1)} is told`, () => noticesFor(key).length >= kinds.length);
      expect(noticesFor(key)).toEqual(kinds);
    };
    await told("requested");
    await environment.sleep(4 * HOUR_MS - 60_000);
    expect(noticesFor(key)).toEqual(["requested"]);
    await environment.sleep(120_000);
    await told("requested", "reminder");
    await environment.sleep(8 * HOUR_MS);
    await told("requested", "reminder", "escalated");
    await environment.sleep(11 * HOUR_MS);
    await told("requested", "reminder", "escalated", "reminder");
    expect((await state()).state).toBe("awaiting-approval");
    await environment.sleep(2 * HOUR_MS);
    const ended = (await handle.result()) as EventState;
    expect(ended).toMatchObject({ state: "expired", deliveries: [{ attemptCount: 0, decisions: [] }] });
    const { createdAt, expiresAt } = ended.deliveries[0]?.proposal ?? { createdAt: "", expiresAt: "" };
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(24 * HOUR_MS);
    expect(noticesFor(key)).toEqual(["requested", "reminder", "escalated", "reminder", "expired"]);
    expect(stage.sent.filter(({ headers }) => `shop/${headers["ce-id"]}` === key)).toEqual([]);
  });

  test("lets the further approvers decide once it was escalated, and not before", async () => {
    const { handle, key, digest } = await started();
    const word = { action: "approve", actor: LEA, digest };
    const decide = async () => await handle.executeUpdate("decide", { args: [word] });
    expect(await decide()).toMatchObject({ counted: false, refusedBecause: "not-eligible" });
    await environment.sleep(12 * HOUR_MS + 1000);
    await until("it was escalated", () => noticesFor(key).includes("escalated"));
    expect(await decide()).toMatchObject({ counted: true });
    expect(await handle.result()).toMatchObject({ state: "delivered" });
    await until("the end is told", () => noticesFor(key).at(-1) === "approved");
  });

  test("counts no approval after the end, not by a second", async () => {
    const { handle, digest } = await started();
    await environment.sleep(24 * HOUR_MS + 1000);
    expect(await handle.result()).toMatchObject({ state: "expired" });
    await expect(handle.signal("approve", { actor: ANA, digest })).rejects.toThrow();
  });
});
