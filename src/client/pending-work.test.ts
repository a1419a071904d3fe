import type { WorkflowExecutionDescription } from "@temporalio/client";
import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import proto from "@temporalio/proto";
import { describe, expect, test } from "vitest";
import { aDelivery } from "../../test/support/an-event.ts";
import type { HistoryEntry } from "../delivery/history-entries.ts";
import { pendingWorkOf, withPendingWork } from "./pending-work.ts";

const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED, PENDING_ACTIVITY_STATE_STARTED: STARTED } =
  proto.temporal.api.enums.v1.PendingActivityState;
const decode = (payload: Payload): Promise<unknown> => Promise.resolve(defaultPayloadConverter.fromPayload(payload));

const MISSING = { message: "CRM_URL is not set", applicationFailureInfo: { type: "missing_env" } };
const CRM = { activityId: "1", activityType: { name: "attemptDelivery" }, state: SCHEDULED, attempt: 1 };
const ENTRIES: readonly HistoryEntry[] = [
  { entry: "activity-scheduled", atMs: 1, id: 5, activityId: "1", type: "attemptDelivery", input: { endpoint: "crm" } },
  {
    entry: "activity-scheduled",
    atMs: 2,
    id: 9,
    activityId: "2",
    type: "reconcileDelivery",
    input: { endpoint: "crm" },
  },
];

async function reportedLookup(changes: object, state: "reconciling" | "discarded" = "reconciling") {
  const pendingActivities = [{ ...CRM, activityId: "2", activityType: { name: "reconcileDelivery" }, ...changes }];
  const run = { raw: { pendingActivities } } as unknown as WorkflowExecutionDescription;
  const work = await pendingWorkOf(run, ENTRIES, decode);
  const [delivery] = withPendingWork([aDelivery({ state, waitingFor: null })], work);
  return { waitingFor: delivery?.waitingFor, trouble: delivery?.trouble };
}

async function reported(...pendingActivities: readonly object[]) {
  const run = { raw: { pendingActivities } } as unknown as WorkflowExecutionDescription;
  const work = await pendingWorkOf(run, ENTRIES, decode);
  const delivery = aDelivery({ state: "delivering", attempts: [] });
  return { deliveries: withPendingWork([delivery, { ...delivery, endpoint: "ledger" }], work), routing: work.routing };
}

describe("pendingWorkOf", () => {
  test("tells a delivery that waits for a worker from one that a worker has in hand", async () => {
    const { deliveries } = await reported(CRM);
    expect(deliveries.map(({ waitingFor }) => waitingFor)).toEqual(["worker", null]);
    expect(deliveries[0]).not.toHaveProperty("trouble");
    expect((await reported({ ...CRM, state: STARTED })).deliveries[0]?.waitingFor).toBeNull();
  });

  test("says what a worker failed at, and how often it has tried", async () => {
    const { deliveries, routing } = await reported({ ...CRM, attempt: 4, lastFailure: MISSING });
    expect(deliveries[0]).toMatchObject({ waitingFor: "worker", trouble: { tries: 4, message: "CRM_URL is not set" } });
    expect(deliveries[1]).not.toHaveProperty("trouble");
    expect(routing).toBeNull();
  });

  test("tells a lookup that nobody has taken up from one that was asked and will be asked again", async () => {
    const open = { message: "not yet", applicationFailureInfo: { type: "lookup_open" } };
    expect(await reportedLookup({})).toEqual({ waitingFor: "worker", trouble: undefined });
    expect(await reportedLookup({ state: STARTED })).toEqual({ waitingFor: null, trouble: undefined });
    expect(await reportedLookup({ attempt: 3, lastFailure: open })).toEqual({
      waitingFor: null,
      trouble: { tries: 3, message: "not yet" },
    });
    expect(await reportedLookup({ attempt: 3, lastFailure: open }, "discarded")).toEqual({
      waitingFor: null,
      trouble: undefined,
    });
  });

  test("tells trouble with the routes apart", async () => {
    const resolving = { ...CRM, activityType: { name: "resolveRoutes" }, attempt: 2, lastFailure: MISSING };
    const { deliveries, routing } = await reported(resolving);
    expect(routing).toEqual({ tries: 2, message: "CRM_URL is not set" });
    expect(deliveries[0]).not.toHaveProperty("trouble");
  });

  test.each([
    ["the first try", { attempt: 1, lastFailure: MISSING }],
    ["a time-out of the server", { attempt: 3, lastFailure: { message: "x", timeoutFailureInfo: {} } }],
    [
      "a failure of the SDK",
      { attempt: 3, lastFailure: { message: "x", applicationFailureInfo: { type: "TypeError" } } },
    ],
    ["no failure at all", { attempt: 3 }],
  ])("makes no trouble of %s", async (_what, changes) => {
    expect((await reported({ ...CRM, ...changes })).deliveries[0]).not.toHaveProperty("trouble");
  });

  test("reads words that a converter has kept apart", async () => {
    const encodedAttributes = defaultPayloadConverter.toPayload({ message: "CRM_URL is not set", stack_trace: "" });
    const lastFailure = { ...MISSING, message: "Encoded failure", encodedAttributes };
    expect((await reported({ ...CRM, attempt: 2, lastFailure })).deliveries[0]?.trouble?.message).toBe(
      "CRM_URL is not set",
    );
  });
});
