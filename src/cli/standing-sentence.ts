/** What stands once a person's decision has counted: how many have agreed, and what it waits for now. */
import type { DecisionAction } from "../delivery/approval.ts";
import type { DeliveryStatus, Proposal } from "../delivery/event-state.ts";
import { safeText } from "./safe-text.ts";
import { momentText } from "./time-text.ts";

export interface CountedDecision {
  readonly action: DecisionAction;
  /** Whole. */
  readonly digest: string;
  /** As it is now; null = that is not known. */
  readonly delivery: DeliveryStatus | null;
  readonly nowMs: number;
}

const NOUNS: Readonly<Record<DecisionAction, string>> = {
  approve: "approval",
  reject: "rejection",
  withdraw: "withdrawal",
};

export function standingSentence({ action, digest, delivery, nowMs }: CountedDecision): string {
  const counts = `Your ${NOUNS[action]} counts`;
  const proposal = delivery?.proposal ?? null;
  if (delivery === null || proposal === null) return `${counts}.`;
  if (proposal.digest !== digest) return `${counts}; it is proposed anew, as revision ${proposal.revision}.`;
  if (delivery.state !== "awaiting-approval")
    return action === "approve" ? onwardSentence(delivery, proposal) : `${counts}: ${stateText(delivery)}.`;
  const so = action === "reject" ? rejectionsText(proposal) : approvalsText(proposal);
  return `${counts}: ${so}; it waits for ${missingText(proposal, nowMs)}, until ${momentText(proposal.expiresAt)}.`;
}

/** It waits no more: with this approval, unless somebody else was quicker. */
function onwardSentence(delivery: DeliveryStatus, { approvals, policy }: Proposal): string {
  const { state } = delivery;
  if (state === "rejected" || state === "expired" || state === "discarded")
    return `Your approval counts, but ${stateText(delivery)}.`;
  const have = approvals.length === 1 ? "has" : "have";
  const who = policy.rules === undefined ? `${approvals.length} of ${policy.quorum} ${have} approved` : ALL_RULES;
  return `${who}: ${stateText(delivery)}.`;
}

const ALL_RULES = "Every rule has its quorum";

function stateText({ state }: DeliveryStatus): string {
  switch (state) {
    case "needs-attention":
      return "it needs attention now";
    case "delivered":
    case "rejected":
    case "expired":
    case "discarded":
      return `it is ${state}`;
    case "accepted":
    case "awaiting-approval":
    case "delivering":
    case "waiting-retry":
    case "held":
    case "reconciling":
      return "it is being sent";
  }
}

function approvalsText({ approvals, policy }: Proposal): string {
  const count = approvals.length === 0 ? "none" : String(approvals.length);
  return policy.rules === undefined ? `${count} of ${policy.quorum}` : `${count} so far`;
}

function rejectionsText({ rejections, policy }: Proposal): string {
  const count = rejections.length;
  return policy.rules === undefined ? `${count} of ${policy.rejections} rejections` : `${count} so far`;
}

/** Several rules each have their own count, and who counts where is not shown. */
function missingText({ approvals, policy, createdAt }: Proposal, nowMs: number): string {
  if (policy.rules !== undefined) return "the quorum of every rule";
  const { approvers, quorum, escalate } = policy;
  const isEscalated = escalate !== null && nowMs >= Date.parse(createdAt) + escalate.afterMs;
  const missing = quorum - approvals.length;
  const people = [...approvers, ...(isEscalated ? escalate.to : [])].map(safeText).join(", ");
  return `${missing === 1 ? "one" : missing} more of ${people}`;
}
