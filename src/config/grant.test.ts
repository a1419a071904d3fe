import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Amendment, ApprovalGrant, ApprovalRule, ProposalDraft, Vote } from "../delivery/approval.ts";
import { decisionBytes } from "../delivery/decision-bytes.ts";
import { generateKeyPair, signDecision } from "../signing/decision-signature.ts";
import { judgeGrant } from "./grant.ts";
import { parseConfig } from "./parse-config.ts";

const KEY = "shop/r1";
const DIGEST = "sha256:d";
const CREATED_MS = Date.parse("2026-11-29T10:00:00.000Z");
const EXPIRES_MS = CREATED_MS + 3_600_000;
const ESCALATED_MS = CREATED_MS + 60_000;

const NAMES = ["ana", "ben", "cem", "dan"] as const;
type Name = (typeof NAMES)[number];
const keys = { ana: generateKeyPair(), ben: generateKeyPair(), cem: generateKeyPair(), dan: generateKeyPair() };
/** Dan has a key at home, but none on record. */
const CONFIG = parseConfig(
  {
    people: {
      ana: { groups: ["finance"], publicKey: keys.ana.publicKey },
      ben: { groups: ["finance"], publicKey: keys.ben.publicKey },
      cem: { groups: ["leads"], publicKey: keys.cem.publicKey },
      dan: { groups: ["finance"] },
    },
  },
  { path: null },
);

const aRule = (changes: Partial<ApprovalRule> = {}): ApprovalRule => ({
  approvers: ["group:finance"],
  quorum: 2,
  rejections: 1,
  fourEyes: false,
  requireSignedDecisions: false,
  escalate: null,
  version: null,
  ...changes,
});

const iso = (ms: number): string => new Date(ms).toISOString();
const aVote = (actor: string, changes: Partial<Vote> = {}): Vote => ({
  actor,
  at: iso(CREATED_MS + 1000),
  digest: DIGEST,
  signature: null,
  rules: [0],
  ...changes,
});

function signed(actor: Name, changes: { readonly revision?: number; readonly by?: Name } = {}): Vote {
  const { revision = 2, by = actor } = changes;
  const bytes = decisionBytes({ key: KEY, endpoint: "payments", revision, digest: DIGEST, action: "approve" });
  return aVote(actor, { signature: signDecision(keys[by].privateKeyPem, bytes) });
}

interface Case {
  readonly rules?: readonly ApprovalRule[];
  readonly votes?: readonly Vote[];
  readonly grant?: Partial<ApprovalGrant> | null;
  readonly requestedBy?: string | null;
  readonly amendment?: Amendment | null;
  readonly nowMs?: number;
}

function judge({ rules = [aRule()], votes = BOTH, grant = {}, nowMs = EXPIRES_MS - 1, ...rest }: Case = {}) {
  const { requestedBy = null, amendment = null } = rest;
  const draft: ProposalDraft = {
    digest: DIGEST,
    revision: 2,
    requestedBy,
    action: {
      endpoint: "payments",
      configVersion: "sha256:c",
      method: "POST",
      url: "https://pay.example/",
      headerNames: [],
      type: "refund.requested",
      subject: null,
      contentType: "application/json",
      bodyBytes: 2,
    },
    terms: { rules, expiresMs: 1, remindMs: [], onExpire: "end", notify: null },
  };
  const given: ApprovalGrant = {
    revision: 2,
    digest: DIGEST,
    expiresAtMs: EXPIRES_MS,
    executed: false,
    createdAtMs: CREATED_MS,
    votes,
    ...grant,
  };
  return judgeGrant(CONFIG, { grant: grant === null ? null : given, draft, amendment, key: KEY, nowMs });
}

const BOTH = [aVote("ana"), aVote("ben")];
const editedBy = (actor: string): Amendment => ({ revision: 2, actor, from: "payments" });

