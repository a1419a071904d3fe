import { describe, expect, test } from "vitest";
import { aProposal } from "../../test/support/a-proposal.ts";
import type { Proposal } from "../delivery/event-state.ts";
import { proposalDigest } from "./propose.ts";
import { showsItsDigest } from "./shown-digest.ts";

const KEY = "shop/evt_1";

/** With the digest that belongs to it. */
function sealed(changes: Parameters<typeof aProposal>[0] = {}): Proposal {
  const proposal = aProposal(changes);
  const { action, policy, revision, requestedBy, editedBy } = proposal;
  const body = "body" in action ? Buffer.from(action.body) : Buffer.from([0xff, 0x00]);
  const facts = { key: KEY, revision, action, body, rules: policy.rules ?? [policy], requestedBy, editedBy };
  return { ...proposal, digest: proposalDigest(facts) };
}

describe("showsItsDigest", () => {
  test("tells a proposal that is what it says from one that shows something else", () => {
    const proposal = sealed();
    expect(showsItsDigest(KEY, proposal)).toBe(true);
    expect(showsItsDigest("shop/evt_2", proposal)).toBe(false);
    const { action } = proposal;
    expect(showsItsDigest(KEY, { ...proposal, action: { ...action, body: '{"amount":6}' } })).toBe(false);
    expect(showsItsDigest(KEY, { ...proposal, action: { ...action, url: "https://evil.example/" } })).toBe(false);
    expect(showsItsDigest(KEY, { ...proposal, policy: { ...proposal.policy, quorum: 1 } })).toBe(false);
    expect(showsItsDigest(KEY, { ...proposal, requestedBy: null })).toBe(false);
  });

  test("knows bytes and several rules, and says when it cannot tell", () => {
    const { policy, action } = aProposal();
    const several = sealed({ policy: { ...policy, rules: [policy, { ...policy, quorum: 1 }] } });
    expect(showsItsDigest(KEY, several)).toBe(true);
    const { body: _, ...rest } = { body: "", ...action };
    const bytes = { ...rest, contentType: "application/octet-stream" };
    const shown = { ...aProposal(), action: { ...bytes, body_base64: "/wA=" } };
    const facts = { key: KEY, ...shown, action: bytes, body: Buffer.from([0xff, 0]), rules: [policy] };
    expect(showsItsDigest(KEY, { ...shown, digest: proposalDigest(facts) })).toBe(true);
    expect(showsItsDigest(KEY, { ...aProposal(), action: { ...bytes, bodyOmitted: true } })).toBeNull();
  });
});
