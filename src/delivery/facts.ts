/** What happened to an event, one fact at a time. The workflow lives them; `get` reads the same ones from the history. */
import type { Examination, LookupResult, PlannedDelivery } from "./activity-shapes.ts";
import type { ProposalDraft, ReplacedBecause } from "./approval.ts";
import type { AttemptRecord, Way } from "./attempt.ts";
import type { EventIdentity } from "./event-identity.ts";
import type { DeliverySettings, EventPlan } from "./plan.ts";

/** Why nothing was sent although an attempt was due: the worker's own configuration says otherwise than the plan. */
export type WithheldReason = "not-routed" | "unknown-endpoint" | "body-too-large" | "body-not-json" | "no-requester";

/** What one execution of the attempt activity reports. Every way but `attempted` sent nothing. */
export type AttemptResult =
  | {
      readonly kind: "attempted";
      readonly endpoint: string;
      readonly record: AttemptRecord;
      /** Present when the settings in force differ from those of the plan. */
      readonly settings?: DeliverySettings;
    }
  /** An earlier execution of this attempt was lost with its worker. */
  | {
      readonly kind: "lost";
      readonly endpoint: string;
      readonly number: number;
      /** When the lost execution began, milliseconds since the epoch; absent = the history could not be read. */
      readonly sinceMs?: number;
    }
  /** Not here: the share is used up, the endpoint is slow or its gate is not open. */
  | { readonly kind: "to-lane"; readonly endpoint: string }
  /** Nothing is known of an earlier execution, and none was begun: go on by a regular activity. */
  | { readonly kind: "set-aside"; readonly endpoint: string }
  | { readonly kind: "withheld"; readonly endpoint: string; readonly reason: WithheldReason }
  /** An approval is due that is not there, or no longer holds for what would be sent: people are asked (again). */
  | {
      readonly kind: "unapproved";
      readonly endpoint: string;
      readonly draft: ProposalDraft;
      /** Absent = nothing was approved before. */
      readonly because?: Extract<ReplacedBecause, "changed" | "approval-lost">;
    }
  /** The approval had expired when the attempt was about to begin. */
  | { readonly kind: "too-late"; readonly endpoint: string };

/** A person's message as it arrived; `argument` is untrusted. */
export interface Message {
  readonly name: string;
  readonly argument: unknown;
}

export type Fact = { readonly atMs: number } & (
  | { readonly fact: "accepted"; readonly event: EventIdentity; readonly plan: EventPlan }
  | { readonly fact: "attempt-begun"; readonly endpoint: string; readonly number: number; readonly via: Way }
  | { readonly fact: "attempt-reported"; readonly via: Way; readonly result: AttemptResult }
  /** A regular attempt whose worker vanished: heartbeat or start-to-close time-out. */
  | { readonly fact: "attempt-lost"; readonly endpoint: string }
  /** The timer of a retry wait fired. */
  | { readonly fact: "wait-over"; readonly endpoint: string }
  /** A local attempt failed on our side before anything was sent: the next try is a regular one. */
  | { readonly fact: "attempt-set-aside"; readonly endpoint: string }
  /** The activity itself failed for good: a broken assumption of ours, nothing is known to have been sent. */
  | { readonly fact: "attempt-broken"; readonly endpoint: string }
  /** What a lookup has found out about an uncertain outcome. */
  | { readonly fact: "looked-up"; readonly result: LookupResult }
  /** The lookup itself failed for good. */
  | { readonly fact: "lookup-broken"; readonly endpoint: string }
  | { readonly fact: "planned"; readonly planned: PlannedDelivery }
  | { readonly fact: "examined"; readonly examination: Examination }
  /** A timer of an approval fired; what has expired by now, expires. */
  | { readonly fact: "time-passed" }
  | { readonly fact: "message"; readonly message: Message }
  | { readonly fact: "cancel-requested" }
);