describe("a grant", () => {
  test.each<[string, Case]>([
    ["two of two people approve", {}],
    ["more approve than must", { votes: [...BOTH, aVote("dan")] }],
    [
      "each rule has its own people",
      { rules: [aRule(), aRule({ approvers: ["cem"], quorum: 1 })], votes: [...BOTH, aVote("cem")] },
    ],
    [
      "one person serves two rules",
      { rules: [aRule({ quorum: 1 }), aRule({ approvers: ["ana"], quorum: 1 })], votes: [aVote("ana")] },
    ],
    [
      "the requester is nobody who decided",
      { rules: [aRule({ fourEyes: true })], requestedBy: "eve", amendment: editedBy("eve") },
    ],
    ["the requester decides where two pairs of eyes are not asked for", { requestedBy: "ana" }],
    ["all have signed", { rules: [aRule({ requireSignedDecisions: true })], votes: [signed("ana"), signed("ben")] }],
    ["somebody has signed who need not", { votes: [signed("ana"), aVote("ben")] }],
    ["the escalation is due", { rules: [escalating()], votes: [aVote("cem", { at: iso(ESCALATED_MS) })] }],
  ])("holds where %s", (_what, given) => {
    expect(judge(given)).toBe("granted");
  });

  test.each<[string, Case]>([
    ["nobody approved anything", { grant: null }],
    [
      "something else would be sent",
      { grant: { digest: "sha256:e" }, votes: BOTH.map((vote) => ({ ...vote, digest: "sha256:e" })) },
    ],
    ["another revision was approved", { grant: { revision: 1 } }],
    ["one is missing", { votes: [aVote("ana")] }],
    ["there are no votes", { votes: [] }],
    ["there are no rules", { rules: [] }],
    ["one person votes twice", { votes: [aVote("ana"), aVote("ana", { at: iso(CREATED_MS) })] }],
    ["one person votes under two spellings", { votes: [aVote("ana"), aVote("Ana")] }],
    ["somebody is no approver", { votes: [aVote("ana"), aVote("cem")] }],
    ["somebody is not known any more", { votes: [aVote("ana"), aVote("eve")] }],
    ["somebody has a name that every object has", { votes: [aVote("ana"), aVote("constructor")] }],
    ["a vote is for other content", { votes: [aVote("ana"), aVote("ben", { digest: "sha256:e" })] }],
    ["a second rule is short", { rules: [aRule(), aRule({ approvers: ["cem"], quorum: 1 })] }],
    ["the requester is one of them", { rules: [aRule({ fourEyes: true })], requestedBy: "ana" }],
    ["the requester writes themselves otherwise", { rules: [aRule({ fourEyes: true })], requestedBy: " ANA " }],
    ["the last editor is one of them", { rules: [aRule({ fourEyes: true })], amendment: editedBy("Ben") }],
    [
      "a signature is missing",
      { rules: [aRule({ requireSignedDecisions: true })], votes: [signed("ana"), aVote("ben")] },
    ],
    ["a signature is somebody else's", { votes: [aVote("ana"), signed("ben", { by: "ana" })] }],
    ["a signature is for another revision", { votes: [aVote("ana"), signed("ben", { revision: 1 })] }],
    ["a signature cannot be checked", { votes: [aVote("ana"), signed("dan")] }],
    ["the escalation is not due yet", { rules: [escalating()], votes: [aVote("cem", { at: iso(ESCALATED_MS - 1) })] }],
    ["nobody knows when somebody voted", { rules: [escalating()], votes: [aVote("cem", { at: "soon" })] }],
  ])("does not hold where %s", (_what, given) => {
    expect(judge(given)).toBe("unapproved");
  });

  test.each([EXPIRES_MS, EXPIRES_MS + 1, Number.NaN])("has expired at %d", (nowMs) => {
    expect(judge({ nowMs })).toBe("too-late");
  });

  test("that was taken up does not expire, and needs everything else all the same", () => {
    const taken = { grant: { executed: true }, nowMs: EXPIRES_MS + 1 };
    expect(judge(taken)).toBe("granted");
    expect(judge({ ...taken, votes: [aVote("ana")] })).toBe("unapproved");
    expect(judge({ ...taken, rules: [aRule({ quorum: 9 })] })).toBe("unapproved");
    expect(judge({ ...taken, grant: { executed: true, digest: "sha256:e" } })).toBe("unapproved");
  });

  /** Leads may approve once the proposal is a minute old. */
  function escalating(): ApprovalRule {
    return aRule({ quorum: 1, escalate: { afterMs: ESCALATED_MS - CREATED_MS, to: ["group:leads"] } });
  }
});

describe("the law of the gate", () => {
  const approvers = fc.subarray(["ana", "cem", "group:finance", "group:leads", "eve"], { minLength: 1 });
  const rule: fc.Arbitrary<ApprovalRule> = fc.record({
    approvers,
    quorum: fc.constantFrom(1, 1, 2, 3),
    rejections: fc.constant(1),
    fourEyes: fc.boolean(),
    requireSignedDecisions: fc.boolean(),
    escalate: fc.option(fc.record({ afterMs: fc.constant(60_000), to: approvers })),
    version: fc.constant(null),
  });
  const signatures = new Map<string, Vote>(NAMES.map((name) => [name, signed(name)]));
  const vote: fc.Arbitrary<Vote> = fc
    .record({
      actor: fc.constantFrom(...NAMES, "Ana", "eve", "constructor"),
      atMs: fc.constantFrom(CREATED_MS, ESCALATED_MS, EXPIRES_MS),
      digest: fc.constantFrom(DIGEST, DIGEST, DIGEST, "sha256:e"),
      signature: fc.constantFrom("absent", "absent", "own", "cem"),
    })
    .map(({ actor, atMs, digest, signature }) => {
      const source = signature === "own" ? actor : signature;
      return aVote(actor, { at: iso(atMs), digest, signature: signatures.get(source)?.signature ?? null });
    });
  const someone = fc.constantFrom(null, "ana", "BEN", "eve");

  /** Said once more, and differently: the people a rule means, less everyone against whom something speaks. */
  function supporters(one: ApprovalRule, votes: readonly Vote[], involved: readonly (string | null)[]): Set<string> {
    const groups: Readonly<Record<string, string>> = { ana: "finance", ben: "finance", cem: "leads", dan: "finance" };
    const means = (list: readonly string[], name: string): boolean =>
      list.includes(name) || list.includes(`group:${groups[name]}`);
    const counted = new Set<string>();
    for (const { actor, at, digest, signature } of votes) {
      if (digest !== DIGEST || groups[actor] === undefined) continue;
      const later = one.escalate !== null && means(one.escalate.to, actor) && at >= iso(ESCALATED_MS);
      if (!means(one.approvers, actor) && !later) continue;
      if (one.fourEyes && involved.some((name) => name?.toLowerCase() === actor)) continue;
      const genuine = actor !== "dan" && signature === signatures.get(actor)?.signature;
      if (signature === null ? one.requireSignedDecisions : !genuine) continue;
      counted.add(actor);
    }
    return counted;
  }

  test("no grant short of a quorum is ever granted, and none that has them all is refused", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 3 }),
        fc.array(vote, { maxLength: 12 }),
        someone,
        someone,
        (rules, votes, requestedBy, editor) => {
          const amendment = editor === null ? null : editedBy(editor);
          const isReached = rules.every((one) => supporters(one, votes, [requestedBy, editor]).size >= one.quorum);
          const verdict = judge({ rules, votes, requestedBy, amendment });
          expect(verdict).toBe(isReached ? "granted" : "unapproved");
        },
      ),
      { numRuns: 300 },
    );
  });
});
