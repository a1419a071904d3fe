/** A workflow task is lost although its worker lives: that worker knows what it has sent, and nothing is taken for lost. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { GRPC_STATUS } from "../../src/temporal/grpc-status.ts";
import { ownEndpoint, requestsOf } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { startTemporalProxy, type TemporalProxy } from "../support/temporal-proxy.ts";
import { until } from "../support/until.ts";

/** The server hands a task out again 10 s after it was begun. */
const BEFORE_THE_SECOND_MS = 9000;
const ANA = { actor: "ana@example.com", reason: "vendor maintenance" };

let stage: Stage;
let proxy: TemporalProxy;
const crm = ownEndpoint("crm");
const held = ownEndpoint("held");

beforeAll(async () => {
  stage = await openStage({ endpoints: { [crm]: {}, [held]: {} } });
  proxy = await startTemporalProxy(stage.address);
  await stage.stopWorker();
  await stage.startWorker({ address: proxy.address });
});

afterAll(async () => {
  await stage.close();
  await proxy.close();
});

test("a task that is lost in a living worker leaves no attempt that was not made, and repeats none that was", async () => {
  await stage.far.pause(held, ANA);
  proxy.answer("RespondWorkflowTaskCompleted", GRPC_STATUS.notFound);
  const lostMs = Date.now();
  // A task that the worker polls, and one that it gets with its own start.
  const clients = [stage.far, stage.near()];
  const submitAll = async (type: string) =>
    await Promise.all(
      clients.map(async (client) => await client.submit({ source: "shop", id: uniqueName("evt"), type, data: 1 })),
    );
  const [sent, kept] = [await submitAll(crm), await submitAll(held)];
  await until("no first task can be completed any more", () => Date.now() > lostMs + BEFORE_THE_SECOND_MS);
  proxy.answer("RespondWorkflowTaskCompleted", null);
  await Promise.all([...sent, ...kept].map(async ({ key }) => await until("it was lost", () => hasLostATask(key))));

  for (const { key } of kept) {
    const report = await until("it is held", async () => {
      const found = await stage.far.get(key);
      return found.state === "held" && found;
    });
    expect(report).toMatchObject({ deliveries: [{ waitingFor: "gate", attempts: [] }] });
  }
  await stage.far.resume(held, ANA);
  for (const { key } of [...sent, ...kept]) {
    const { state, deliveries } = await stage.far.settled(key);
    expect([state, deliveries[0]?.attempts.map(({ code }) => code)]).toEqual(["delivered", ["http_200"]]);
    expect(requestsOf(stage, key)).toHaveLength(1);
  }
});

async function hasLostATask(key: string): Promise<boolean> {
  const { events } = await stage.temporal.workflow.getHandle(key).fetchHistory();
  return events?.some(({ workflowTaskTimedOutEventAttributes: lost }) => (lost ?? null) !== null) ?? false;
}
