import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  aRule,
  asked,
  begun,
  decide,
  deliveryTo,
  digestOf,
  examined,
  EXPIRES_MS,
  type Later,
  live,
  only,
  ordered,
  passed,
  planned,
  reported,
  rightsFor,
  said,
  unasked,
} from "../../test/support/approvals.ts";
import { anAttempt, anIdentity, aPlan, at, NOON_MS } from "../../test/support/deliveries.ts";
import { begin } from "./advance.ts";
import type { ApprovalTerms } from "./approval.ts";
import type { DecisionRefusal } from "./approval.ts";
import { nextAction } from "./next-action.ts";
import { type EventProgress, nextRevisionOf } from "./progress.ts";

const yes = (afterMs = 1000) => ({ counted: true, refusedBecause: null, at: at(afterMs) });
const no = (refusedBecause: DecisionRefusal, afterMs = 1000) => ({ counted: false, refusedBecause, at: at(afterMs) });

const quorum = (count: number, terms: Partial<ApprovalTerms> = {}): EventProgress =>
  asked({ terms: { rules: [aRule({ quorum: count })], ...terms } });
const withheld = (fact: "planned" | "examined"): Later => {
  const answer = { kind: "withheld", endpoint: "crm", reason: "not-routed" } as const;
  const atMs = NOON_MS + 2000;
  return fact === "planned" ? { fact, planned: answer, atMs } : { fact, examination: answer, atMs };
};
const cancel: Later = { fact: "cancel-requested", atMs: NOON_MS + 1500 };
const voters = (progress: EventProgress): readonly string[] =>
  only(progress).approval?.approvals.map(({ actor }) => actor) ?? [];

describe("asking", () => {
  test("is due first where the plan says so, and nothing is sent meanwhile", () => {
    expect(nextAction(only(unasked()))).toBe("plan");
    const waiting = only(live(unasked(), planned(aDraft(), { afterMs: 700 })));
    expect(waiting).toMatchObject({
      state: "awaiting-approval",
      leftLocal: true,
      revision: 1,
      earlier: [],
      approval: {
        draft: { revision: 1, digest: digestOf(1) },
        createdAtMs: NOON_MS + 700,
        expiresAtMs: NOON_MS + 700 + EXPIRES_MS,
        standing: "asking",
        executedAt: null,
      },
    });
    expect(nextAction(waiting)).toBe("await-decision");
  });

  test("is left out where a worker's configuration does not ask for it", () => {
    const free = only(live(unasked(), planned(null)));
    expect(free).toMatchObject({ state: "delivering", approval: null, leftLocal: true });
    expect(free.settings).not.toHaveProperty("approval");
    expect(nextAction(free)).toBe("attempt");
  });

  test("is due when an attempt finds that nobody approved what it would send", () => {
    const free = begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(["crm"]) });
    const found = reported({ kind: "unapproved", endpoint: "crm", draft: aDraft() });
    const waiting = only(live(free, begun(), found));
    expect(waiting).toMatchObject({ state: "awaiting-approval", inFlight: null, leftLocal: true, attempts: [] });
    expect(waiting.approval?.createdAtMs).toBe(NOON_MS + 3000);
    expect(waiting.settings.approval).toBe(true);
  });

  test("parks where the worker has no such route, and is tried again by a replay", () => {
    const parked = live(unasked(), withheld("planned"));
    expect(only(parked)).toMatchObject({ state: "needs-attention", attention: { reason: "misconfigured" } });
    const replayed = live(parked, ordered("replay"));
    expect(only(replayed)).toMatchObject({ state: "accepted", attention: null });
    expect(nextAction(only(replayed))).toBe("plan");
  });

  test.each<[string, Later]>([
    ["a proposal", planned(aDraft(), { afterMs: 2000 })],
    ["that no approval is due", planned(null, { afterMs: 2000 })],
    ["that the event is not routed", withheld("planned")],
  ])("changes nothing when the worker's answer, %s, meets a delivery that was ended meanwhile", (_, answer) => {
    for (const word of [ordered("discard", {}, 1000), cancel]) {
      const ended = live(unasked(), word);
      expect(live(ended, answer)).toEqual(ended);
    }
  });

  test("ends by a person's word like any other wait", () => {
    expect(only(live(asked(), ordered("discard"))).state).toBe("discarded");
    expect(only(live(asked(), cancel)).state).toBe("discarded");
    expect(live(asked(), ordered("replay")).verdicts[0]).toMatchObject({ refusedBecause: "not-parked" });
    expect(live(asked(), ordered("mark-delivered")).verdicts[0]).toMatchObject({ refusedBecause: "not-parked" });
    expect(nextAction(only(live(asked(), cancel)))).toBe("nothing");
  });
});

