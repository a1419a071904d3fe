/** The recorded paths on which a person decides. */
import type { RawConfig, RawEndpoint, RawRoute } from "../../src/config/raw-config.ts";
import { planEvent } from "../../src/config/plan-event.ts";
import type { EventState } from "../../src/delivery/event-state.ts";
import type { RecordedPath, RecordingStage } from "./recorded-paths.ts";
import { until } from "./until.ts";

const [ANA, BEN] = ["ana@example.com", "ben@example.com"];

export const APPROVAL_PEOPLE: NonNullable<RawConfig["people"]> = {
  [ANA]: { groups: ["finance"] },
  [BEN]: { groups: ["finance"] },
};

export const APPROVAL_ENDPOINTS: Readonly<Record<string, RawEndpoint>> = { payments: { idempotent: false }, chat: {} };

const APPROVAL = { approvers: ["group:finance"] };

export const APPROVAL_ROUTES: readonly RawRoute[] = [
  { match: { type: "refund" }, to: ["payments"], approval: APPROVAL },
  { match: { type: "big-refund" }, to: ["payments"], approval: { ...APPROVAL, quorum: 2, fourEyes: true } },
  {
    match: { type: "brief" },
    to: ["payments"],
    approval: { ...APPROVAL, expires: "3s", remind: ["1s"], notify: "chat" },
  },
  { match: { type: "parks" }, to: ["payments"], approval: { ...APPROVAL, expires: "2s", onExpire: "park" } },
  { match: { type: "refund-and-tell" }, to: ["quick"] },
  { match: { type: "refund-and-tell" }, to: ["payments"], approval: { ...APPROVAL, notify: "chat" } },
];

/** Submits an event of that type, waits for its proposal, and then does what is asked with the digest. */
function proposed(
  type: string,
  then: (stage: RecordingStage, about: { readonly key: string; readonly digest: string }) => Promise<unknown>,
): RecordedPath {
  return async (stage, id) => {
    const { key } = await stage.far.submit({ source: "shop", id, type, data: { amount: 900 }, requestedBy: "rita" });
    await then(stage, { key, digest: await digestOf(stage, key) });
    await stage.client.workflow.getHandle(key).result();
    return key;
  };
}

async function digestOf({ far }: RecordingStage, key: string, revision = 1): Promise<string> {
  return await until("it waits for approval", async () => {
    const proposal = waitingIn(await far.get(key))?.proposal;
    return proposal?.revision === revision && proposal.digest;
  });
}

function waitingIn({ deliveries }: EventState) {
  return deliveries.find(({ state }) => state === "awaiting-approval");
}

export const RECORDED_APPROVALS: Readonly<Record<string, RecordedPath>> = {
  "approved-by-update": proposed(
    "refund",
    async ({ far }, { key, digest }) => await far.approve(key, { actor: ANA, digest, note: "checked" }),
  ),
  "approved-by-signal": proposed("refund", async ({ client }, { key, digest }) => {
    const handle = client.workflow.getHandle(key);
    for (let time = 0; time < 3; time += 1)
      await handle.signal("approve", { actor: ANA, digest }).catch(() => undefined);
  }),
  "approved-by-two": proposed("big-refund", async ({ far }, { key, digest }) => {
    await far.approve(key, { actor: ANA, digest });
    await far.withdraw(key, { actor: ANA, digest });
    await far.approve(key, { actor: ANA, digest });
    await far.approve(key, { actor: BEN, digest });
  }),
  rejected: proposed("refund", async ({ far }, { key, digest }) => {
    await far.reject(key, { actor: "nobody", digest, note: "no" });
    await far.reject(key, { actor: ANA, digest, note: "no" });
  }),
  "expired-after-a-reminder": proposed("brief", async () => undefined),
  "expired-asked-again": proposed("parks", async (stage, { key }) => {
    const { far } = stage;
    await until("it is parked", async () => (await far.get(key)).state === "needs-attention");
    await far.replay(key, { actor: ANA, reason: "still wanted" });
    await far.approve(key, { actor: BEN, digest: await digestOf(stage, key, 2) });
  }),
  "amended-then-approved": proposed("refund", async (stage, { key, digest }) => {
    await stage.far.amend(key, { actor: BEN, reason: "wrong sum", data: { amount: 90 } });
    await stage.far.approve(key, { actor: ANA, digest });
    await stage.far.approve(key, { actor: ANA, digest: await digestOf(stage, key, 2) });
  }),
  "amended-to-another-endpoint": proposed("refund", async (stage, { key }) => {
    await stage.far.amend(key, { actor: BEN, reason: "wrong place", endpoint: "quick" });
    await stage.far.approve(key, { actor: ANA, digest: await digestOf(stage, key, 2) });
  }),
  "discarded-while-asking": proposed(
    "refund",
    async ({ far }, { key }) => await far.discard(key, { actor: ANA, reason: "not needed" }),
  ),
  "held-while-asking": proposed("refund", async ({ far }, { key, digest }) => {
    await far.hold(key, { actor: ANA, reason: "wait for the bank" });
    await far.approve(key, { actor: ANA, digest });
    await far.release(key, { actor: ANA, reason: "the bank agrees" });
  }),
  "one-of-two-waits": proposed(
    "refund-and-tell",
    async ({ far }, { key, digest }) => await far.approve(key, { actor: ANA, digest }),
  ),
  "plan-without-approval": async (stage, id) => {
    const { client, far, taskQueue, config } = stage;
    const event = { source: "shop", id, type: "refund", data: { amount: 900 } };
    const { fingerprint, deliveries } = planEvent(config, event);
    const plan = {
      fingerprint,
      deliveries: deliveries.map(({ endpoint, settings: { approval: _, ...settings } }) => ({ endpoint, settings })),
    };
    const handle = await client.workflow.start("event", {
      workflowId: `shop/${id}`,
      taskQueue,
      args: [{ ...event, plan }],
    });
    await far.approve(handle.workflowId, { actor: ANA, digest: await digestOf(stage, handle.workflowId) });
    await handle.result();
    return handle.workflowId;
  },
};
