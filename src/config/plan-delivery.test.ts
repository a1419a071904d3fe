import { describe, expect, test } from "vitest";
import type { Amendment } from "../delivery/approval.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { Config } from "./config.ts";
import { idempotencyKeyFor } from "./digests.ts";
import { parseConfig } from "./parse-config.ts";
import { type DeliveryToPlan, planDelivery } from "./plan-delivery.ts";
import { planEvent } from "./plan-event.ts";
import { proposalDigest } from "./propose.ts";
import type { RawConfig } from "./raw-config.ts";

const RAW: RawConfig = {
  sources: { shop: {} },
  endpoints: {
    crm: { url: "https://crm.example/in" },
    payments: { url: { env: "PAY_URL" }, idempotent: false },
    apart: { url: { env: "APART_URL" }, isolated: true },
    small: { handler: "small@1", maxBodyBytes: "16B" },
  },
  routes: [
    { match: { type: "order.created" }, to: ["crm"] },
    {
      match: { type: "refund" },
      to: ["payments", "apart"],
      approval: { when: { "data.amount": { gt: 500 } }, approvers: ["ana", "ben"], expires: "1h" },
    },
  ],
  people: { ana: {}, ben: {}, cem: {} },
};
const CONFIG = parseConfig(RAW, { path: null });

const REFUND: BusinessEvent = {
  source: "shop",
  id: "r1",
  type: "refund",
  data: { amount: 900 },
  requestedBy: "eve",
};
const ORDER: BusinessEvent = { source: "shop", id: "o1", type: "order.created", data: { total: 1 } };

function plan(changes: Partial<DeliveryToPlan> = {}, config: Config = CONFIG) {
  const usual = { event: REFUND, endpoint: "payments", amendment: null, resolvedUrl: null, revision: 1 };
  return planDelivery(config, { ...usual, ...changes });
}

function draftOf(changes: Partial<DeliveryToPlan> = {}, config: Config = CONFIG) {
  const planned = plan(changes, config);
  if (planned.kind !== "planned" || planned.draft === null) throw new TypeError("Nothing is proposed");
  return planned.draft;
}

const anAmendment = (changes: Partial<Amendment> = {}): Amendment => ({
  revision: 2,
  actor: "cem",
  from: "payments",
  ...changes,
});

describe("a delivery nobody amended", () => {
  test("is planned as the plan of the event has it", () => {
    const { deliveries } = planEvent(CONFIG, REFUND);
    expect(deliveries.map(({ settings }) => settings.approval)).toEqual([true, true]);
    const planned = plan();
    expect(planned).toMatchObject({ kind: "planned", endpoint: "payments" });
    expect(planned.kind === "planned" && planned.settings).toEqual(deliveries[0]?.settings);
  });

  test("asks for no approval where none is due", () => {
    const [delivery] = planEvent(CONFIG, ORDER).deliveries;
    expect(delivery?.settings).not.toHaveProperty("approval");
    expect(plan({ event: ORDER, endpoint: "crm" })).toEqual({
      kind: "planned",
      endpoint: "crm",
      settings: delivery?.settings,
      draft: null,
    });
  });

  test("is proposed as it will be sent", () => {
    const draft = draftOf({ resolvedUrl: "https://pay.example/refunds?token=s3cret", revision: 4 });
    expect(draft).toMatchObject({
      revision: 4,
      requestedBy: "eve",
      action: { endpoint: "payments", method: "POST", url: "https://pay.example/refunds", bodyBytes: 14 },
      terms: { expiresMs: 3_600_000 },
    });
    const facts = { key: "shop/r1", body: Buffer.from('{"amount":900}'), requestedBy: "eve", editedBy: null };
    expect(proposalDigest({ ...facts, revision: 4, action: draft.action, rules: draft.terms.rules })).toBe(
      draft.digest,
    );
  });

  test("shows an isolated endpoint by its reference, also where the URL is known", () => {
    const known = draftOf({ endpoint: "apart", resolvedUrl: "https://apart.example/" });
    expect(known.action.url).toBe("env(APART_URL)");
    expect(known).toEqual(draftOf({ endpoint: "apart", resolvedUrl: null }));
  });

  test("has no requester where the event names nobody", () => {
    const { requestedBy: _, ...unsaid } = REFUND;
    expect(draftOf({ event: unsaid }).requestedBy).toBeNull();
    expect(draftOf({ event: { ...REFUND, requestedBy: "  " } }).requestedBy).toBeNull();
  });

  test("goes on where the endpoint takes less by now than when the event was accepted", () => {
    const endpoints = { ...RAW.endpoints, crm: { url: "https://crm.example/in", maxBodyBytes: "1B" as const } };
    const config = parseConfig({ ...RAW, endpoints }, { path: null });
    expect(plan({ event: ORDER, endpoint: "crm" }, config)).toMatchObject({ kind: "planned" });
  });

  test.each<[string, Partial<DeliveryToPlan>, string]>([
    ["an endpoint that is not configured", { endpoint: "gone" }, "unknown-endpoint"],
    ["an endpoint with a name that every object has", { endpoint: "constructor" }, "unknown-endpoint"],
    ["an endpoint it is not routed to", { endpoint: "crm" }, "not-routed"],
    ["a source that is not configured", { event: { ...REFUND, source: "nobody" } }, "not-routed"],
  ])("is withheld from %s", (_what, changes, reason) => {
    expect(plan(changes)).toEqual({ kind: "withheld", endpoint: changes.endpoint ?? "payments", reason });
  });
});

