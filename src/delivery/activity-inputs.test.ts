import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  asked,
  begun,
  digestOf,
  live,
  only,
  ordered,
  planned,
  reported,
  said,
  unasked,
} from "../../test/support/approvals.ts";
import { anAttempt, anIdentity, aPlan, NOON_MS, someSettings } from "../../test/support/deliveries.ts";
import { attemptInputOf, examineInputOf, planInputOf, reconcileInputOf } from "./activity-inputs.ts";
import { begin } from "./advance.ts";
import { isAsked } from "./ballots.ts";
import type { BusinessEvent } from "./event.ts";
import { grantOf } from "./grant.ts";
import type { EventProgress } from "./progress.ts";

const event: BusinessEvent = { source: "shop", id: "evt_1", type: "order.created", data: { total: 1 } };
const facts = { number: 1, via: "direct", event } as const;
const free = begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(["crm"]) });

describe("an attempt", () => {
  test("of an ordinary delivery brings its settings, and nothing of approvals", () => {
    expect(attemptInputOf(only(free), facts)).toEqual({
      v: 1,
      endpoint: "crm",
      number: 1,
      via: "direct",
      settings: someSettings({ idempotencyKey: "cs1_crm" }),
      event,
      lastStatus: null,
    });
    const tried = live(free, begun(), reported({ kind: "attempted", endpoint: "crm", record: anAttempt() }));
    expect(attemptInputOf(only(tried), { ...facts, number: 2, event: null })).toMatchObject({
      number: 2,
      event: null,
      lastStatus: 503,
    });
  });

  test("of an approved one brings the approval, and the revision a new proposal would have", () => {
    const delivery = only(approved());
    expect(attemptInputOf(delivery, facts)).toMatchObject({ approval: grantOf(delivery), nextRevision: 2 });
  });

  test("of a replayed one says so", () => {
    const refused = reported({ kind: "attempted", endpoint: "crm", record: anAttempt({ outcome: "refused" }) });
    const replayed = live(free, begun(), refused, ordered("replay"));
    expect(attemptInputOf(only(replayed), { ...facts, number: 2 })).toMatchObject({ number: 2, replayed: true });
  });

  test("never falls back to a revision that was used, also where nobody approved anything", () => {
    const freed = (progress: EventProgress) => live(progress, planned(null));
    const amended = freed(live(asked(), ordered("amend", { data: 2 })));
    const input = attemptInputOf(only(amended), facts);
    expect(input).not.toHaveProperty("approval");
    expect(input).toMatchObject({ nextRevision: 2, amendment: { revision: 2, data: 2 } });
    const twice = live(asked(), ordered("amend", { data: 2 }), planned(aDraft({ revision: 2 })));
    const again = freed(live(twice, ordered("amend", { data: 3 })));
    expect(attemptInputOf(only(again), facts)).toMatchObject({ nextRevision: 3 });
  });
});

describe("a question", () => {
  test("what is due names the revision a proposal would have", () => {
    expect(planInputOf(only(unasked()), event)).toEqual({ v: 1, endpoint: "crm", event, revision: 1 });
    const amended = only(live(asked(), ordered("amend", { data: 2 })));
    expect(planInputOf(amended, null)).toMatchObject({ event: null, revision: 2, amendment: { data: 2 } });
  });

  test("what became of an attempt names that attempt, and what was amended", () => {
    const tried = live(free, begun(), reported({ kind: "attempted", endpoint: "crm", record: anAttempt() }));
    const question = { v: 1, endpoint: "crm", event, number: 1 };
    expect(reconcileInputOf(only(tried), event)).toEqual({ ...question, revision: 1 });
    const amended = live(asked(), ordered("amend", { data: 2 }));
    expect(reconcileInputOf(only(amended), null)).toMatchObject({ event: null, amendment: { revision: 2, data: 2 } });
  });

  test("who decided brings the proposal, its rules and the ballots without their notes", () => {
    const delivery = only(live(asked(), said("approve")));
    if (!isAsked(delivery)) throw new TypeError("Nobody is asked");
    const { rules } = delivery.approval.draft.terms;
    expect(examineInputOf(delivery, { event, key: "shop/evt_1" })).toEqual({
      v: 1,
      endpoint: "crm",
      event,
      revision: 1,
      nextRevision: 2,
      digest: digestOf(1),
      rules,
      key: "shop/evt_1",
      ballots: [{ sequence: 0, action: "approve", actor: "ana", digest: digestOf(1), signature: null }],
    });
  });
});
