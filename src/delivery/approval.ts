/** What a person decides on, and what they said: the shapes of approval. Decided in `ballots.ts`. */
import type { JsonValue } from "./event.ts";

/** What one route demands. An event that several such routes match needs every one of them satisfied. */
export interface ApprovalRule {
  /** People, and groups as `group:<name>`; never empty. */
  readonly approvers: readonly string[];
  /** Distinct people of `approvers` who must approve. */
  readonly quorum: number;
  /** Distinct people of `approvers` whose rejection ends it. */
  readonly rejections: number;
  /** The requester and the last editor may not decide. */
  readonly fourEyes: boolean;
  /** A decision counts only with a valid Ed25519 signature. */
  readonly requireSignedDecisions: boolean;
  /** Further approvers from this age of the proposal on; null = none. */
  readonly escalate: { readonly afterMs: number; readonly to: readonly string[] } | null;
  /** The configuration's own number or text; null = none. */
  readonly version: number | string | null;
}

/** Everything that governs the wait for one delivery's approval. */
export interface ApprovalTerms {
  /** Never empty. */
  readonly rules: readonly ApprovalRule[];
  readonly expiresMs: number;
  /** Ages of the proposal at which people are reminded, ascending; may be empty. */
  readonly remindMs: readonly number[];
  readonly onExpire: "end" | "park";
  /** Endpoint that is told; null = nobody is. */
  readonly notify: string | null;
}

/** The request as it will be sent, without its body: that is the event's own, or the amendment's. */
export interface ProposedAction {
  readonly endpoint: string;
  readonly configVersion: string;
  /** `handler` for a handler. */
  readonly method: string;
  /** Without query, fragment and credentials; `name@version` for a handler. */
  readonly url: string;
  /** The endpoint's own headers, lower case, sorted. */
  readonly headerNames: readonly string[];
  /** Of the event; they go out as headers. */
  readonly type: string;
  /** Null = the event has none. */
  readonly subject: string | null;
  readonly contentType: string;
  readonly bodyBytes: number;
}

/** What a worker proposes from its own configuration. */
export interface ProposalDraft {
  /** `sha256:` + hex over everything that makes the action what it is. */
  readonly digest: string;
  readonly revision: number;
  /** Null = unknown: four eyes cannot exclude anybody then. */
  readonly requestedBy: string | null;
  readonly action: ProposedAction;
  readonly terms: ApprovalTerms;
}

/** What replaced the body or the endpoint of a delivery. */
export interface Amendment {
  /** Enters the idempotency key; from 2. */
  readonly revision: number;
  readonly actor: string;
  /** The endpoint the event was routed to. */
  readonly from: string;
  /** At most one of `data` and `data_base64`; neither = the body stays. */
  readonly data?: JsonValue;
  readonly data_base64?: string;
}

export const DECISION_ACTIONS = ["approve", "reject", "withdraw"] as const;
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

export type DecisionRefusal =
  | "wrong-digest"
  | "no-digest"
  | "stale-revision"
  | "unknown-person"
  | "not-eligible"
  | "own-request"
  | "second-vote"
  | "already-decided"
  | "expired"
  | "executed"
  | "bad-signature"
  | "no-note"
  | "nothing-waits";

/** A decision as it arrived, understood as far as its shape goes. */
export interface Ballot {
  /** Position among the messages of the run, from 0: one verdict each. */
  readonly sequence: number;
  readonly action: DecisionAction;
  /** Empty = none given. */
  readonly actor: string;
  /** Empty = none given. */
  readonly digest: string;
  readonly note: string;
  /** Base64; null = not signed. */
  readonly signature: string | null;
  readonly endpoint: string | null;
  readonly atMs: number;
}

/** What a worker's configuration says of one ballot's author, at the time it is judged. */
export interface BallotRights {
  readonly sequence: number;
  /** The person stands in `people`. */
  readonly known: boolean;
  /** Positions of the rules under which the person is an approver. */
  readonly rules: readonly number[];
  /** Positions of the rules under which only the escalation makes them one. */
  readonly escalated: readonly number[];
  readonly signature: "absent" | "valid" | "bad";
}

/** An approval or rejection that counts. */
export interface Vote {
  readonly actor: string;
  readonly at: string;
  readonly digest: string;
  readonly signature: string | null;
  /** Positions of the rules it counts for; never empty. */
  readonly rules: readonly number[];
}

/** A decision on record, whether it counted or not. */
export interface DecisionRecord {
  readonly action: DecisionAction;
  readonly actor: string;
  readonly at: string;
  /** As given; null = none. */
  readonly digest: string | null;
  /** Of the proposal the digest belongs to; null = of none. */
  readonly revision: number | null;
  readonly note: string;
  readonly counted: boolean;
  readonly refusedBecause: DecisionRefusal | null;
  /** It came with a valid signature of that person. */
  readonly signed: boolean;
}

/**
 * Why people are asked anew: `changed` = what would be sent, or who must agree, is no longer what
 * was proposed; `approval-lost` = somebody who approved may not any more; `expired` = a replay after
 * the end; `withdrawn` = a signed decision was taken back; `misconfigured` = nothing could be sent.
 */
export type ReplacedBecause = "changed" | "approval-lost" | "amended" | "expired" | "withdrawn" | "misconfigured";

/** What stays on record of a proposal that was replaced; what was decided on it stands in the decisions. */
export interface EarlierProposal {
  readonly endpoint: string;
  readonly revision: number;
  readonly digest: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly requestedBy: string | null;
  /** Start of the first attempt under it; null = none was made. */
  readonly executedAt: string | null;
  /** Where it stood when it was replaced. */
  readonly standing: ApprovalStanding;
  readonly replacedAt: string;
  readonly replacedBecause: ReplacedBecause;
}

/** Where a proposal stands. */
export type ApprovalStanding = "asking" | "approved" | "rejected" | "expired";

/** The proposal in force and what was said about it. */
export interface ApprovalProgress {
  readonly draft: ProposalDraft;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly standing: ApprovalStanding;
  readonly approvals: readonly Vote[];
  readonly rejections: readonly Vote[];
  /** Start of the first attempt under it; null = none was made. From then on it cannot lapse. */
  readonly executedAt: string | null;
  /** It expired while an attempt was queued or in flight: what has not begun is taken back. */
  readonly overdue: boolean;
}

/** What an attempt brings to show that it may be made; the worker judges it by its own configuration. */
export interface ApprovalGrant {
  readonly revision: number;
  readonly digest: string;
  readonly expiresAtMs: number;
  /** An attempt was made under it before: it cannot expire any more. */
  readonly executed: boolean;
  readonly createdAtMs: number;
  readonly votes: readonly Vote[];
}