describe("an amended delivery", () => {
  test("has a key of its revision, and its editor in the digest", () => {
    const amendment = anAmendment({ data: { amount: 901 } });
    const planned = plan({ amendment, revision: 2 });
    expect(planned).toMatchObject({
      settings: { idempotencyKey: idempotencyKeyFor("shop/r1", "payments", 2), approval: true },
      draft: { requestedBy: "eve", action: { bodyBytes: 14 } },
    });
    const other = draftOf({ amendment: { ...amendment, actor: "ana" }, revision: 2 });
    expect(other.digest).not.toBe(draftOf({ amendment, revision: 2 }).digest);
  });

  test("goes to any endpoint, as long as the event was routed where it came from", () => {
    const amendment = anAmendment({ from: "crm" });
    const sent = plan({ event: ORDER, endpoint: "small", amendment: { ...amendment, data: 1 } });
    expect(sent).toMatchObject({
      kind: "planned",
      settings: { idempotencyKey: idempotencyKeyFor("shop/o1", "small", 2) },
    });
    expect(plan({ event: REFUND, endpoint: "small", amendment })).toMatchObject({ reason: "not-routed" });
    expect(plan({ event: ORDER, endpoint: "gone", amendment })).toMatchObject({ reason: "unknown-endpoint" });
  });

  test("must fit its new endpoint", () => {
    const amendment = anAmendment({ from: "crm", data: "x".repeat(14) });
    const toSmall = { event: ORDER, endpoint: "small" };
    expect(plan({ ...toSmall, amendment })).toMatchObject({ kind: "planned" });
    const larger = { ...amendment, data: "x".repeat(15) };
    expect(plan({ ...toSmall, amendment: larger })).toEqual({
      kind: "withheld",
      endpoint: "small",
      reason: "body-too-large",
    });
    const bytes = anAmendment({ from: "crm", data_base64: Buffer.alloc(17).toString("base64") });
    expect(plan({ ...toSmall, amendment: bytes })).toMatchObject({ reason: "body-too-large" });
  });

  test("needs an approval that only its new body calls for, and is judged by what it was, too", () => {
    const small = { ...REFUND, data: { amount: 1 } };
    expect(plan({ event: small })).toMatchObject({ draft: null });
    expect(draftOf({ event: small, amendment: anAmendment({ data: { amount: 900 } }) }).revision).toBe(1);
    expect(draftOf({ amendment: anAmendment({ data: { amount: 1 } }) }).revision).toBe(1);
  });
});
