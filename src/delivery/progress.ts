/** The working state of an event: what the workflow and `get` fold facts into. */
import type { AttemptRecord, Way } from "./attempt.ts";
import type { EventIdentity } from "./event-identity.ts";
import type { Attention, DeliveryStateName, Resolution } from "./event-state.ts";
import type { DeliveryPlan, DeliverySettings } from "./plan.ts";
import type { Instruction } from "./resolve.ts";

export interface AttemptInFlight {
  readonly number: number;
  readonly via: Way;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

export interface RetryWait {
  readonly untilMs: number;
  readonly delayMs: number;
  readonly why: "retry" | "retry-after";
}

export interface Delivery {
  readonly endpoint: string;
  readonly settings: DeliverySettings;
  /** Where it stands; `in flight` is told by `inFlight`, not here. */
  readonly state: DeliveryStateName;
  readonly attempts: readonly AttemptRecord[];
  /** How many attempts belong to budgets that a replay closed. */
  readonly spentAttempts: number;
  readonly inFlight: AttemptInFlight | null;
  readonly wait: RetryWait | null;
  readonly attention: Attention | null;
  readonly resolutions: readonly Resolution[];
  /** Instructions that wait for the attempt in flight to end. */
  readonly pending: readonly Instruction[];
  /** An attempt was lost or went by another way: no local attempts any more. */
  readonly leftLocal: boolean;
  /** The worker asked for the lane once: the delivery stays there. */
  readonly sentToLane: boolean;
}

export interface Verdict {
  readonly counted: boolean;
  readonly refusedBecause: Resolution["refusedBecause"];
  readonly at: string;
}

export interface EventProgress {
  readonly event: EventIdentity;
  readonly fingerprint: string;
  readonly acceptedAt: string;
  readonly deliveries: readonly Delivery[];
  /** Messages received so far, in order; `verdicts[n]` answers message n, absent while it is pending. */
  readonly messages: number;
  readonly verdicts: Readonly<Record<number, Verdict>>;
}

/** A delivery nobody has tried yet. */
export function freshDelivery(plan: DeliveryPlan): Delivery {
  return {
    endpoint: plan.endpoint,
    settings: plan.settings,
    state: "accepted",
    attempts: [],
    spentAttempts: 0,
    inFlight: null,
    wait: null,
    attention: null,
    resolutions: [],
    pending: [],
    leftLocal: false,
    sentToLane: false,
  };
}
