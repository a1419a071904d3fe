/** Builders of what waits for a person: proposals and the decisions on them. */
import type { DecisionRecord } from "../../src/delivery/approval.ts";
import type { DeliveryStatus, Proposal, ShownVote } from "../../src/delivery/event-state.ts";
import { aDelivery } from "./an-event.ts";

/** 64 hex digits that begin `0123456789ab`. */
export const DIGEST = `sha256:0123456789ab${"c".repeat(52)}`;

type Changes = Omit<Partial<Proposal>, "action"> & { readonly action?: Partial<Proposal["action"]> };

export function aProposal({ action, ...changes }: Changes = {}): Proposal {
  return {
    digest: DIGEST,
    revision: 1,
    createdAt: "2026-11-29T10:00:00.000Z",
    expiresAt: "2026-11-30T10:00:00.000Z",
    requestedBy: "bo@example.com",
    editedBy: null,
    // One of the three ways to show a body; a change replaces it.
    action: {
      endpoint: "payments",
      configVersion: `sha256:${"f".repeat(64)}`,
      method: "POST",
      url: "https://payments.example/refunds",
      headerNames: ["authorization"],
      type: "refund.requested",
      subject: null,
      contentType: "application/json",
      bodyBytes: 14,
      body: '{"amount":600}',
      ...action,
    },
    evidence: [],
    policy: {
      approvers: ["group:finance"],
      quorum: 2,
      rejections: 1,
      fourEyes: true,
      requireSignedDecisions: false,
      escalate: null,
      version: null,
    },
    approvals: [],
    rejections: [],
    executedAt: null,
    ...changes,
  };
}

/** A delivery that waits for approval. */
export function aWaitingDelivery(changes: Partial<DeliveryStatus> = {}): DeliveryStatus {
  const proposal = changes.proposal === undefined ? aProposal() : changes.proposal;
  const waiting = { endpoint: "payments", state: "awaiting-approval", waitingFor: "approval", attempts: [] } as const;
  return aDelivery({ ...waiting, ...changes, proposal });
}

export function aDecision(changes: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    action: "approve",
    actor: "ana@example.com",
    at: "2026-11-29T10:01:00.000Z",
    digest: DIGEST,
    revision: 1,
    note: "",
    counted: true,
    refusedBecause: null,
    signed: false,
    ...changes,
  };
}

/** One that stands. */
export function aVote(actor: string): ShownVote {
  return { actor, at: "2026-11-29T10:01:00.000Z" };
}
