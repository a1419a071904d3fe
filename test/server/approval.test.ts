/** A human decides: what waits, what counts, what is sent, on a real server, by the Temporal client alone and by ours. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventReport } from "../../src/client/get-event.ts";
import type { Proposal } from "../../src/delivery/event-state.ts";
import { exactState, historyText, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const [ANA, BEN, LEA, RITA] = ["ana@example.com", "ben@example.com", "lea@example.com", "rita@example.com"];

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      payments: { idempotent: false, headers: { authorization: "Bearer top-secret" } },
      ledger: {},
      statement: {},
      flaky: {},
      "bad-first": {},
      "ops-chat": {},
    },
    routes: [
      {
        match: { type: "refund" },
        to: ["payments"],
        approval: {
          when: { "data.amount": { gt: 500 } },
          approvers: ["group:finance"],
          quorum: 2,
          fourEyes: true,
          notify: "ops-chat",
        },
      },
      { match: { type: "publish" }, to: ["statement"], approval: { approvers: [ANA, BEN, RITA], fourEyes: true } },
      { match: { type: "twice" }, to: ["ledger", "statement"], approval: { approvers: ["group:finance"] } },
      { match: { type: "try" }, to: ["flaky"], approval: { approvers: [ANA] } },
      { match: { type: "wrong" }, to: ["bad-first"], approval: { approvers: [ANA, BEN] } },
    ],
    rest: {
      people: {
        [ANA]: { groups: ["finance"] },
        [BEN]: { groups: ["finance"] },
        [RITA]: { groups: ["finance"] },
        [LEA]: { groups: ["leads"] },
      },
    },
    scripts: { flaky: [{ status: 503 }, {}], "bad-first": [{ status: 400 }, {}] },
  });
});

afterAll(async () => await stage.close());

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

async function submitted(type: string, more: object = {}): Promise<string> {
  const { key } = await stage.far.submit({
    source: "shop",
    id: uniqueName(type),
    type,
    data: { amount: 900 },
    ...more,
  });
  return key;
}

async function inState(key: string, state: EventReport["state"]): Promise<EventReport> {
  return await until(`${key} is ${state}`, async () => {
    const report = await stage.far.get(key);
    return report.state === state && report;
  });
}

async function proposed(
  type: string,
  more: object = {},
): Promise<{ readonly key: string; readonly proposal: Proposal }> {
  const key = await submitted(type, more);
  const report = await inState(key, "awaiting-approval");
  return { key, proposal: proposalOf(report) };
}

function proposalOf({ deliveries }: EventReport, endpoint?: string): Proposal {
  const delivery = deliveries.find((one) => endpoint === undefined || one.endpoint === endpoint);
  if (delivery?.proposal === null || delivery?.proposal === undefined) throw new TypeError("There is no proposal");
  return delivery.proposal;
}

function requestsOf(key: string) {
  return stage.destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}

describe.concurrent("a delivery that a person must approve", () => {
  test("shows the exact request, whole, without a secret, and sends nothing", async () => {
    const { key, proposal } = await proposed("refund", {
      requestedBy: RITA,
      evidence: [{ title: "ticket 7", url: "https://tickets.example/7" }],
      data: { amount: 900, to: "DE00 1234" },
    });
    expect(proposal).toMatchObject({
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
      revision: 1,
      requestedBy: RITA,
      action: {
        endpoint: "payments",
        method: "POST",
        headerNames: ["authorization"],
        contentType: "application/json",
        body: '{"amount":900,"to":"DE00 1234"}',
      },
      evidence: [{ title: "ticket 7", url: "https://tickets.example/7" }],
      policy: { approvers: ["group:finance"], quorum: 2, rejections: 1, fourEyes: true, version: null },
      approvals: [],
      executedAt: null,
    });
    expect(Date.parse(proposal.expiresAt) - Date.parse(proposal.createdAt)).toBe(72 * 60 * 60_000);
    expect(await exactState(stage, key)).toMatchObject({
      state: "awaiting-approval",
      deliveries: [{ waitingFor: "approval", attemptCount: 0 }],
    });
    expect(requestsOf(key)).toEqual([]);
    expect(await historyText(stage.temporal, key)).not.toContain("top-secret");
  });

  test("goes straight out where the condition does not hold", async () => {
    const key = await submitted("refund", { data: { amount: 500 } });
    await inState(key, "delivered");
    expect(requestsOf(key)).toHaveLength(1);
    expect((await exactState(stage, key)).deliveries[0]).toMatchObject({ proposal: null, decisions: [] });
  });

  test("is sent once its quorum of distinct people has approved, and the record says who, what and when", async () => {
    const { key, proposal } = await proposed("refund", { requestedBy: LEA });
    const { digest } = proposal;
    expect(await stage.far.approve(key, { actor: ANA, digest, note: "checked" })).toEqual({
      counted: true,
      refusedBecause: null,
      at: expect.any(String),
    });
    expect(await stage.far.approve(key, { actor: ANA, digest })).toMatchObject({ refusedBecause: "second-vote" });
    expect(requestsOf(key)).toEqual([]);
    expect(await stage.near().approve(key, { actor: BEN, digest })).toMatchObject({ counted: true });
    await inState(key, "delivered");
    const [delivery] = (await exactState(stage, key)).deliveries;
    expect(delivery).toMatchObject({
      decisions: [
        { action: "approve", actor: ANA, digest, revision: 1, note: "checked", counted: true, signed: false },
        { action: "approve", actor: ANA, counted: false, refusedBecause: "second-vote" },
        { action: "approve", actor: BEN, counted: true },
      ],
      proposal: { approvals: [{ actor: ANA }, { actor: BEN }], executedAt: delivery?.attempts[0]?.at },
      attempts: [{ outcome: "delivered", via: "direct" }],
    });
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("is approved by plain signals, five times over, and sent once", async () => {
    const { key, proposal } = await proposed("publish");
    const word = { actor: ANA, digest: proposal.digest };
    await Promise.all(Array.from({ length: 5 }, async () => await handleOf(key).signal("approve", word)));
    await inState(key, "delivered");
    const [delivery] = (await exactState(stage, key)).deliveries;
    expect(delivery?.decisions.filter(({ counted }) => counted)).toHaveLength(1);
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("ends when a person rejects it, with the note that says why", async () => {
    const { key, proposal } = await proposed("publish");
    const { digest } = proposal;
    expect(await stage.far.reject(key, { actor: ANA, digest })).toMatchObject({ refusedBecause: "no-note" });
    expect(await stage.far.reject(key, { actor: ANA, digest, note: "wrong figure" })).toMatchObject({ counted: true });
    expect(await inState(key, "rejected")).toMatchObject({ deliveries: [{ attention: null, attemptCount: 0 }] });
    await exactState(stage, key);
    expect(await stage.far.approve(key, { actor: BEN, digest })).toMatchObject({
      counted: false,
      refusedBecause: "already-decided",
    });
    expect(requestsOf(key)).toEqual([]);
  });

  test("records whatever cannot count, with the reason", async () => {
    const { key, proposal } = await proposed("publish", { requestedBy: "Rita@Example.com" });
    const { digest } = proposal;
    const refusals = [
      [{ actor: RITA, digest }, "own-request"],
      [{ actor: LEA, digest }, "not-eligible"],
      [{ actor: "Ana@example.com", digest }, "unknown-person"],
      [{ actor: ANA, digest: "" }, "no-digest"],
      [{ actor: ANA, digest: `sha256:${"0".repeat(64)}` }, "wrong-digest"],
      [{ actor: ANA, digest, signature: "bm90IG9uZQ==" }, "bad-signature"],
    ] as const;
    for (const [word, refusedBecause] of refusals)
      expect(await stage.far.approve(key, word)).toMatchObject({ counted: false, refusedBecause });
    expect(await stage.far.reject(key, { actor: LEA, digest, note: "no" })).toMatchObject({
      refusedBecause: "not-eligible",
    });
    expect(await stage.far.withdraw(key, { actor: ANA, digest })).toMatchObject({ refusedBecause: "not-eligible" });
    const [delivery] = (await exactState(stage, key)).deliveries;
    expect(delivery?.decisions).toHaveLength(8);
    expect(delivery?.state).toBe("awaiting-approval");
  });

  test("lets an approval be taken back, and given again", async () => {
    const { key, proposal } = await proposed("refund");
    const { digest } = proposal;
    await stage.far.approve(key, { actor: ANA, digest });
    expect(await stage.far.withdraw(key, { actor: ANA, digest })).toMatchObject({ counted: true });
    expect(await stage.far.approve(key, { actor: BEN, digest })).toMatchObject({ counted: true });
    expect((await exactState(stage, key)).state).toBe("awaiting-approval");
    expect(await stage.far.approve(key, { actor: ANA, digest })).toMatchObject({ counted: true });
    await inState(key, "delivered");
    const late = await stage.far.withdraw(key, { actor: ANA, digest });
    expect(late).toMatchObject({ counted: false, refusedBecause: "executed" });
    expect(requestsOf(key)).toHaveLength(1);
  });

  test("has one outcome when approve and reject come in the same instant, and both are on record", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      const { key, proposal } = await proposed("publish");
      const { digest } = proposal;
      const verdicts = await Promise.all([
        stage.far.approve(key, { actor: ANA, digest }),
        stage.near().reject(key, { actor: BEN, digest, note: "no" }),
      ]);
      expect(verdicts.filter(({ counted }) => counted)).toHaveLength(1);
      const approved = verdicts[0].counted;
      const state = await inState(key, approved ? "delivered" : "rejected");
      expect(requestsOf(key)).toHaveLength(approved ? 1 : 0);
      expect(state.deliveries[0]?.decisions.map(({ action }) => action).toSorted()).toEqual(["approve", "reject"]);
      await exactState(stage, key);
      seen.add(state.state);
    }
    expect(seen.size).toBeGreaterThan(0);
  });

  test.each([-10, 0, 10])("and a cancel request %d ms from its approval has one winner", async (offsetMs) => {
    const { key, proposal } = await proposed("publish");
    const word = { actor: ANA, digest: proposal.digest };
    const cancel = async (): Promise<unknown> => await handleOf(key).cancel();
    // Whoever comes when the run has ended is told so.
    const approve = async (): Promise<unknown> =>
      await handleOf(key)
        .signal("approve", word)
        .catch(() => undefined);
    const [first, second] = offsetMs < 0 ? [cancel, approve] : [approve, cancel];
    await Promise.all([first(), pause(Math.abs(offsetMs)).then(second)]).catch(() => undefined);
    const ended = await until(`${key} has ended`, async () => {
      const report = await stage.far.get(key);
      return (report.state === "delivered" || report.state === "discarded") && report;
    });
    expect(requestsOf(key)).toHaveLength(ended.state === "delivered" ? 1 : 0);
    expect(ended.deliveries[0]?.attemptCount).toBe(ended.state === "delivered" ? 1 : 0);
    await exactState(stage, key);
    const again = await stage.far.approve(key, word);
    expect(again).toMatchObject({ counted: false });
  });

  test("keeps an approval for the retries of an attempt that began in time", async () => {
    const { key, proposal } = await proposed("try");
    await stage.far.approve(key, { actor: ANA, digest: proposal.digest });
    const { deliveries } = await inState(key, "delivered");
    expect(deliveries[0]?.attempts.map(({ status }) => status)).toEqual([503, 200]);
    await exactState(stage, key);
  });

  test("shows apart what was decided and what became of it: approved, then refused by the endpoint", async () => {
    const { key, proposal } = await proposed("wrong");
    await stage.far.approve(key, { actor: ANA, digest: proposal.digest });
    const parked = await inState(key, "needs-attention");
    expect(parked.deliveries[0]).toMatchObject({
      proposal: { approvals: [{ actor: ANA }], executedAt: parked.deliveries[0]?.attempts[0]?.at },
      attention: { reason: "refused" },
    });
    expect(await stage.far.approve(key, { actor: BEN, digest: proposal.digest })).toMatchObject({
      refusedBecause: "executed",
    });
    await stage.far.replay(key, { actor: ANA, reason: "the endpoint is mended" });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key)).toHaveLength(2);
  });

  test("of several that wait, the digest says which one is meant", async () => {
    const key = await submitted("twice");
    const waiting = await until("both wait", async () => {
      const report = await stage.far.get(key);
      return report.deliveries.length === 2 && report.deliveries.every(({ proposal }) => proposal !== null) && report;
    });
    const [ledger, statement] = ["ledger", "statement"].map((name) => proposalOf(waiting, name));
    await stage.far.approve(key, { actor: ANA, digest: ledger?.digest ?? "" });
    await until("one is sent", () => requestsOf(key).length === 1);
    expect(requestsOf(key)[0]?.path).toBe("/ledger");
    await stage.far.reject(key, { actor: BEN, digest: statement?.digest ?? "", note: "not this one" });
    const ended = await inState(key, "rejected");
    expect(ended.deliveries.map(({ state }) => state)).toEqual(["delivered", "rejected"]);
    await exactState(stage, key);
  });
});

describe.concurrent("amend", () => {
  test("makes a new revision with a new digest and key, and the old one can never be sent", async () => {
    const { key, proposal } = await proposed("refund");
    const before = (await stage.far.get(key)).deliveries[0];
    await stage.far.approve(key, { actor: ANA, digest: proposal.digest });
    const word = { actor: LEA, reason: "the sum was wrong", data: { amount: 100 } };
    expect(await stage.far.amend(key, word)).toMatchObject({ counted: true });
    const [amended] = (await inState(key, "awaiting-approval")).deliveries;
    expect(amended).toMatchObject({
      revision: 2,
      proposal: { revision: 2, approvals: [], action: { body: '{"amount":100}' } },
    });
    expect(amended?.idempotencyKey).not.toBe(before?.idempotencyKey);
    expect(await stage.far.approve(key, { actor: BEN, digest: proposal.digest })).toMatchObject({
      refusedBecause: "stale-revision",
    });
    const digest = amended?.proposal?.digest ?? "";
    await stage.far.approve(key, { actor: ANA, digest });
    await stage.far.approve(key, { actor: BEN, digest });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key).map(({ body }) => body.toString())).toEqual(['{"amount":100}']);
    expect(requestsOf(key)[0]?.headers["idempotency-key"]).toBe(amended?.idempotencyKey);
  });

  test("by the last editor counts as involved under four eyes", async () => {
    const { key } = await proposed("publish", { requestedBy: LEA });
    await stage.far.amend(key, { actor: ANA, reason: "a word was wrong", data: { text: "new" } });
    const [amended] = (await inState(key, "awaiting-approval")).deliveries;
    const digest = amended?.proposal?.digest ?? "";
    expect(await stage.far.approve(key, { actor: ANA, digest })).toMatchObject({ refusedBecause: "own-request" });
    expect(await stage.far.approve(key, { actor: BEN, digest })).toMatchObject({ counted: true });
    await inState(key, "delivered");
  });

  test("of the endpoint sends to the other one alone", async () => {
    const { key } = await proposed("publish");
    await stage.far.amend(key, { actor: LEA, reason: "wrong place", endpoint: "ledger" });
    const moved = await until("it is proposed anew", async () => {
      const report = await stage.far.get(key);
      return report.deliveries[0]?.proposal?.revision === 2 && report;
    });
    expect(moved.deliveries[0]).toMatchObject({ endpoint: "ledger", proposal: { action: { endpoint: "ledger" } } });
    await until("it is listed under the endpoint it goes to", async () => {
      for await (const row of stage.far.list({ endpoint: "ledger", state: "awaiting-approval" }))
        if (row.key === key) return row;
      return null;
    });
    await stage.far.approve(key, { actor: ANA, digest: proposalOf(moved).digest });
    await inState(key, "delivered");
    await exactState(stage, key);
    expect(requestsOf(key).map(({ path }) => path)).toEqual(["/ledger"]);
  });

  test("of what had an effect is refused", async () => {
    const { key, proposal } = await proposed("try");
    expect(await stage.far.amend(key, { actor: LEA, reason: "nothing to do" })).toMatchObject({
      refusedBecause: "bad-amendment",
    });
    await stage.far.approve(key, { actor: ANA, digest: proposal.digest });
    await inState(key, "delivered");
    expect(await stage.far.amend(key, { actor: LEA, reason: "too late", data: {} })).toMatchObject({
      refusedBecause: "already-ended",
    });
  });
});

describe("people", () => {
  test("are told at the endpoint that the route names: asked, and how it ended, each once", async () => {
    const { key, proposal } = await proposed("refund");
    await stage.far.reject(key, { actor: ANA, digest: proposal.digest, note: "no" });
    const notices = await until("both notices have come", () => {
      const mine = stage.destination.requests
        .filter(({ path }) => path === "/ops-chat")
        .map(({ body }): unknown => JSON.parse(body.toString()))
        .filter((notice) => (notice as { key: string }).key === key);
      return mine.length === 2 && mine;
    });
    expect(notices).toMatchObject([
      { kind: "requested", endpoint: "payments", digest: proposal.digest, approvers: ["group:finance"] },
      { kind: "rejected", digest: proposal.digest },
    ]);
    // A digest may hold any digits; the body's own member is in no notice.
    expect(JSON.stringify(notices)).not.toContain("amount");
  });
});
