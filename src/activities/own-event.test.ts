import { MockActivityEnvironment } from "@temporalio/testing";
import { describe, expect, test } from "vitest";
import { anEvent, aStage, stageConfig } from "../../test/support/activity-stage.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { RunReference } from "./dependencies.ts";
import { currentRun, ownEvent } from "./own-event.ts";

const RUN: RunReference = { workflowId: "shop/evt_1", runId: "run-7" };
const ALIAS = "https://shop.example/orders";

/** What an activity of that run works on, and of which runs the server was asked. */
async function ownOf(given: BusinessEvent | null, stored: BusinessEvent = anEvent()) {
  const asked: RunReference[] = [];
  const { deps } = aStage(stageConfig({ crm: { url: "https://crm.example/" } }), {
    runs: {
      startEvent(run) {
        asked.push(run);
        return Promise.resolve(stored);
      },
      latestTaskEvents: () => Promise.resolve([]),
    },
  });
  const environment = new MockActivityEnvironment({ workflowExecution: RUN });
  const event = await environment.run<[], BusinessEvent, () => Promise<BusinessEvent>>(() => ownEvent(deps, given));
  return { event, asked };
}

describe("the event of an activity", () => {
  test("is the one it was given, and nobody is asked", async () => {
    expect(await ownOf(anEvent({ id: "evt_2" }))).toEqual({ event: anEvent({ id: "evt_2" }), asked: [] });
  });

  test("is that of its own run's start where it was too large to repeat", async () => {
    const stored = anEvent({ data: { total: 43 } });
    expect(await ownOf(null, stored)).toEqual({ event: stored, asked: [RUN] });
  });

  test("stands under the configured name of its source, by whatever name it came", async () => {
    expect((await ownOf(anEvent({ source: ALIAS }))).event).toEqual(anEvent());
    expect((await ownOf(null, anEvent({ source: ALIAS }))).event).toEqual(anEvent());
  });

  test("keeps the name of a source that is not configured: no route leads from it", async () => {
    expect((await ownOf(anEvent({ source: "stranger" }))).event.source).toBe("stranger");
  });
});

describe("the run of an activity", () => {
  test("must be there: whatever is done belongs to one", async () => {
    const environment = new MockActivityEnvironment();
    const { info } = environment.context;
    const asked = await environment.run<[], unknown, () => Promise<unknown>>(() => {
      const { workflowExecution } = info;
      Object.assign(info, { workflowExecution: undefined });
      try {
        return Promise.resolve(currentRun());
      } catch (error) {
        return Promise.resolve(error);
      } finally {
        // The environment itself reads it once more, for its log.
        Object.assign(info, { workflowExecution });
      }
    });
    expect(asked).toEqual(new TypeError("This is only done for a workflow"));
  });
});
