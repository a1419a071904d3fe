import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApprovalRule, Ballot } from "../delivery/approval.ts";
import { decisionBytes } from "../delivery/decision-bytes.ts";
import { generateKeyPair, signDecision } from "../signing/decision-signature.ts";
import { parseConfig } from "./parse-config.ts";
import { rightsOf, type RightsQuestion } from "./rights.ts";

const keys = { ana: generateKeyPair(), ben: generateKeyPair() };
const CONFIG = parseConfig(
  {
    people: {
      ana: { groups: ["finance"], publicKey: keys.ana.publicKey },
      ben: { groups: ["finance", "leads"], publicKey: keys.ben.publicKey },
      cem: { groups: ["leads"] },
      "Dóra Kő": {},
    },
  },
  { path: null },
);

const aRule = (approvers: readonly string[], to: readonly string[] = []): ApprovalRule => ({
  approvers,
  quorum: 1,
  rejections: 1,
  fourEyes: false,
  requireSignedDecisions: false,
  escalate: to.length === 0 ? null : { afterMs: 1000, to },
  version: null,
});

type Sent = RightsQuestion["ballots"][number];
const aBallot = (changes: Partial<Ballot> = {}): Sent => ({
  sequence: 7,
  action: "approve",
  actor: "ana",
  digest: "sha256:d",
  signature: null,
  ...changes,
});

const WHERE = { key: "shop/r1", endpoint: "payments", revision: 2 };
const rightsTo = (ballot: Sent, rules: readonly ApprovalRule[] = [aRule(["ana"])]) =>
  rightsOf(CONFIG, { ...WHERE, rules, ballots: [ballot] })[0];

describe("who somebody is", () => {
  test.each([
    ["ana", true],
    ["Dóra Kő", true],
    ["Ana", false],
    [" ana", false],
    ["Dóra Kő".normalize("NFD"), false],
    ["group:finance", false],
    ["finance", false],
    ["", false],
    ["constructor", false],
    ["__proto__", false],
    ["toString", false],
  ])("is told by the exact name only: %j", (actor, known) => {
    const rights = rightsTo(aBallot({ actor }), [aRule(["ana", "Dóra Kő", "group:finance"])]);
    expect(rights).toMatchObject({ sequence: 7, known, signature: "absent" });
    expect(rights?.rules).toEqual(known ? [0] : []);
  });

  test("is not told by what objects inherit, whoever built the configuration", () => {
    const config = { ...CONFIG, people: { ...CONFIG.people } };
    expect("constructor" in config.people).toBe(true);
    const ballots = [aBallot({ actor: "constructor" })];
    expect(rightsOf(config, { ...WHERE, rules: [aRule(["constructor"])], ballots })).toMatchObject([
      { known: false, rules: [] },
    ]);
  });

  test("is answered for each ballot, in their order", () => {
    const ballots = [aBallot({ sequence: 3, actor: "cem" }), aBallot({ sequence: 1 })];
    expect(rightsOf(CONFIG, { ...WHERE, rules: [aRule(["ana"])], ballots })).toEqual([
      { sequence: 3, known: true, rules: [], escalated: [], signature: "absent" },
      { sequence: 1, known: true, rules: [0], escalated: [], signature: "absent" },
    ]);
    expect(rightsOf(CONFIG, { ...WHERE, rules: [], ballots: [] })).toEqual([]);
  });
});

describe("what somebody may decide", () => {
  const RULES = [
    aRule(["ana"], ["group:leads"]),
    aRule(["group:finance"]),
    aRule(["group:leads"], ["ana", "group:leads"]),
    aRule(["group:nobody"]),
  ];

  test.each([
    ["ana", [0, 1], [2]],
    ["ben", [1, 2], [0]],
    ["cem", [2], [0]],
    ["Dóra Kő", [], []],
  ])("%s: by name, by group, and later by the escalation", (actor, rules, escalated) => {
    expect(rightsTo(aBallot({ actor }), RULES)).toMatchObject({ known: true, rules, escalated });
  });
});

describe("a signature", () => {
  const sign = (changes: Partial<typeof WHERE & Pick<Ballot, "digest" | "action">> = {}, signer = keys.ana): string =>
    signDecision(
      signer.privateKeyPem,
      decisionBytes({ ...WHERE, digest: "sha256:d", action: "approve" as const, ...changes }),
    );

  test("is good for exactly this decision of this person", () => {
    expect(rightsTo(aBallot({ signature: sign() }))?.signature).toBe("valid");
    expect(rightsTo(aBallot({ action: "reject", signature: sign({ action: "reject" }) }))?.signature).toBe("valid");
  });

  test.each<[string, Partial<Ballot>]>([
    ["for another event", { signature: sign({ key: "shop/r2" }) }],
    ["for another endpoint", { signature: sign({ endpoint: "crm" }) }],
    ["for another revision", { signature: sign({ revision: 1 }) }],
    ["for another content", { signature: sign({ digest: "sha256:e" }) }],
    ["for another decision", { signature: sign({ action: "reject" }) }],
    ["by somebody else", { signature: sign({}, keys.ben) }],
    ["for somebody else", { actor: "ben", signature: sign() }],
    ["of somebody without a key", { actor: "cem", signature: sign() }],
    ["of nobody", { actor: "constructor", signature: sign() }],
    ["that is empty", { signature: "" }],
    ["that is none", { signature: "signed, ana" }],
  ])("is bad %s", (_what, changes) => {
    expect(rightsTo(aBallot(changes))?.signature).toBe("bad");
  });

  test("is answered for whatever arrives", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, fc.option(text), (actor, digest, signature) => {
        const rights = rightsTo(aBallot({ actor, digest, signature }));
        expect(rights).toEqual({
          sequence: 7,
          known: Object.hasOwn(CONFIG.people, actor),
          rules: actor === "ana" ? [0] : [],
          escalated: [],
          signature: signature === null ? "absent" : "bad",
        });
      }),
    );
  });
});
