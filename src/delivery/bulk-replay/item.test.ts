import { describe, expect, test } from "vitest";
import type { AttentionReason } from "../attention.ts";
import type { DeliveryStateName, DeliveryStatus, Resolution } from "../event-state.ts";
import { examineItem, type ItemTerms, refusedReplay, resultOf } from "./item.ts";

const MARK = "bulk replay crm-1 (3f9c2a1b)";
const terms = (changes: Partial<ItemTerms> = {}): ItemTerms => ({
  endpoint: null,
  reason: null,
  mark: MARK,
  ...changes,
});

function delivery(endpoint: string, state: DeliveryStateName, more: Partial<DeliveryStatus> = {}): DeliveryStatus {
  return {
    endpoint,
    state,
    idempotencyKey: "cs1_x",
    revision: 1,
    attemptCount: 1,
    lastCode: "http_400",
    nextAt: null,
    waitingFor: null,
    attempts: [],
    proposal: null,
    decisions: [],
    attention: null,
    resolutions: [],
    ...more,
  };
}

function parked(endpoint: string, reason: AttentionReason = "refused"): DeliveryStatus {
  return delivery(endpoint, "needs-attention", { attention: { reason, since: "", advice: "" } });
}

function resolution(changes: Partial<Resolution> = {}): Resolution {
  return {
    action: "replay",
    actor: "ana",
    at: "",
    reason: `${MARK}: mended`,
    counted: true,
    refusedBecause: null,
    ...changes,
  };
}

describe("a delivery", () => {
  test.each([
    ["delivered", "already-ended"],
    ["rejected", "already-ended"],
    ["expired", "already-ended"],
    ["discarded", "already-ended"],
    ["delivering", "attempt-in-flight"],
    ["awaiting-approval", "awaiting-approval"],
    ["waiting-retry", "not-parked"],
    ["held", "not-parked"],
    ["reconciling", "not-parked"],
    ["accepted", "not-parked"],
    ["needs-attention", "not-parked"],
  ] as const)("that is %s without a reason for attention is left: %s", (state, because) => {
    expect(examineItem([delivery("crm", state)], terms())).toEqual([{ endpoint: "crm", do: "leave", because }]);
  });

  test("that is parked is replayed, whatever the reason but one", () => {
    const others: readonly AttentionReason[] = ["refused", "attempts-exhausted", "endpoint-gone", "approval-expired"];
    for (const reason of others)
      expect(examineItem([parked("crm", reason)], terms())).toEqual([{ endpoint: "crm", do: "replay" }]);
    expect(examineItem([parked("crm", "outcome-uncertain")], terms())).toMatchObject([
      { because: "outcome-uncertain" },
    ]);
  });

  test("is replayed only for the reason that is named", () => {
    const named = terms({ reason: "outcome-uncertain" });
    expect(examineItem([parked("crm", "outcome-uncertain"), parked("erp")], named)).toEqual([
      { endpoint: "crm", do: "replay" },
      { endpoint: "erp", do: "leave", because: "other-reason" },
    ]);
  });

  test("of another endpoint is not looked at where one is named", () => {
    expect(examineItem([parked("crm"), parked("erp")], terms({ endpoint: "erp" }))).toEqual([
      { endpoint: "erp", do: "replay" },
    ]);
    expect(examineItem([parked("crm")], terms({ endpoint: "gone" }))).toEqual([]);
  });

  test("that this bulk replay told to go on before is counted, not told again: also when it is parked anew", () => {
    const counted = [{ endpoint: "crm", do: "count" }];
    expect(examineItem([delivery("crm", "delivered", { resolutions: [resolution()] })], terms())).toEqual(counted);
    expect(examineItem([{ ...parked("crm"), resolutions: [resolution()] }], terms())).toEqual(counted);
  });

  test.each([
    resolution({ counted: false, refusedBecause: "attempt-in-flight" }),
    resolution({ action: "discard" }),
    resolution({ reason: "mended" }),
    resolution({ reason: "bulk replay crm-1 (00000000): mended" }),
  ])("is told again where the record holds another word: %j", (said) => {
    expect(examineItem([{ ...parked("crm"), resolutions: [said] }], terms())).toEqual([
      { endpoint: "crm", do: "replay" },
    ]);
  });
});

describe("the result of an event", () => {
  test.each([
    [[null], { replayed: 1, because: null }],
    [[null, "already-ended", null], { replayed: 2, because: null }],
    [["already-ended", "not-parked"], { replayed: 0, because: "not-parked" }],
    [["already-ended", "already-ended"], { replayed: 0, because: "already-ended" }],
    [[], { replayed: 0, because: "unknown-delivery" }],
  ] as const)("of %j is %j", (fates, result) => {
    expect(resultOf("shop/1", fates)).toEqual({ key: "shop/1", ...result });
  });

  test("of a refused replay is the closest reason there is", () => {
    const refused = (refusedBecause: Resolution["refusedBecause"]) =>
      refusedReplay({ counted: false, refusedBecause, at: "" });
    expect(refused("attempt-in-flight")).toBe("attempt-in-flight");
    expect(refused("already-ended")).toBe("already-ended");
    expect(refused("unknown-delivery")).toBe("unknown-delivery");
    expect(refused("malformed")).toBe("not-parked");
  });
});
