/** The registry when very many lanes are announced at once, as after a moment in which no process trusted its copy. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { putLaneInUse, readRegistry } from "../../src/client/gate-registry.ts";
import type { Session } from "../../src/client/session.ts";
import { GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { aSession } from "../support/a-session.ts";
import { submitTo, allSettled } from "../support/endpoint-stage.ts";
import { inBatches } from "../support/in-batches.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const MANY = 600;

let stage: Stage;
let session: Session;

beforeAll(async () => {
  stage = await openStage({ endpoints: { crm: {} } });
  session = aSession(stage.temporal, stage.config);
});

afterAll(async () => await stage.close());

test("takes them all in, however many wait for it, and is read whole meanwhile", async () => {
  await stage.stopWorker();
  const names = Array.from({ length: MANY }, (_, index) => `endpoint-with-a-rather-long-name-${index}`);
  await inBatches(names, async (name) => await putLaneInUse(session, name));
  expect(Object.keys((await readRegistry(session)).gates)).toHaveLength(MANY);
  await stage.startWorker();
  const { raw } = await until("a worker has taken them in", async () => {
    const run = await stage.temporal.workflow.getHandle(GATES_WORKFLOW_ID).describe();
    return run.raw.pendingWorkflowTask === null && run;
  });
  expect(Number(raw.workflowExecutionInfo?.historySizeBytes)).toBeLessThan(4 * 1024 ** 2);
  expect(Object.keys((await readRegistry(session)).gates)).toHaveLength(MANY);
  // By the lane as long as the worker has too much to do to read it within two seconds.
  await until("an event goes past the lane", async () => {
    const key = await submitTo(stage, "crm");
    await allSettled(stage, [key]);
    const [delivery] = (await stage.far.get(key)).deliveries;
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 1 });
    return delivery?.attempts[0]?.via === "local";
  });
});