describe("a decision", () => {
  test("waits for its author to be known, and shows as pending until then", () => {
    const heard = live(asked(), said("approve"));
    expect(heard.verdicts).toEqual({});
    expect(only(heard)).toMatchObject({ state: "awaiting-approval", ballots: [{ sequence: 0 }], decisions: [] });
    expect(nextAction(only(heard))).toBe("examine");
    const judged = live(heard, examined([rightsFor(0)]));
    expect(judged.verdicts[0]).toEqual(yes());
    expect(only(judged)).toMatchObject({ state: "delivering", ballots: [], approval: { standing: "approved" } });
    expect(nextAction(only(judged))).toBe("attempt");
  });

  test("that refuses ends the delivery as rejected, by a person's word", () => {
    const rejected = decide(asked(), "reject", { note: "too much" });
    expect(only(rejected)).toMatchObject({
      state: "rejected",
      decisions: [{ action: "reject", actor: "ana", note: "too much", counted: true, revision: 1 }],
    });
    expect(nextAction(only(rejected))).toBe("nothing");
  });

  test("counts towards its quorum of distinct people", () => {
    const one = decide(quorum(2), "approve");
    expect(only(one).state).toBe("awaiting-approval");
    const twice = decide(one, "approve", { afterMs: 1100 });
    expect(twice.verdicts[1]).toEqual(no("second-vote", 1100));
    expect(only(twice).state).toBe("awaiting-approval");
    const two = decide(twice, "approve", { actor: "bo" });
    expect(only(two)).toMatchObject({
      state: "delivering",
      approval: { approvals: [{ actor: "ana" }, { actor: "bo" }] },
    });
  });

  test("sent five times counts once", () => {
    const five = live(quorum(2), ...Array.from({ length: 5 }, () => said("approve")));
    const judged = live(five, examined([0, 1, 2, 3, 4].map((sequence) => rightsFor(sequence))));
    expect(Object.values(judged.verdicts).map(({ refusedBecause }) => refusedBecause)).toEqual([
      null,
      ...Array.from({ length: 4 }, () => "second-vote"),
    ]);
    expect(voters(judged)).toEqual(["ana"]);
    const enough = live(asked(), ...Array.from({ length: 5 }, () => said("approve")), examined([rightsFor(0)]));
    expect(Object.values(enough.verdicts).map(({ refusedBecause }) => refusedBecause)).toEqual([
      null,
      ...Array.from({ length: 4 }, () => "already-decided"),
    ]);
  });

  test.each([
    ["approve", "reject", "delivering"],
    ["reject", "approve", "rejected"],
  ] as const)("to %s wins over one to %s of the same instant that comes after it", (first, second, state) => {
    const both = live(asked(), said(first), said(second, { actor: "bo" }));
    const judged = live(both, examined([rightsFor(0), rightsFor(1)]));
    expect(judged.verdicts).toEqual({ 0: yes(), 1: no("already-decided") });
    expect(only(judged)).toMatchObject({
      state,
      decisions: [{ counted: true }, { refusedBecause: "already-decided" }],
    });
  });

  test("is judged in the order of arrival by what stands when its turn comes", () => {
    const words = [said("approve"), said("withdraw"), said("approve"), said("approve", { actor: "bo" })];
    const judged = live(quorum(2), ...words, examined([0, 1, 2, 3].map((sequence) => rightsFor(sequence))));
    expect(Object.values(judged.verdicts).every(({ counted }) => counted)).toBe(true);
    expect(only(judged).state).toBe("delivering");
  });

  test.each<[DecisionRefusal, Parameters<typeof decide>[2], "approve" | "reject"]>([
    ["no-digest", { digest: "" }, "approve"],
    ["wrong-digest", { digest: "sha256:other" }, "approve"],
    ["unknown-person", { actor: "mallory", rights: { known: false, rules: [] } }, "approve"],
    ["not-eligible", { rights: { rules: [] } }, "approve"],
    ["bad-signature", { rights: { signature: "bad" } }, "approve"],
    ["no-note", { note: " " }, "reject"],
    ["nothing-waits", { delivery: "mail" }, "approve"],
  ])("refused as %s is on record and changes nothing", (because, word, action) => {
    const before = asked();
    const after = decide(before, action, word);
    expect(after.verdicts[0]).toEqual(no(because));
    expect(only(after).decisions).toMatchObject([{ action, counted: false, refusedBecause: because }]);
    expect({ ...only(after), decisions: [] }).toEqual(only(before));
  });

  test("is kept while nothing is proposed yet, and judged once something is", () => {
    const early = live(unasked(), said("approve"), said("reject", { actor: "bo", digest: "" }));
    expect(early.verdicts).toEqual({});
    expect(nextAction(only(early))).toBe("plan");
    const proposed = live(early, planned(aDraft(), { afterMs: 2000 }));
    expect(proposed.verdicts).toEqual({ 1: no("no-digest") });
    expect(nextAction(only(proposed))).toBe("examine");
    expect(only(live(proposed, examined([rightsFor(0)], { afterMs: 2000 })))).toMatchObject({ state: "delivering" });
    const free = live(early, planned(null, { afterMs: 2000 }));
    expect(free.verdicts).toEqual({ 0: no("nothing-waits"), 1: no("nothing-waits") });
  });

  test("finds its delivery by the digest when two wait at once", () => {
    const both = live(
      unasked(["crm", "ledger"]),
      planned(aDraft()),
      planned(aDraft({ endpoint: "ledger" }), { endpoint: "ledger" }),
    );
    const one = decide(both, "approve", { digest: digestOf(1, "ledger") });
    expect(one.deliveries.map(({ state }) => state)).toEqual(["awaiting-approval", "delivering"]);
    const other = decide(both, "approve", { digest: digestOf(1, "ledger"), delivery: "crm" });
    expect(other.verdicts[0]).toEqual(no("wrong-digest"));
    expect(deliveryTo(other, "crm").decisions).toMatchObject([{ refusedBecause: "wrong-digest" }]);
    const missed = decide(both, "approve", { delivery: "mail" });
    expect(deliveryTo(missed, "crm").decisions).toMatchObject([{ refusedBecause: "nothing-waits" }]);
  });

  test("before the event has any delivery is answered", () => {
    expect(live({ ...asked(), deliveries: [] }, said("approve")).verdicts[0]).toEqual(no("nothing-waits"));
    const named = live({ ...asked(), deliveries: [] }, said("approve", { delivery: "crm" }));
    expect(named.verdicts[0]).toEqual(no("nothing-waits"));
  });

  test("of an unknown delivery or message changes nothing when it is examined", () => {
    const heard = live(asked(), said("approve"));
    expect(live(heard, examined([rightsFor(0)], { endpoint: "mail" }))).toEqual(heard);
    expect(live(heard, examined([rightsFor(7)]))).toEqual(heard);
    expect(live(heard, examined([], { endpoint: "mail", changed: aDraft({ endpoint: "mail" }) }))).toEqual(heard);
  });

  test("that does not count is kept a hundred times and no more; what counts is always kept", () => {
    const flood = Array.from({ length: 300 }, () => said("approve", { digest: "sha256:x", note: "x".repeat(2000) }));
    const after = only(decide(live(asked(), ...flood), "reject", { note: "y".repeat(2000) }));
    expect(after.decisions).toHaveLength(101);
    expect(after.decisions[0]?.note).toHaveLength(200);
    expect(after.decisions.at(-1)).toMatchObject({ counted: true, note: "y".repeat(2000) });
  });
});

