/** What a reader checks before deciding: that the digest is that of what is shown. */
import type { Proposal } from "../delivery/event-state.ts";
import { proposalDigest } from "./propose.ts";

/** Whether a proposal's digest is the one of its own action, body and rules; null = its body is not shown. */
export function showsItsDigest(key: string, proposal: Proposal): boolean | null {
  const { action, policy, revision, requestedBy, editedBy, digest } = proposal;
  const body = shownBytes(action);
  if (body === null) return null;
  const rules = policy.rules ?? [policy];
  return proposalDigest({ key, revision, action, body, rules, requestedBy, editedBy }) === digest;
}

function shownBytes(action: Proposal["action"]): Uint8Array | null {
  if ("body" in action) return Buffer.from(action.body);
  return "body_base64" in action ? Buffer.from(action.body_base64, "base64") : null;
}
