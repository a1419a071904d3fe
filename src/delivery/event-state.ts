/** The event state as people and programs read it: the shapes of `get`, `show`, HTTP and the workflow's result. */
import type { AttentionReason } from "./attention.ts";
import type { AttemptCode, AttemptRecord } from "./attempt.ts";

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

export type ResolutionAction = "replay" | "discard" | "mark-delivered" | "amend" | "hurry" | "hold" | "release";

/** Why a person's message changed nothing. */
export type ResolutionRefusal =
  | "malformed"
  | "unknown-delivery"
  | "several-deliveries"
  | "not-parked"
  | "attempt-in-flight"
  | "already-ended"
  | "not-supported";

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
  readonly action: ResolutionAction;
  readonly actor: string;
  readonly at: string;
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
  /** Approvals are not part of this version. */
  readonly proposal: null;
  readonly decisions: readonly never[];
  readonly attention: Attention | null;
  readonly resolutions: readonly Resolution[];
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
