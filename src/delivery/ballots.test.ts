import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  aRule,
  asked,
  begun,
  decide,
  digestOf,
  EXPIRES_MS,
  live,
  only,
  ordered,
  passed,
  planned,
  reported,
  rightsFor,
  unasked,
} from "../../test/support/approvals.ts";
import { aDeliveredAttempt, at, NOON_MS } from "../../test/support/deliveries.ts";
import type { ApprovalRule, Ballot, BallotRights, DecisionRefusal } from "./approval.ts";
import {
  type Asked,
  ballotTarget,
  countBallot,
  isAsked,
  reachesQuorum,
  readBallot,
  recordOf,
  refusalAtSight,
  refusalOf,
  samePerson,
} from "./ballots.ts";
import { type Delivery, type EventProgress, withoutProposal } from "./progress.ts";

function aBallot(changes: Partial<Ballot> = {}): Ballot {
  const word = { action: "approve", actor: "ana", digest: digestOf(1), note: "", signature: null } as const;
  return { sequence: 0, endpoint: null, atMs: NOON_MS + 1000, ...word, ...changes };
}

function waiting(progress: EventProgress): Asked {
  const delivery = only(progress);
  if (!isAsked(delivery)) throw new TypeError("Nobody is asked");
  return delivery;
}

const underRules = (...rules: readonly Partial<ApprovalRule>[]): EventProgress =>
  asked({ terms: { rules: rules.map(aRule) } });

describe("readBallot", () => {
  const word = { actor: " ana ", digest: digestOf(1), note: "fine", delivery: "crm", signature: "c2ln" };
  const understood = { actor: "ana", digest: digestOf(1), note: "fine", endpoint: "crm", signature: "c2ln" } as const;

  test.each(["approve", "reject", "withdraw"] as const)("takes %s alike as a signal and as an update", (action) => {
    const expected = aBallot({ ...understood, action, sequence: 3 });
    expect(readBallot({ name: action, argument: word }, 3, NOON_MS + 1000)).toEqual(expected);
    expect(readBallot({ name: "decide", argument: { ...word, action } }, 3, NOON_MS + 1000)).toEqual(expected);
  });

  test.each([
    ["a resolution", { name: "replay", argument: word }],
    ["an unknown signal", { name: "approved", argument: word }],
    ["an update without action", { name: "decide", argument: word }],
    ["an update with an unknown action", { name: "decide", argument: { ...word, action: "amend" } }],
    ["an update without argument", { name: "decide", argument: null }],
    ["a name that every object has", { name: "constructor", argument: word }],
  ])("does not take %s for a decision", (_, message) => {
    expect(readBallot(message, 0, NOON_MS)).toBeNull();
  });

  test("does not know what a later version says was looked at", () => {
    const read = (v: unknown) => readBallot({ name: "approve", argument: { ...word, v } }, 0, NOON_MS)?.digest;
    expect([1, undefined, 2, "1"].map(read)).toEqual([digestOf(1), digestOf(1), "", ""]);
  });

  test("reads members that are missing or no text as not given", () => {
    const nothing = { actor: "", digest: "", note: "", endpoint: null, signature: null };
    for (const odd of [undefined, {}, { actor: 1, digest: {}, note: [], delivery: 7, signature: true }])
      expect(readBallot({ name: "approve", argument: odd }, 0, NOON_MS)).toMatchObject(nothing);
  });

  test("cuts what is long, so that messages cannot grow the state without bound", () => {
    const long = "x".repeat(9000);
    const read = readBallot(
      { name: "reject", argument: { actor: long, digest: long, note: long, signature: long } },
      0,
      0,
    );
    expect(read).toMatchObject({
      actor: long.slice(0, 200),
      digest: long.slice(0, 100),
      note: long.slice(0, 2000),
      signature: long.slice(0, 200),
    });
  });

  test("never throws, whatever the argument is", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (argument) => {
        expect(readBallot({ name: "approve", argument }, 0, NOON_MS)?.action).toBe("approve");
      }),
    );
  });
});

