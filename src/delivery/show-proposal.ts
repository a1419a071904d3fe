/** A proposal as people read it: the whole action, who was asked, what was said. */
import { amendedEvent } from "./amendment.ts";
import type { ApprovalRule, Vote } from "./approval.ts";
import { asksForSignatures } from "./ballots.ts";
import { bodyOf, utf8Text } from "./body.ts";
import type { BusinessEvent } from "./event.ts";
import type { Proposal, ProposalPolicy, ShownBody, ShownVote } from "./event-state.ts";
import type { Delivery } from "./progress.ts";

/** Null = none was made. `event` is the event as accepted; null = its body is not at hand. */
export function showProposal(delivery: Delivery, event: BusinessEvent | null): Proposal | null {
  const { approval, amendment } = delivery;
  if (approval === null) return null;
  const { digest, revision, requestedBy, action, terms } = approval.draft;
  return {
    digest,
    revision,
    createdAt: new Date(approval.createdAtMs).toISOString(),
    expiresAt: new Date(approval.expiresAtMs).toISOString(),
    requestedBy,
    editedBy: amendment?.actor ?? null,
    action: { ...action, ...shownBody(event, amendment) },
    evidence: event?.evidence ?? [],
    policy: policyOf(terms.rules),
    approvals: approval.approvals.map(shownVote),
    rejections: approval.rejections.map(shownVote),
    executedAt: approval.executedAt,
  };
}

function shownVote({ actor, at }: Vote): ShownVote {
  return { actor, at };
}

function shownBody(event: BusinessEvent | null, amendment: Delivery["amendment"]): ShownBody {
  if (event === null) return { bodyOmitted: true };
  const sent = amendedEvent(event, amendment);
  const { bytes } = bodyOf(sent);
  // Only what came as base64 can be bytes that are no text.
  if (sent.data_base64 === undefined) return { body: utf8Text(bytes) };
  try {
    return { body: utf8Text(bytes) };
  } catch {
    return { body_base64: sent.data_base64 };
  }
}

/** One rule as it is; several summed up, with each of them beside the sum. */
export function policyOf(rules: readonly ApprovalRule[]): ProposalPolicy {
  const [only, ...others] = rules;
  if (only !== undefined && others.length === 0) return only;
  const versions = [...new Set(rules.map(({ version }) => version).filter((version) => version !== null))];
  return {
    approvers: [...new Set(rules.flatMap(({ approvers }) => approvers))],
    quorum: Math.max(...rules.map(({ quorum }) => quorum)),
    rejections: Math.min(...rules.map(({ rejections }) => rejections)),
    fourEyes: rules.some(({ fourEyes }) => fourEyes),
    requireSignedDecisions: asksForSignatures(rules),
    escalate: null,
    version: versions.length > 1 ? versions.join(", ") : (versions[0] ?? null),
    rules,
  };
}
