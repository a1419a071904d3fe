/** Notices must never stand in the way of what they are about. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import { planEvent } from "../../src/config/plan-event.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposed, requestsOf } from "../support/waiting-events.ts";

const ANA = "ana@example.com";

let stage: Stage;

beforeAll(async () => {
  const approvers = [ANA];
  stage = await openStage({
    endpoints: { payments: {}, chat: {}, tiny: { maxBodyBytes: "100B" } },
    routes: [
      { match: { type: "told" }, to: ["payments"], approval: { approvers, notify: "chat" } },
      { match: { type: "untold" }, to: ["payments"], approval: { approvers, notify: "tiny" } },
    ],
    rest: { people: { [ANA]: {} } },
  });
});

afterAll(async () => await stage.close());

/** A decision that is there before the first task, while the notice of the request has still to be handed over. */
async function decidedAtOnce(signal: "approve" | "reject"): Promise<string> {
  const event = { source: "shop", id: uniqueName("at-once"), type: "told", data: { amount: 900 } };
  const url = `${stage.destination.url}/payments`;
  const order = { event, endpoint: "payments", amendment: null, resolvedUrl: url, revision: 1 };
  const planned = planDelivery(stage.config, order);
  const digest = planned.kind === "planned" ? planned.draft?.digest : undefined;
  const workflowId = `shop/${event.id}`;
  await stage.temporal.workflow.signalWithStart("event", {
    workflowId,
    taskQueue: stage.config.temporal.taskQueue,
    args: [{ ...event, plan: planEvent(stage.config, event) }],
    signal,
    signalArgs: [{ actor: ANA, digest, note: "at once" }],
  });
  return workflowId;
}

function noticesAbout(key: string): readonly string[] {
  return stage.destination.requests
    .filter(({ path }) => path === "/chat")
    .map(({ body }) => JSON.parse(body.toString()) as { readonly key: string; readonly kind: string })
    .filter((notice) => notice.key === key)
    .map(({ kind }) => kind);
}

describe("a decision that comes while a notice is still to be handed over", () => {
  test.each([
    ["approve", "delivered", "approved"],
    ["reject", "rejected", "rejected"],
  ] as const)("%s ends in its one outcome, and both notices are told", async (signal, state, told) => {
    const key = await decidedAtOnce(signal);
    await inState(stage, key, { state });
    await stage.temporal.workflow.getHandle(key).result();
    await exactState(stage, key);
    const kinds = await until("both are told", () => noticesAbout(key).length === 2 && noticesAbout(key));
    expect(kinds.toSorted()).toEqual(["requested", told].toSorted());
    expect(requestsOf(stage, key)).toHaveLength(state === "delivered" ? 1 : 0);
  });
});

describe("a notice that its endpoint cannot take", () => {
  test("is dropped, and people decide all the same", async () => {
    const { key, proposal } = await proposed(stage, "untold");
    expect(await stage.far.approve(key, { actor: ANA, digest: proposal.digest })).toMatchObject({ counted: true });
    await inState(stage, key, { state: "delivered" });
    await stage.temporal.workflow.getHandle(key).result();
    await exactState(stage, key);
  });
});

describe("the source of our own events", () => {
  test("is nobody's to send under, by our client or by Temporal's", async () => {
    const event = { source: "countersign", id: uniqueName("own"), type: "countersign.test", subject: "payments" };
    const whole = { ...event, synthetic: true, data: { amount: 31_415 } };
    await expect(stage.far.submit(whole)).rejects.toMatchObject({ code: "unknown_source" });
    const workflowId = `countersign/${event.id}`;
    const { taskQueue } = stage.config.temporal;
    const handle = await stage.temporal.workflow.start("event", { workflowId, taskQueue, args: [whole] });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "no_route" } });
    expect(stage.destination.requests.filter(({ body }) => body.toString() === JSON.stringify(whole.data))).toEqual([]);
    expect(await stage.far.test("payments")).toMatchObject({ duplicate: false });
  });
});