describe("an examination", () => {
  const heard = live(asked(), said("approve"));

  test("that finds another request than was proposed asks people anew", () => {
    const changed = aDraft({ revision: 2 });
    const anew = live(heard, examined([rightsFor(0)], { changed, afterMs: 1500 }));
    expect(anew.verdicts[0]).toEqual(no("stale-revision"));
    expect(only(anew)).toMatchObject({
      state: "awaiting-approval",
      revision: 2,
      earlier: [{ revision: 1, replacedBecause: "changed" }],
      approval: { draft: { revision: 2 }, standing: "asking", approvals: [], createdAtMs: NOON_MS + 1500 },
      decisions: [{ revision: 1, refusedBecause: "stale-revision" }],
    });
    expect(only(decide(anew, "approve", { digest: digestOf(2) })).state).toBe("delivering");
    expect(decide(anew, "approve").verdicts[1]).toEqual(no("stale-revision"));
  });

  test("voids what was approved before it found the change", () => {
    const one = live(decide(quorum(2), "approve"), said("approve", { actor: "bo" }));
    const anew = live(one, examined([rightsFor(1)], { changed: aDraft({ revision: 2 }) }));
    expect(only(anew).approval).toMatchObject({ standing: "asking", approvals: [] });
  });

  test("that a worker cannot make parks the delivery, voids the proposal and answers whoever waits", () => {
    const parked = live(heard, withheld("examined"));
    expect(only(parked)).toMatchObject({ state: "needs-attention", approval: null, ballots: [] });
    expect(parked.verdicts[0]).toEqual(no("nothing-waits"));
    const replayed = only(live(parked, ordered("replay")));
    expect(nextAction(replayed)).toBe("plan");
    expect(nextRevisionOf(replayed)).toBe(2);
  });

  test.each<[string, Later]>([
    ["that they may", examined([rightsFor(0)], { afterMs: 2000 })],
    ["that the request has changed", examined([rightsFor(0)], { changed: aDraft({ revision: 2 }), afterMs: 2000 })],
    ["that the event is not routed", withheld("examined")],
  ])("changes nothing, %s, once the delivery has ended or expired", (_, answer) => {
    for (const ended of [live(heard, ordered("discard", {}, 1500)), live(heard, cancel)])
      expect(live(ended, answer)).toEqual(ended);
    for (const onExpire of ["end", "park"] as const) {
      const expired = live(asked({ terms: { onExpire, expiresMs: 1500 } }), said("approve"), passed(1500));
      expect(live(expired, answer)).toEqual(expired);
      expect(expired.verdicts[0]).toEqual(no("expired"));
    }
  });

  test("does not judge by what stood before an amendment: the decision waits for the next proposal", () => {
    const amended = live(heard, ordered("amend", { data: 1 }, 1500));
    for (const answer of [examined([rightsFor(0)]), examined([], { changed: aDraft({ revision: 3 }) })])
      expect(live(amended, answer)).toEqual(amended);
    expect(live(amended, withheld("examined"))).toEqual(amended);
    const proposed = live(amended, examined([rightsFor(0)]), planned(aDraft({ revision: 2 }), { afterMs: 2000 }));
    expect(proposed.verdicts[0]).toEqual(no("stale-revision"));
    expect(only(proposed)).toMatchObject({ state: "awaiting-approval", approval: { approvals: [] } });
  });
});

