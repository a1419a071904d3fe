/** What travels between a workflow and its activities: shapes only, read again by `get` from the history. */
import type { Amendment, ApprovalGrant, ApprovalRule, Ballot, BallotRights, ProposalDraft } from "./approval.ts";
import type { Way } from "./attempt.ts";
import type { BusinessEvent } from "./event.ts";
import type { AttemptResult } from "./facts.ts";
import type { LookupRecord } from "./lookup.ts";
import type { DeliverySettings, EventPlan } from "./plan.ts";

/** Clues for telling a re-run of a local attempt; never recorded, because inputs of local activities are not. */
export interface LocalClues {
  readonly historyLength: number;
  /** Null = cannot be told. */
  readonly expectedLength: number | null;
  readonly scheduledAtMs: number;
  /** A message has arrived meanwhile: report what an earlier execution did, but begin none. */
  readonly recallOnly: boolean;
}

export interface AttemptInput {
  readonly v: 1;
  readonly endpoint: string;
  /** Counts from 1 over the whole delivery. */
  readonly number: number;
  readonly via: Way;
  readonly settings: DeliverySettings;
  /** Null = too large to repeat in the history: read it from the run's first event. */
  readonly event: BusinessEvent | null;
  /** Status of the attempt before, null = none: 408 and 421 ask for a new connection. */
  readonly lastStatus: number | null;
  /** Only with `via: "local"`. */
  readonly clues?: LocalClues;
  /** Absent = nobody approved anything. */
  readonly approval?: ApprovalGrant;
  readonly amendment?: Amendment;
  /** A person's replay: what it meets says nothing about the endpoint's health; absent = no. */
  readonly replayed?: true;
  /** Revision that a new proposal would have; absent = 1. */
  readonly nextRevision?: number;
}

/** Asks a worker what is due for a delivery: its settings, and whether a person must approve. */
export interface PlanInput {
  readonly v: 1;
  readonly endpoint: string;
  /** Null = too large to repeat: read it from the run's first event. */
  readonly event: BusinessEvent | null;
  readonly revision: number;
  readonly amendment?: Amendment;
}

export type PlannedDelivery =
  | {
      readonly kind: "planned";
      readonly endpoint: string;
      readonly settings: DeliverySettings;
      /** Null = no approval is due. */
      readonly draft: ProposalDraft | null;
    }
  | Extract<AttemptResult, { readonly kind: "withheld" }>;

/** Asks a worker who the authors of these ballots are, and whether the proposal still is what would be sent. */
export interface ExamineInput extends PlanInput {
  readonly digest: string;
  /** The rules of the proposal; what is judged by, where the configuration no longer asks for approval. */
  readonly rules: readonly ApprovalRule[];
  /** The key of the event and the ballots, as they arrived. */
  readonly ballots: readonly Pick<Ballot, "sequence" | "action" | "actor" | "digest" | "signature">[];
  readonly key: string;
  /** Revision that a new proposal would have. */
  readonly nextRevision: number;
}

export type Examination =
  | {
      readonly kind: "examined";
      readonly endpoint: string;
      /** Of the proposal that was examined; absent = the one in force. */
      readonly digest?: string;
      readonly rights: readonly BallotRights[];
      /** Present when what would be sent is no longer what was proposed: people are asked again. */
      readonly changed?: ProposalDraft;
    }
  | Extract<AttemptResult, { readonly kind: "withheld" }>;

/** Asks a worker to look up what became of an attempt whose outcome is uncertain. */
export interface ReconcileInput extends PlanInput {
  /** Of that attempt. */
  readonly number: number;
}

export interface LookupResult {
  readonly endpoint: string;
  readonly record: LookupRecord;
}

/** A plan may name an endpoint that does not exist: its lane would never be polled, so nothing is put there. */
export type LaneAnswer = { readonly kind: "opened" } | Extract<AttemptResult, { readonly kind: "withheld" }>;

export interface ResolveInput {
  readonly v: 1;
  /** As parsed from the input; its body may differ from the bytes that came in. */
  readonly event: BusinessEvent;
  /** Present = a lone delivery that may go locally is tried in the same step. */
  readonly clues?: LocalClues;
}

export interface ResolvedEvent {
  /** The configured name behind the source or alias. */
  readonly source: string;
  readonly plan: EventPlan;
  /** Present when the body as sent differs from what JSON parsing would give back. */
  readonly exactBody?: string;
  /** The first attempt, made in the same step. */
  readonly first?: AttemptResult;
}
