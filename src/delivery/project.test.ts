import { describe, expect, test } from "vitest";
import { aDeliveredAttempt, aPlan, anAttempt, anIdentity, at, NOON_MS } from "../../test/support/deliveries.ts";
import { approved, asked, begun as begunUnderApproval, decide, said, unasked } from "../../test/support/approvals.ts";
import { advance, begin } from "./advance.ts";
import type { Fact } from "./facts.ts";
import type { EventProgress } from "./progress.ts";
import { project } from "./project.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;

const start = (endpoints: readonly string[]): EventProgress =>
  begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(endpoints) });
const live = (endpoints: readonly string[], facts: readonly Later[]): EventProgress =>
  facts.reduce(advance, start(endpoints));
const begun = (endpoint: string): Later => ({
  fact: "attempt-begun",
  endpoint,
  number: 1,
  via: "local",
  atMs: NOON_MS,
});
const reported = (endpoint: string, record = anAttempt()): Later => ({
  fact: "attempt-reported",
  via: "local",
  atMs: NOON_MS,
  result: { kind: "attempted", endpoint, record },
});

describe("project", () => {
  test("shows an accepted event whole, down to the members that are empty", () => {
    expect(project(start(["crm"]))).toEqual({
      v: 1,
      key: "shop/evt_1",
      source: "shop",
      id: "evt_1",
      type: "order.created",
      acceptedAt: at(0),
      fingerprint: "sha256:test",
      state: "accepted",
      deliveries: [
        {
          endpoint: "crm",
          state: "accepted",
          idempotencyKey: "cs1_crm",
          revision: 1,
          attemptCount: 0,
          lastCode: null,
          nextAt: null,
          waitingFor: "worker",
          attempts: [],
          proposal: null,
          decisions: [],
          attention: null,
          resolutions: [],
        },
      ],
      conflicts: [],
    });
  });

  test("shows an attempt in flight as delivering, waiting for nothing", () => {
    const state = project(live(["crm"], [begun("crm")]));
    expect(state.deliveries[0]).toMatchObject({
      state: "delivering",
      waitingFor: null,
      attemptCount: 0,
      lastCode: null,
    });
  });

  test("shows when a retry is due and who set the time", () => {
    const own = project(live(["crm"], [begun("crm"), reported("crm")]));
    expect(own.state).toBe("waiting-retry");
    expect(own.deliveries[0]).toMatchObject({
      waitingFor: "retry",
      nextAt: at(1010),
      attemptCount: 1,
      lastCode: "http_503",
    });
    const told = project(live(["crm"], [begun("crm"), reported("crm", anAttempt({ retryAfterMs: 60_000 }))]));
    expect(told.deliveries[0]?.waitingFor).toBe("retry-after");
    expect(Date.parse(told.deliveries[0]?.nextAt ?? "")).toBeGreaterThanOrEqual(NOON_MS + 60_010);
    expect(told.deliveries[0]?.attempts[0]?.nextAt).toBe(told.deliveries[0]?.nextAt);
  });

  test("waits for a worker between a wait and its attempt, and after a replay", () => {
    const due = live(["crm"], [begun("crm"), reported("crm"), { fact: "wait-over", endpoint: "crm", atMs: NOON_MS }]);
    expect(project(due).deliveries[0]).toMatchObject({ state: "delivering", waitingFor: "worker", nextAt: null });
    const refused = anAttempt({ outcome: "refused", status: 400, code: "http_400" });
    const argument = { actor: "ana", reason: "mended" };
    const parked = live(["crm"], [begun("crm"), reported("crm", refused)]);
    expect(project(parked).deliveries[0]).toMatchObject({ state: "needs-attention", waitingFor: null });
    const replayed = advance(parked, { fact: "message", message: { name: "replay", argument }, atMs: NOON_MS });
    expect(project(replayed).deliveries[0]).toMatchObject({ state: "delivering", waitingFor: "worker" });
  });

  test("shows who is waited for: a worker before anything is proposed, then people, then a worker", () => {
    expect(project(unasked())).toMatchObject({
      state: "accepted",
      deliveries: [{ waitingFor: "worker", proposal: null }],
    });
    expect(project(asked())).toMatchObject({
      state: "awaiting-approval",
      deliveries: [{ waitingFor: "approval", proposal: { revision: 1, approvals: [] }, decisions: [] }],
    });
    expect(project(approved())).toMatchObject({
      state: "delivering",
      deliveries: [
        { waitingFor: "worker", proposal: { approvals: [{ actor: "ana" }] }, decisions: [{ counted: true }] },
      ],
    });
    expect(project(decide(asked(), "reject"))).toMatchObject({ state: "rejected", deliveries: [{ waitingFor: null }] });
  });

  test("shows decisions that wait to be judged beside words that wait for an attempt", () => {
    const heard = advance(asked(), said("approve"));
    expect(project(heard).deliveries[0]?.pending).toEqual([{ action: "approve", actor: "ana", at: at(1000) }]);
    const discard = { name: "discard", argument: { actor: "ops", reason: "no" } };
    const queued = advance(approved(), begunUnderApproval());
    const both = advance(
      advance(queued, { fact: "message", message: discard, atMs: NOON_MS + 3000 }),
      said("withdraw"),
    );
    expect(project(both).deliveries[0]?.pending?.map(({ action }) => action)).toEqual(["discard", "withdraw"]);
  });

  test("shows the most urgent delivery as the event's state", () => {
    const both = live(["crm", "ledger"], [reported("crm", aDeliveredAttempt())]);
    expect(project(both).deliveries.map(({ state, waitingFor }) => [state, waitingFor])).toEqual([
      ["delivered", null],
      ["accepted", "worker"],
    ]);
    expect(project(both).state).toBe("accepted");
    expect(project(advance(both, reported("ledger", aDeliveredAttempt()))).state).toBe("delivered");
  });

  test("survives JSON unchanged", () => {
    const state = project(live(["crm", "ledger"], [begun("crm"), reported("crm")]));
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});
