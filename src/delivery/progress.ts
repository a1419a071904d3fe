/** The working state of an event: what the workflow and `get` fold facts into. */
import type {
  Amendment,
  ApprovalProgress,
  Ballot,
  DecisionRecord,
  EarlierProposal,
  ReplacedBecause,
} from "./approval.ts";
import type { AttemptRecord, Way } from "./attempt.ts";
import type { EventIdentity } from "./event-identity.ts";
import type { LookupRecord } from "./lookup.ts";
import type { Attention, DeliveryStateName, Resolution, Verdict } from "./event-state.ts";
import type { DeliveryPlan, DeliverySettings } from "./plan.ts";
import type { Instruction } from "./resolve.ts";

export interface AttemptInFlight {
  readonly number: number;
  readonly via: Way;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
}

export interface RetryWait {
  /** As it is shown: from the end of the attempt, by the clock of its worker. */
  readonly untilMs: number;
  readonly delayMs: number;
  readonly why: "retry" | "retry-after";
  /** When it is over at the latest reading of either clock: never too early, also where one of them is behind. */
  readonly endsAtMs: number;
  /** When the time is over that the endpoint asked for, by the same reading; null = it asked for none. */
  readonly notBeforeMs: number | null;
}

/** A person has stopped the delivery: no attempt begins until somebody releases it. */
export interface Hold {
  readonly sinceMs: number;
  readonly actor: string;
  readonly reason: string;
  /** The retry wait that was under way, or has come meanwhile; it goes on for its rest. */
  readonly wait: RetryWait | null;
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
  /** Null also while somebody holds the delivery: then the wait is there. */
  readonly wait: RetryWait | null;
  readonly hold: Hold | null;
  /** For how long holds have kept attempts of the present budget waiting, milliseconds. */
  readonly heldMs: number;
  /** What was looked up after uncertain outcomes, oldest first. */
  readonly lookups: readonly LookupRecord[];
  readonly attention: Attention | null;
  readonly resolutions: readonly Resolution[];
  /** Instructions that wait for the attempt in flight to end. */
  readonly pending: readonly Instruction[];
  /** An attempt was lost or went by another way: no local attempts any more. */
  readonly leftLocal: boolean;
  /** The worker asked for the lane once: the delivery stays there. */
  readonly sentToLane: boolean;
  /** Of what would be sent now, from 1: an amendment and every new proposal raise it. */
  readonly revision: number;
  /** Proposals that another one, or an amendment, has replaced; oldest first. */
  readonly earlier: readonly EarlierProposal[];
  /** The proposal in force; null = none is due, or it is still to be made. */
  readonly approval: ApprovalProgress | null;
  /** Decisions that wait to be judged. */
  readonly ballots: readonly Ballot[];
  readonly decisions: readonly DecisionRecord[];
  readonly amendment: Amendment | null;
  /** Endpoints it went to before amendments moved it. */
  readonly formerEndpoints: readonly string[];
  /** Amended since a worker last said what is due. */
  readonly unplanned: boolean;
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
    hold: null,
    heldMs: 0,
    lookups: [],
    attention: null,
    resolutions: [],
    pending: [],
    leftLocal: false,
    sentToLane: false,
    revision: 1,
    earlier: [],
    approval: null,
    ballots: [],
    decisions: [],
    amendment: null,
    formerEndpoints: [],
    unplanned: false,
  };
}

/** Without its proposal, which stays on record with the reason. */
export function withoutProposal(
  delivery: Delivery,
  { because, atMs }: { readonly because: ReplacedBecause; readonly atMs: number },
): Delivery {
  const { approval, endpoint, earlier } = delivery;
  if (approval === null) return delivery;
  const { digest, revision, requestedBy } = approval.draft;
  const replaced: EarlierProposal = {
    endpoint,
    revision,
    digest,
    createdAt: new Date(approval.createdAtMs).toISOString(),
    expiresAt: new Date(approval.expiresAtMs).toISOString(),
    requestedBy,
    executedAt: approval.executedAt,
    standing: approval.standing,
    replacedAt: new Date(atMs).toISOString(),
    replacedBecause: because,
  };
  return { ...delivery, approval: null, earlier: [...earlier, replaced] };
}

/** What was proposed so far, oldest first; the last one may be in force. */
export function proposalsOf({ earlier, approval }: Pick<Delivery, "earlier" | "approval">): readonly ProposalName[] {
  return approval === null ? earlier : [...earlier, approval.draft];
}

type ProposalName = Pick<EarlierProposal, "revision" | "digest">;

/** The revision a new proposal would have. */
export function nextRevisionOf(delivery: Delivery): number {
  const { revision } = delivery;
  return proposalsOf(delivery).some((proposal) => proposal.revision === revision) ? revision + 1 : revision;
}