describe("an examination", () => {
  test("of another proposal than the one in force judges nobody and asks nobody anew", () => {
    const heard = live(asked(), said("approve"));
    const other = { kind: "examined", endpoint: "crm", digest: "sha256:other", rights: [rightsFor(0)] } as const;
    const changed = aDraft({ revision: 2 });
    for (const examination of [other, { ...other, changed }])
      expect(live(heard, { fact: "examined", examination, atMs: NOON_MS + 1000 })).toEqual(heard);
    const own = { ...other, digest: digestOf(1) };
    expect(only(live(heard, { fact: "examined", examination: own, atMs: NOON_MS + 1000 }))).toMatchObject({
      state: "delivering",
    });
  });
});

describe("a withdrawal", () => {
  test("takes back one's own word, which may then be given again", () => {
    const one = decide(quorum(2), "approve");
    const none = decide(one, "withdraw", { afterMs: 1200 });
    expect(voters(none)).toEqual([]);
    const again = decide(decide(none, "approve", { afterMs: 1300 }), "approve", { actor: "bo", afterMs: 1400 });
    expect(only(again).state).toBe("delivering");
    expect(only(again).decisions.map(({ action, counted }) => [action, counted])).toEqual([
      ["approve", true],
      ["withdraw", true],
      ["approve", true],
      ["approve", true],
    ]);
  });

  test("takes back nobody else's", () => {
    const one = decide(quorum(2), "approve");
    const after = decide(one, "withdraw", { actor: "bo" });
    expect(after.verdicts[1]).toEqual(no("not-eligible"));
    expect(voters(after)).toEqual(["ana"]);
  });

  test("of an approval that is complete, before anything is sent, asks again", () => {
    const waiting = decide(approved(), "withdraw");
    expect(only(waiting)).toMatchObject({
      state: "awaiting-approval",
      approval: { standing: "asking", approvals: [] },
    });
    expect(nextAction(only(waiting))).toBe("await-decision");
  });

  test("while the delivery is parked unsent asks again, and needs no replay to be heard", () => {
    const parked = live(
      approved(),
      begun(),
      reported({ kind: "withheld", endpoint: "crm", reason: "unknown-endpoint" }),
    );
    expect(only(parked)).toMatchObject({ state: "needs-attention", approval: { standing: "approved" } });
    const heard = live(parked, said("withdraw", { afterMs: 4000 }));
    expect(nextAction(only(heard))).toBe("examine");
    const waiting = decide(parked, "withdraw", { afterMs: 4000 });
    expect(only(waiting)).toMatchObject({ state: "awaiting-approval", attention: null });
    expect(nextAction(only(waiting))).toBe("await-decision");
  });

  test("of a signed decision asks for the next revision, also where the delivery is parked unsent", () => {
    const rules = [aRule({ requireSignedDecisions: true })];
    const signed = { rights: { signature: "valid" as const } };
    const agreed = decide(asked({ terms: { rules } }), "approve", signed);
    const parked = live(agreed, begun(), reported({ kind: "withheld", endpoint: "crm", reason: "not-routed" }));
    const anew = only(decide(parked, "withdraw", { ...signed, afterMs: 4000 }));
    expect(anew).toMatchObject({
      state: "accepted",
      attention: null,
      approval: null,
      earlier: [{ revision: 1, standing: "approved", replacedBecause: "withdrawn", replacedAt: at(4000) }],
    });
    expect([nextAction(anew), nextRevisionOf(anew)]).toEqual(["plan", 2]);
  });

  test("of a rejection leaves what is approved, and a parked delivery parked", () => {
    const objected = decide(asked({ terms: { rules: [aRule({ rejections: 2 })] } }), "reject", { actor: "bo" });
    const both = decide(objected, "approve");
    expect(only(decide(both, "withdraw", { actor: "bo" }))).toMatchObject({ state: "delivering" });
    const parked = live(both, begun(), reported({ kind: "withheld", endpoint: "crm", reason: "not-routed" }));
    const after = only(decide(parked, "withdraw", { actor: "bo", afterMs: 4000 }));
    expect(after).toMatchObject({ state: "needs-attention", approval: { standing: "approved", rejections: [] } });
    expect(nextAction(after)).toBe("await-person");
  });

  test("comes too late once something was sent", () => {
    const sent = live(approved(), begun(), reported({ kind: "attempted", endpoint: "crm", record: anAttempt() }));
    const after = decide(sent, "withdraw", { afterMs: 4000 });
    expect(after.verdicts[1]).toEqual(no("executed", 4000));
    expect(only(after).approval?.standing).toBe("approved");
  });
});