describe("ballotTarget", () => {
  const both = live(
    unasked(["crm", "ledger"]),
    planned(aDraft()),
    planned(aDraft({ endpoint: "ledger" }), { endpoint: "ledger" }),
  ).deliveries;

  test("is the delivery a decision names", () => {
    expect(ballotTarget(aBallot({ endpoint: "ledger" }), both)).toBe(1);
    expect(ballotTarget(aBallot({ endpoint: "mail" }), both)).toBeNull();
    expect(ballotTarget(aBallot({ endpoint: "__proto__" }), both)).toBeNull();
  });

  test("is the one whose proposal was seen, when none is named", () => {
    expect(ballotTarget(aBallot({ digest: digestOf(1, "ledger") }), both)).toBe(1);
    expect(ballotTarget(aBallot({ digest: digestOf(1, "crm") }), both)).toBe(0);
    const [crm, ledger] = both;
    if (crm === undefined || ledger === undefined) throw new TypeError("There are two deliveries");
    const replaced = withoutProposal(ledger, { because: "changed", atMs: NOON_MS });
    expect(replaced.approval).toBeNull();
    expect(ballotTarget(aBallot({ digest: digestOf(1, "ledger") }), [crm, replaced])).toBe(1);
  });

  test("is the first that waits, when the digest belongs to none", () => {
    const [crm, ledger] = both;
    if (crm === undefined || ledger === undefined) throw new TypeError("There are two deliveries");
    const ended: Delivery = { ...crm, state: "delivered", approval: null };
    for (const digest of ["", "sha256:other"]) {
      expect(ballotTarget(aBallot({ digest }), [ended, ledger])).toBe(1);
      expect(ballotTarget(aBallot({ digest }), both)).toBe(0);
      expect(ballotTarget(aBallot({ digest }), [ended, ...unasked(["ledger"]).deliveries])).toBe(1);
      expect(ballotTarget(aBallot({ digest }), [ended])).toBe(0);
    }
  });
});

describe("refusalAtSight", () => {
  const sent = live(approved(), begun(), reported({ kind: "attempted", endpoint: "crm", record: aDeliveredAttempt() }));
  const anew = decide(asked(), "approve");
  const asksAgain = live(
    anew,
    begun(),
    reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) }),
  );
  const expired = live(asked(), passed(EXPIRES_MS));
  const parked = live(asked({ terms: { onExpire: "park" } }), passed(EXPIRES_MS));

  test.each<[string, Partial<Ballot>, EventProgress, DecisionRefusal | null]>([
    ["an approval of what is asked", {}, asked(), null],
    ["a rejection of what is asked", { action: "reject" }, asked(), null],
    ["a decision before anything is asked", { digest: "" }, unasked(), null],
    ["a decision without digest", { digest: "" }, asked(), "no-digest"],
    ["a decision on a digest nobody proposed", { digest: "sha256:other" }, asked(), "wrong-digest"],
    ["a digest in capital letters", { digest: digestOf(1).toUpperCase() }, asked(), "wrong-digest"],
    ["a prefix of the digest", { digest: digestOf(1).slice(0, -1) }, asked(), "wrong-digest"],
    ["a decision on what was asked before", {}, asksAgain, "stale-revision"],
    ["an approval of what is approved", {}, approved(), "already-decided"],
    ["a rejection of what is approved", { action: "reject" }, approved(), "already-decided"],
    ["a withdrawal of what is approved", { action: "withdraw" }, approved(), null],
    ["a withdrawal of what is sent", { action: "withdraw" }, sent, "executed"],
    ["an approval of what is sent", {}, sent, "executed"],
    ["an approval of what is rejected", {}, decide(asked(), "reject"), "already-decided"],
    ["a withdrawal of what is rejected", { action: "withdraw" }, decide(asked(), "reject"), "already-decided"],
    ["an approval of what has expired", {}, expired, "expired"],
    ["an approval of what has expired and is parked", {}, parked, "expired"],
    ["an approval of what was discarded", {}, live(asked(), ordered("discard")), "already-decided"],
    ["a decision once the delivery was discarded unasked", {}, live(unasked(), ordered("discard")), "nothing-waits"],
  ])("answers %s", (_, changes, progress, because) => {
    expect(refusalAtSight(aBallot(changes), only(progress))).toBe(because);
  });

  test("answers a decision where no approval is due", () => {
    const free = live(unasked(), planned(null));
    expect(refusalAtSight(aBallot(), only(free))).toBe("nothing-waits");
  });
});

