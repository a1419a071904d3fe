/** The demo must be able to fail: each promise is broken once. */
import { describe, expect, test } from "vitest";
import { CUT_PATH, MOODY_PATH, REFUND_PATH, type SeenRequest } from "../../examples/demo/destination.ts";
import { checkPromises, type DemoResult } from "../../examples/demo/promises.ts";
import type { DecisionRecord } from "../../src/delivery/approval.ts";
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import type { DeliveryStatus, EventState } from "../../src/delivery/event-state.ts";
import { aProposal } from "../support/a-proposal.ts";

const ANSWERED: AttemptRecord = {
  number: 1,
  at: "2026-11-29T10:00:00.000Z",
  durationMs: 10,
  outcome: "retry",
  certainty: "answered",
  status: 503,
  code: "http_503",
  via: "local",
};
const DELIVERED: AttemptRecord = {
  ...ANSWERED,
  number: 2,
  at: "2026-11-29T10:00:02.010Z",
  outcome: "delivered",
  status: 200,
  code: "http_200",
};
const LOST: AttemptRecord = { ...ANSWERED, outcome: "uncertain", certainty: "unknown", code: "closed_after_send" };

function anEvent(id: string, attempts: readonly AttemptRecord[], changes: Partial<DeliveryStatus> = {}): EventState {
  const delivery: DeliveryStatus = {
    endpoint: "crm",
    state: "delivered",
    idempotencyKey: `key-${id}`,
    revision: 1,
    attemptCount: attempts.length,
    lastCode: attempts.at(-1)?.code ?? null,
    nextAt: null,
    waitingFor: null,
    attempts,
    proposal: null,
    decisions: [],
    attention: null,
    resolutions: [],
    ...changes,
  };
  const identity = { v: 1, key: `shop/${id}`, source: "shop", id, type: "order.created" } as const;
  return {
    ...identity,
    acceptedAt: ANSWERED.at,
    fingerprint: "sha256:00",
    state: delivery.state,
    deliveries: [delivery],
    conflicts: [],
  };
}

function aRequest(changes: Partial<SeenRequest>): SeenRequest {
  return {
    path: MOODY_PATH,
    idempotencyKey: "key-evt_1",
    arrivedMs: 0,
    answeredMs: 1,
    answer: "503, Retry-After: 2",
    ...changes,
  };
}

const APPROVED: DecisionRecord = {
  action: "approve",
  actor: "ana@example.com",
  at: ANSWERED.at,
  digest: aProposal().digest,
  revision: 1,
  note: "",
  counted: true,
  refusedBecause: null,
  signed: false,
};

function aRefund(changes: Partial<DeliveryStatus> = {}): EventState {
  const proposal = aProposal({ executedAt: DELIVERED.at });
  return anEvent("evt_3", [{ ...DELIVERED, number: 1 }], { proposal, decisions: [APPROVED], ...changes });
}

function aResult(changes: Partial<DemoResult> = {}): DemoResult {
  return {
    answer: "503",
    order: anEvent("evt_1", [ANSWERED, DELIVERED]),
    invoice: anEvent("evt_2", [LOST, DELIVERED]),
    requests: [
      aRequest({}),
      aRequest({ path: CUT_PATH, idempotencyKey: "key-evt_2", answer: "work done, connection cut" }),
      aRequest({ path: CUT_PATH, idempotencyKey: "key-evt_2", answer: "200, the stored receipt" }),
      aRequest({ arrivedMs: 2001, answer: "200" }),
      aRequest({ path: REFUND_PATH, idempotencyKey: "key-evt_3", answer: "200" }),
    ],
    proposed: aRefund({ state: "awaiting-approval", decisions: [] }),
    sentBefore: 0,
    refund: aRefund(),
    effects: { "key-evt_1": 1, "key-evt_2": 1, "key-evt_3": 1 },
    ...changes,
  };
}

function broken(changes: Partial<DemoResult>): readonly string[] {
  return checkPromises(aResult(changes)).flatMap(({ claim, kept }) => (kept ? [] : [claim]));
}

describe("the demo's promises", () => {
  test("hold for what a demo run should be", () => {
    expect(broken({})).toEqual([]);
  });

  test("break when the second attempt is recorded a millisecond before Retry-After", () => {
    const early = { ...DELIVERED, at: "2026-11-29T10:00:02.009Z" };
    expect(broken({ order: anEvent("evt_1", [ANSWERED, early]) })).toEqual([
      "the second attempt comes at least 2.0 s after that answer",
    ]);
  });

  test("break when the destination's own clock saw it too early, whatever the record says", () => {
    const requests = aResult().requests.map((request) =>
      request.answer === "200" ? { ...request, arrivedMs: 2000.5 } : request,
    );
    expect(broken({ requests })).toEqual(["the second attempt comes at least 2.0 s after that answer"]);
  });

  test("break when the work was done twice", () => {
    expect(broken({ effects: { ...aResult().effects, "key-evt_2": 2 } })).toEqual([
      "shop/evt_2: two requests, one key, one effect",
    ]);
  });

  test("break when the repeat came with another key", () => {
    const requests = aResult().requests.map((request) =>
      request.answer === "200, the stored receipt" ? { ...request, idempotencyKey: "another" } : request,
    );
    expect(broken({ requests })).toEqual(["shop/evt_2: two requests, one key, one effect"]);
  });

  test("break when a refused event was sent again or did not park", () => {
    const order = anEvent("evt_1", [{ ...ANSWERED, outcome: "refused", code: "http_400" }], { state: "waiting-retry" });
    expect(broken({ answer: "400", order, effects: { "key-evt_2": 1, "key-evt_3": 1 } })).toEqual([
      "a 400 parks the delivery for a person, reason refused",
      "it was sent once and nothing was done",
    ]);
  });

  test("break when a lost answer is taken for a request that was never sent", () => {
    const invoice = anEvent("evt_2", [{ ...LOST, certainty: "not-sent" }, DELIVERED]);
    expect(broken({ invoice })).toEqual(["the lost answer is recorded as unknown, not as a failure to send"]);
  });

  test("break when the refund was sent before the decision, twice, or on another digest", () => {
    expect(broken({ sentBefore: 1 })).toEqual([
      "the refund waits for a person, and nothing is sent before the decision",
    ]);
    expect(broken({ requests: [...aResult().requests, aRequest({ path: REFUND_PATH })] })).toEqual([
      "shop/evt_3: delivered, executed once",
    ]);
    const decisions = [{ ...APPROVED, digest: "sha256:another" }];
    expect(broken({ refund: aRefund({ decisions }) })).toEqual([
      "the record has who approved which digest, when, and when it was executed",
    ]);
  });

  test("break when the record says that it was decided after it was executed", () => {
    const decisions = [{ ...APPROVED, at: "2026-11-29T10:00:02.011Z" }];
    expect(broken({ refund: aRefund({ decisions }) })).toEqual([
      "the record has who approved which digest, when, and when it was executed",
    ]);
  });
});
