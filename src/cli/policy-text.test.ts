import { expect, test } from "vitest";
import type { ApprovalRule } from "../delivery/approval.ts";
import { aProposal } from "../../test/support/a-proposal.ts";
import { policyLines } from "./policy-text.ts";

const { policy } = aProposal();

test("says how many of whom, and what else one rule asks", () => {
  expect(policyLines(policy)).toEqual([
    "2 of group:finance; one rejection ends it; four eyes: not who asked or edited last",
  ]);
  const strict = {
    ...policy,
    approvers: ["group:finance", "ana\u202e@example.com"],
    rejections: 2,
    fourEyes: false,
    requireSignedDecisions: true,
    version: 7,
  };
  expect(policyLines(strict)).toEqual([
    "2 of group:finance, ana?@example.com; 2 rejections end it; decisions must be signed; version 7",
  ]);
});

test("shows each rule where several routes ask, escalation included", () => {
  const rule: ApprovalRule = { ...policy, escalate: { afterMs: 12 * 3_600_000, to: ["group:leads"] } };
  expect(policyLines({ ...policy, rules: [rule, { ...rule, quorum: 1, fourEyes: false, escalate: null }] })).toEqual([
    "1 of 2, each needed: 2 of group:finance; one rejection ends it; four eyes: not who asked or edited last; after 12 h also group:leads",
    "2 of 2, each needed: 1 of group:finance; one rejection ends it",
  ]);
});
