/** What people and programs may say to an endpoint by mistake, in Temporal itself or by our tools: it holds, and can be resumed. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
import { allSettled, isOpen, ownEndpoint, requestsTo, standing, submitTo } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";

let stage: Stage;
const forEver = ownEndpoint("forever");
const mistaken = ownEndpoint("mistaken");
const broken = ownEndpoint("broken");
const INHERITED = "constructor";
const WORD = { actor: "ana", reason: "maintenance" };

beforeAll(async () => {
  stage = await openStage({
    endpoints: { [forEver]: {}, [mistaken]: {}, [broken]: {}, [INHERITED]: {} },
  });
});

afterAll(async () => await stage.close());

async function historyLength(endpoint: string): Promise<number> {
  const { historyLength: length } = await stage.temporal.workflow.getHandle(endpointWorkflowId(endpoint)).describe();
  return length;
}

async function signalPause(endpoint: string, word: object, args: readonly unknown[] = []): Promise<void> {
  const { taskQueue } = stage.config.temporal;
  await stage.temporal.workflow.signalWithStart("endpoint", {
    workflowId: endpointWorkflowId(endpoint),
    taskQueue,
    args: [...args],
    signal: "pause",
    signalArgs: [word],
  });
}

describe("a pause said in Temporal", () => {
  test("until the end of time holds, and does not turn in circles", async () => {
    await signalPause(forEver, { ...WORD, until: "9999-12-31T23:59:59Z" });
    await standing(stage, forEver, ({ gate }) => gate.state === "paused");
    expect(await stage.far.pause(forEver, WORD)).toMatchObject({ confirmed: true });
    expect(await historyLength(forEver)).toBeLessThan(100);
  });

  test("with its word as the input of the workflow, by mistake, holds too", async () => {
    await signalPause(mistaken, WORD, [WORD]);
    await standing(stage, mistaken, ({ gate }) => gate.state === "paused");
    expect(await stage.far.pause(mistaken, WORD)).toMatchObject({ confirmed: true });
  });
});

test("a pause whose reason holds half a character holds", async () => {
  expect(await stage.far.pause(broken, { actor: "ana", reason: "a \uD83D b" })).toMatchObject({ confirmed: true });
  await standing(stage, broken, ({ lane }) => lane.ratePerSecond === 0);
});

test("an endpoint whose name every object knows is delivered to, paused and resumed", async () => {
  const key = await submitTo(stage, INHERITED);
  await allSettled(stage, [key]);
  expect(requestsTo(stage, INHERITED)).toHaveLength(1);
  expect((await stage.far.get(key)).deliveries[0]?.attempts[0]?.via).toBe("local");
  expect(await stage.far.pause(INHERITED, WORD)).toMatchObject({ confirmed: true });
  await stage.far.resume(INHERITED, { actor: "ana" });
  await standing(stage, INHERITED, isOpen);
});