describe("refusalOf", () => {
  const signedOnly = underRules({ requireSignedDecisions: true });
  const late = { afterMs: 10_000, to: ["dora"] };
  const escalating = underRules({ escalate: late });
  const strict = asked({ requestedBy: "Ana", terms: { rules: [aRule({ fourEyes: true })] } });
  const twoRules = underRules({ quorum: 2 }, { approvers: ["cleo"], requireSignedDecisions: true });
  const mixed = asked({
    requestedBy: "ana",
    terms: { rules: [aRule({ fourEyes: true }), aRule({ approvers: ["ana", "dora"] })] },
  });
  const voted = decide(underRules({ quorum: 2 }), "approve");
  const objected = decide(underRules({ rejections: 2 }), "reject");

  test.each<[string, EventProgress, Partial<Ballot>, Partial<BallotRights>, DecisionRefusal | null]>([
    ["an approver", asked(), {}, {}, null],
    ["somebody who is not in people", asked(), { actor: "mallory" }, { known: false, rules: [] }, "unknown-person"],
    ["nobody", asked(), { actor: "" }, { known: false, rules: [] }, "unknown-person"],
    ["somebody who is no approver", asked(), { actor: "zoe" }, { rules: [] }, "not-eligible"],
    ["an approver whose signature is bad", asked(), {}, { signature: "bad" }, "bad-signature"],
    ["an approver whose signature is valid", asked(), {}, { signature: "valid" }, null],
    ["an unsigned word where signatures are required", signedOnly, {}, {}, "bad-signature"],
    ["a signed word where signatures are required", signedOnly, {}, { signature: "valid" }, null],
    ["an unsigned word for one rule of which wants signatures", twoRules, {}, { rules: [0, 1] }, "bad-signature"],
    ["an unsigned word for the rule that wants none", twoRules, {}, { rules: [0] }, null],
    [
      "a further approver too early",
      escalating,
      { atMs: NOON_MS + 9999 },
      { rules: [], escalated: [0] },
      "not-eligible",
    ],
    ["a further approver in time", escalating, { atMs: NOON_MS + 10_000 }, { rules: [], escalated: [0] }, null],
    [
      "a further approver of a rule that escalates to nobody",
      asked(),
      {},
      { rules: [], escalated: [0] },
      "not-eligible",
    ],
    ["a further approver of a rule there is not", asked(), {}, { rules: [], escalated: [7] }, "not-eligible"],
    ["the requester under four eyes", strict, {}, {}, "own-request"],
    ["a rejection by the requester under four eyes", strict, { action: "reject", note: "no" }, {}, "own-request"],
    ["somebody else under four eyes", strict, { actor: "bo" }, {}, null],
    ["the requester without four eyes", asked({ requestedBy: "ana" }), {}, {}, null],
    ["anybody under four eyes when the requester is unknown", underRules({ fourEyes: true }), {}, {}, null],
    ["the requester under a rule that allows it", mixed, {}, { rules: [0, 1] }, null],
    ["the requester under the rule that does not", mixed, {}, { rules: [0] }, "own-request"],
    ["a second approval of the same person", voted, {}, {}, "second-vote"],
    ["a rejection by somebody who approved", voted, { action: "reject", note: "no" }, {}, "second-vote"],
    ["an approval by somebody who rejected", objected, {}, {}, "second-vote"],
    ["a second person", voted, { actor: "bo" }, {}, null],
    ["a withdrawal of one's own approval", voted, { action: "withdraw" }, {}, null],
    ["a withdrawal of one's own rejection", objected, { action: "withdraw" }, {}, null],
    ["a withdrawal of another's approval", voted, { action: "withdraw", actor: "bo" }, {}, "not-eligible"],
    ["a withdrawal where nobody voted", asked(), { action: "withdraw" }, {}, "not-eligible"],
    [
      "a withdrawal by somebody who is no approver any more",
      voted,
      { action: "withdraw" },
      { rules: [] },
      "not-eligible",
    ],
    ["a rejection without note", asked(), { action: "reject" }, {}, "no-note"],
    ["a rejection with a note", asked(), { action: "reject", note: "too much" }, {}, null],
    ["whoever comes with another digest", asked(), { digest: "sha256:other" }, { known: false }, "wrong-digest"],
  ])("answers %s", (_, progress, changes, rights, because) => {
    expect(refusalOf(aBallot(changes), waiting(progress), rightsFor(0, rights))).toBe(because);
  });

  test("excludes whoever edited the action last, under four eyes", () => {
    const amended = live(underRules({ fourEyes: true }), ordered("amend", { actor: "Bo", data: 1 }, 2000));
    const again = waiting(
      live(amended, planned(aDraft({ revision: 2, terms: { rules: [aRule({ fourEyes: true })] } }))),
    );
    const word = { digest: digestOf(2) };
    expect(refusalOf(aBallot({ ...word, actor: "bo" }), again, rightsFor(0))).toBe("own-request");
    expect(refusalOf(aBallot({ ...word, actor: "ana" }), again, rightsFor(0))).toBeNull();
  });
});

