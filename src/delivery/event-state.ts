/** The event state as people and programs read it: the shapes of `get`, `show`, HTTP and the workflow's result. */
import type { AttentionReason } from "./attention.ts";
import type {
  ApprovalRule,
  EarlierProposal,
  DecisionAction,
  DecisionRecord,
  DecisionRefusal,
  ProposedAction,
} from "./approval.ts";
import type { AttemptCode, AttemptRecord } from "./attempt.ts";
import type { Evidence } from "./event.ts";
import type { LookupRecord } from "./lookup.ts";

export type DeliveryStateName =
  | "accepted"
  | "awaiting-approval"
  | "delivering"
  | "waiting-retry"
  | "held"
  | "reconciling"
  | "needs-attention"
  | "delivered"
  | "rejected"
  | "expired"
  | "discarded";

export type TerminalState = Extract<DeliveryStateName, "delivered" | "rejected" | "expired" | "discarded">;

export type WaitingFor = "retry" | "retry-after" | "gate" | "approval" | "order" | "worker";

export interface Attention {
  readonly reason: AttentionReason;
  readonly since: string;
  readonly advice: string;
}

export const RESOLUTION_ACTIONS = ["replay", "discard", "mark-delivered", "amend", "hurry", "hold", "release"] as const;
export type ResolutionAction = (typeof RESOLUTION_ACTIONS)[number];

/** Why a person's message changed nothing. */
export type ResolutionRefusal =
  | "malformed"
  | "unknown-delivery"
  | "several-deliveries"
  | "not-parked"
  | "attempt-in-flight"
  | "already-ended"
  | "executed"
  | "bad-amendment"
  /** Somebody holds it. */
  | "held"
  | "not-held"
  /** There is no wait to end. */
  | "not-waiting"
  /** The wait ends no later than the time the endpoint asked for. */
  | "retry-after"
  | "not-supported";

/** What comes back for a message: did it count, and if not, why. */
export interface Verdict {
  readonly counted: boolean;
  readonly refusedBecause: ResolutionRefusal | DecisionRefusal | null;
  /** RFC 3339. */
  readonly at: string;
}

export interface ProposalPolicy extends ApprovalRule {
  /** Present when several routes ask: each of them must be satisfied; the members beside it sum them up. */
  readonly rules?: readonly ApprovalRule[];
}

/** The exact request that waits for a person, or was approved by one. Whole, never cut. */
export interface Proposal {
  readonly digest: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly requestedBy: string | null;
  /** Who amended it last; null = nobody did. */
  readonly editedBy: string | null;
  readonly action: ProposedAction & ShownBody;
  readonly evidence: readonly Evidence[];
  readonly policy: ProposalPolicy;
  /** Approvals that stand, oldest first. */
  readonly approvals: readonly ShownVote[];
  /** Rejections that stand, oldest first. */
  readonly rejections: readonly ShownVote[];
  /** Start of the first attempt under it. */
  readonly executedAt: string | null;
}

export interface ShownVote {
  readonly actor: string;
  /** RFC 3339. */
  readonly at: string;
}

/** The body as it is sent: a text where it is UTF-8, else base64. Neither in a workflow's result that would outgrow it. */
export type ShownBody = { readonly body: string } | { readonly body_base64: string } | { readonly bodyOmitted: true };

export interface Resolution {
  readonly action: ResolutionAction;
  readonly actor: string;
  readonly at: string;
  readonly reason: string;
  readonly counted: boolean;
  readonly refusedBecause: ResolutionRefusal | null;
}

/** A word that waits for the attempt in hand. */
export interface PendingWord {
  readonly action: ResolutionAction | DecisionAction;
  readonly actor: string;
  readonly at: string;
}

/** A person has stopped the delivery. */
export interface ShownHold {
  /** RFC 3339. */
  readonly since: string;
  readonly actor: string;
  readonly reason: string;
}

export interface DeliveryStatus {
  readonly endpoint: string;
  readonly state: DeliveryStateName;
  readonly idempotencyKey: string;
  /** 1 until somebody amends the event. */
  readonly revision: number;
  readonly attemptCount: number;
  readonly lastCode: AttemptCode | null;
  readonly nextAt: string | null;
  readonly waitingFor: WaitingFor | null;
  readonly attempts: readonly AttemptRecord[];
  /** Null = no approval is due, or none was asked for yet. */
  readonly proposal: Proposal | null;
  /** Proposals it has replaced, oldest first; absent = none. */
  readonly earlierProposals?: readonly EarlierProposal[];
  /** Everything said about it, whether it counted or not. */
  readonly decisions: readonly DecisionRecord[];
  readonly attention: Attention | null;
  readonly resolutions: readonly Resolution[];
  /** What was looked up after uncertain outcomes, oldest first; absent = nothing was. */
  readonly lookups?: readonly LookupRecord[];
  /** No attempt begins until somebody releases it, wherever it stands; absent = nobody holds it. */
  readonly hold?: ShownHold;
  /** Absent = none. */
  readonly pending?: readonly PendingWord[];
}

/** Another content under the same key, refused and kept as a run of its own. */
export interface ConflictRecord {
  readonly at: string;
  readonly fingerprint: string;
  readonly via: "cli" | "http" | "hook" | "client";
}

export interface EventState {
  readonly v: 1;
  readonly key: string;
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly acceptedAt: string;
  readonly fingerprint: string;
  readonly state: DeliveryStateName;
  readonly deliveries: readonly DeliveryStatus[];
  /** Filled in by `get`; always empty in the workflow's own result. */
  readonly conflicts: readonly ConflictRecord[];
}

/** Most urgent first: the event shows the most urgent state of its deliveries. */
const URGENCY: readonly DeliveryStateName[] = [
  "needs-attention",
  "awaiting-approval",
  "held",
  "reconciling",
  "waiting-retry",
  "delivering",
  "accepted",
  "rejected",
  "expired",
  "discarded",
  "delivered",
];

/** The state of an event with these deliveries; `accepted` while there are none yet. */
export function mostUrgent(states: readonly DeliveryStateName[]): DeliveryStateName {
  return URGENCY.find((state) => states.includes(state)) ?? "accepted";
}

export function isTerminal(state: DeliveryStateName): state is TerminalState {
  return state === "delivered" || state === "rejected" || state === "expired" || state === "discarded";
}

/** Nothing moves until a person acts. */
export function waitsForPerson(state: DeliveryStateName): boolean {
  return state === "needs-attention" || state === "awaiting-approval";
}