describe("samePerson", () => {
  test.each([
    ["ana@example.com", "ANA@Example.com"],
    ["ana@example.com", "  ana@example.com\n"],
    ["jos\u00e9", "jose\u0301"],
    ["JOS\u00c9", "jose\u0301"],
  ])("takes %j and %j for one", (left, right) => {
    expect(samePerson(left, right)).toBe(true);
    expect(samePerson(right, left)).toBe(true);
  });

  test.each([
    ["ana@example.com", "ana@example.org"],
    ["ana", "anna"],
    ["ana", ""],
    ["a na", "ana"],
  ])("tells %j from %j", (left, right) => {
    expect(samePerson(left, right)).toBe(false);
  });
});

describe("countBallot", () => {
  test("keeps who, when, on what, signed how, and for which rules", () => {
    const delivery = waiting(underRules({ quorum: 2 }, { approvers: ["ana"], quorum: 2 }));
    const after = countBallot(aBallot({ signature: "c2ln" }), delivery, rightsFor(0, { rules: [0, 1] }));
    const vote = { actor: "ana", at: at(1000), digest: digestOf(1), signature: "c2ln", rules: [0, 1] };
    expect(after).toMatchObject({ standing: "asking", approvals: [vote], rejections: [] });
  });

  test("counts a further approver for the rule that has escalated, and once", () => {
    const delivery = waiting(underRules({ quorum: 2, escalate: { afterMs: 500, to: ["ana"] } }, { quorum: 2 }));
    const after = countBallot(aBallot(), delivery, rightsFor(0, { rules: [0, 1], escalated: [0] }));
    expect(after.approvals[0]?.rules).toEqual([0, 1]);
  });

  test("counts a requester only for the rules that allow it", () => {
    const rules = [aRule({ fourEyes: true }), aRule()];
    const delivery = waiting(asked({ requestedBy: "ana", terms: { rules } }));
    const after = countBallot(aBallot(), delivery, rightsFor(0, { rules: [0, 1] }));
    expect(after).toMatchObject({ standing: "asking", approvals: [{ rules: [1] }] });
  });

  test.each<[string, readonly Partial<ApprovalRule>[], readonly [string, readonly number[]][], string]>([
    ["one of one", [{}], [["ana", [0]]], "approved"],
    ["one of two", [{ quorum: 2 }], [["ana", [0]]], "asking"],
    [
      "two of two",
      [{ quorum: 2 }],
      [
        ["ana", [0]],
        ["bo", [0]],
      ],
      "approved",
    ],
    [
      "two of three",
      [{ quorum: 3 }],
      [
        ["ana", [0]],
        ["bo", [0]],
      ],
      "asking",
    ],
    ["one person for both rules", [{}, { approvers: ["ana"] }], [["ana", [0, 1]]], "approved"],
    ["one person for one of both rules", [{}, { approvers: ["cleo"] }], [["ana", [0]]], "asking"],
    [
      "one person for each of both rules",
      [{}, { approvers: ["cleo"] }],
      [
        ["ana", [0]],
        ["cleo", [1]],
      ],
      "approved",
    ],
    [
      "a rule whose quorum is left when another has more than enough",
      [{ quorum: 1 }, { quorum: 2 }],
      [
        ["ana", [0, 1]],
        ["bo", [0]],
      ],
      "asking",
    ],
    [
      "every rule with its own quorum",
      [{ quorum: 1 }, { quorum: 2 }],
      [
        ["ana", [0, 1]],
        ["bo", [0]],
        ["cleo", [1]],
      ],
      "approved",
    ],
  ])("tells %s", (_, rules, votes, standing) => {
    const after = votes.reduce(
      (delivery, [actor, positions]) => ({
        ...delivery,
        approval: countBallot(aBallot({ actor }), delivery, rightsFor(0, { rules: positions })),
      }),
      waiting(underRules(...rules)),
    );
    expect(after.approval.standing).toBe(standing);
  });

  test.each<[string, readonly Partial<ApprovalRule>[], readonly [string, readonly number[]][], string]>([
    ["one of one", [{}], [["ana", [0]]], "rejected"],
    ["one of two", [{ rejections: 2 }], [["ana", [0]]], "asking"],
    [
      "two of two",
      [{ rejections: 2 }],
      [
        ["ana", [0]],
        ["bo", [0]],
      ],
      "rejected",
    ],
    ["one under any of several rules", [{ rejections: 2 }, {}], [["ana", [1]]], "rejected"],
    [
      "two people, each under another rule",
      [{ rejections: 2 }, { rejections: 2 }],
      [
        ["ana", [0]],
        ["bo", [1]],
      ],
      "asking",
    ],
  ])("tells rejections: %s", (_, rules, votes, standing) => {
    const after = votes.reduce(
      (delivery, [actor, positions]) => ({
        ...delivery,
        approval: countBallot(aBallot({ actor, action: "reject" }), delivery, rightsFor(0, { rules: positions })),
      }),
      waiting(underRules(...rules)),
    );
    expect(after.approval.standing).toBe(standing);
  });

  test("takes back all that a person said, and nothing of anybody else", () => {
    const two = waiting(decide(decide(underRules({ quorum: 3, rejections: 2 }), "approve"), "reject", { actor: "bo" }));
    const withoutAna = countBallot(aBallot({ action: "withdraw" }), two, rightsFor(0));
    expect(withoutAna).toMatchObject({ approvals: [], rejections: [{ actor: "bo" }], standing: "asking" });
    const withoutBo = countBallot(aBallot({ action: "withdraw", actor: "bo" }), two, rightsFor(0));
    expect(withoutBo).toMatchObject({ approvals: [{ actor: "ana" }], rejections: [] });
  });
});

describe("reachesQuorum", () => {
  const vote = (actor: string, ...rules: readonly number[]) => ({
    actor,
    rules,
    at: at(0),
    digest: "d",
    signature: null,
  });

  test("is never reached without a rule", () => {
    expect(reachesQuorum([], [vote("ana", 0)])).toBe(false);
  });

  test("counts distinct people, not votes", () => {
    expect(reachesQuorum([aRule({ quorum: 2 })], [vote("ana", 0), vote("ana", 0)])).toBe(false);
    expect(reachesQuorum([aRule({ quorum: 2 })], [vote("ana", 0), vote("bo", 0)])).toBe(true);
  });

  test("is what counting by hand says, for any rules and votes", () => {
    const somebody = fc.constantFrom("ana", "bo", "cleo", "dora");
    const votes = fc.array(fc.tuple(somebody, fc.uniqueArray(fc.nat({ max: 2 }))), { maxLength: 8 });
    const quorums = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(quorums, votes, (wanted, cast) => {
        const byHand = wanted.every((quorum, position) => {
          const people = ["ana", "bo", "cleo", "dora"].filter((person) =>
            cast.some(([actor, positions]) => actor === person && positions.includes(position)),
          );
          return people.length >= quorum;
        });
        const rules = wanted.map((quorum) => aRule({ quorum }));
        expect(
          reachesQuorum(
            rules,
            cast.map(([actor, positions]) => vote(actor, ...positions)),
          ),
        ).toBe(byHand);
      }),
    );
  });
});

describe("recordOf", () => {
  const facts = { delivery: only(asked()), refusedBecause: null, signed: true };

  test("keeps what was said, on which revision, and whether it counted", () => {
    expect(recordOf(aBallot({ note: "fine" }), facts)).toEqual({
      action: "approve",
      actor: "ana",
      at: at(1000),
      digest: digestOf(1),
      revision: 1,
      note: "fine",
      counted: true,
      refusedBecause: null,
      signed: true,
    });
    const refused = recordOf(aBallot({ digest: "sha256:other" }), { ...facts, refusedBecause: "wrong-digest" });
    expect(refused).toMatchObject({
      digest: "sha256:other",
      revision: null,
      counted: false,
      refusedBecause: "wrong-digest",
    });
    expect(recordOf(aBallot({ digest: "" }), facts)).toMatchObject({ digest: null, revision: null });
  });
});
