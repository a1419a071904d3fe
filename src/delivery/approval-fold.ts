/** The part of the fold that is about approval: asking, hearing, deciding, expiring. */
import type { Examination, PlannedDelivery } from "./activity-shapes.ts";
import { adviceFor } from "./attention.ts";
import type {
  ApprovalProgress,
  ApprovalStanding,
  Ballot,
  BallotRights,
  DecisionRecord,
  DecisionRefusal,
  ProposalDraft,
  ReplacedBecause,
} from "./approval.ts";
import {
  type Asked,
  asksForSignatures,
  ballotTarget,
  countBallot,
  expectsProposal,
  isAsked,
  recordOf,
  refusalAtSight,
  refusalOf,
} from "./ballots.ts";
import { change, withVerdict } from "./change.ts";
import { type Delivery, type EventProgress, withoutProposal } from "./progress.ts";
import { recorded } from "./record-bounds.ts";

/**
 * A worker said what is due: people are asked, or the delivery goes on; unless somebody ended it meanwhile.
 * It goes on by regular attempts: what came before it was planned was not held back for a local one.
 */
export function plan(
  delivery: Delivery,
  { settings, draft }: Extract<PlannedDelivery, { kind: "planned" }>,
  atMs: number,
): Delivery {
  if (!expectsProposal(delivery)) return delivery;
  const planned = { ...delivery, settings, unplanned: false, leftLocal: true };
  return draft === null ? { ...planned, state: "delivering" } : ask(planned, draft, { atMs });
}

/** A proposal of its own revision; what was decided on an earlier one stays on record and does not count. */
export function ask(
  delivery: Delivery,
  draft: ProposalDraft,
  { atMs, because = "changed" }: { readonly atMs: number; readonly because?: ReplacedBecause },
): Delivery {
  const approval: ApprovalProgress = {
    draft,
    createdAtMs: atMs,
    expiresAtMs: atMs + draft.terms.expiresMs,
    standing: "asking",
    approvals: [],
    rejections: [],
    executedAt: null,
    overdue: false,
  };
  return {
    ...withoutProposal(delivery, { because, atMs }),
    settings: { ...delivery.settings, approval: true },
    state: "awaiting-approval",
    wait: null,
    attention: null,
    leftLocal: true,
    revision: draft.revision,
    approval,
  };
}

/** From the first attempt on an approval cannot lapse any more. */
export function executed(approval: ApprovalProgress | null, { at }: { readonly at: string }): ApprovalProgress | null {
  return approval === null ? null : { ...approval, executedAt: approval.executedAt ?? at, overdue: false };
}

/** What nobody decided, or nobody sent, by the time it expires. An attempt that may have begun goes first. */
export function lapse(progress: EventProgress, atMs: number): EventProgress {
  if (!progress.deliveries.some((delivery) => isOverdue(delivery, atMs))) return progress;
  const deliveries = progress.deliveries.map((delivery) => {
    if (!isOverdue(delivery, atMs)) return delivery;
    return delivery.inFlight === null
      ? expire(delivery, atMs)
      : { ...delivery, approval: { ...delivery.approval, overdue: true } };
  });
  return { ...progress, deliveries };
}

function isOverdue(delivery: Delivery, atMs: number): delivery is Asked {
  return isAsked(delivery) && atMs >= delivery.approval.expiresAtMs;
}

/** `expired` is never a person's word. Where something was sent under an earlier proposal, a person must look. */
export function expire(delivery: Delivery, atMs: number): Delivery {
  const { approval, endpoint, attempts } = delivery;
  const lapsed = approval && { ...approval, standing: "expired" as const, overdue: false };
  const expired = { ...delivery, wait: null, approval: lapsed };
  if (delivery.attention !== null) return expired;
  if (approval?.draft.terms.onExpire === "end" && attempts.length === 0) return { ...expired, state: "expired" };
  const advice = adviceFor({ reason: "approval-expired", endpoint, lastAttempt: attempts.at(-1) ?? null });
  const attention = { reason: "approval-expired" as const, since: new Date(atMs).toISOString(), advice };
  return { ...expired, state: "needs-attention", attention };
}

/** A decision has arrived; whether it counts is settled now where that is plain, else once its author is known. */
export function receiveBallot(progress: EventProgress, ballot: Ballot): EventProgress {
  const index = ballotTarget(ballot, progress.deliveries);
  const delivery = progress.deliveries[index ?? 0];
  if (delivery === undefined) return withVerdict(progress, ballot, { counted: false, refusedBecause: "nothing-waits" });
  if (index === null) return record(progress, delivery, { ballot, because: "nothing-waits" });
  return change(progress, delivery.endpoint, (target) => ({ ...target, ballots: [...target.ballots, ballot] }));
}

/** Answers every ballot that cannot count any more, whoever sent it. */
export function settleBallots(progress: EventProgress): EventProgress {
  // A refusal changes nothing that the next one depends on.
  const refused = progress.deliveries.flatMap((delivery) =>
    delivery.ballots.map((ballot) => ({ delivery, ballot, because: refusalAtSight(ballot, delivery) })),
  );
  return refused.reduce(
    (folded, { delivery, ballot, because }) =>
      because === null ? folded : record(folded, delivery, { ballot, because }),
    progress,
  );
}

/**
 * The authors are known: each ballot is judged in the order of arrival, by what stands when its turn comes.
 * Where that is no longer the proposal they were examined for (amended, lapsed, ended), nothing is.
 */
export function judgeBallots(
  progress: EventProgress,
  { endpoint, digest, rights, changed }: Extract<Examination, { kind: "examined" }>,
  atMs: number,
): EventProgress {
  const inForce = progress.deliveries.find((delivery) => delivery.endpoint === endpoint)?.approval?.draft.digest;
  if (digest !== undefined && digest !== inForce) return progress;
  const current =
    changed === undefined
      ? progress
      : change(progress, endpoint, (delivery) => (isAsked(delivery) ? ask(delivery, changed, { atMs }) : delivery));
  return rights.reduce((folded, right) => judgeBallot(folded, { endpoint, atMs }, right), current);
}

function judgeBallot(
  progress: EventProgress,
  { endpoint, atMs }: { readonly endpoint: string; readonly atMs: number },
  rights: BallotRights,
): EventProgress {
  const delivery = progress.deliveries.find((candidate) => candidate.endpoint === endpoint);
  const ballot = delivery?.ballots.find(({ sequence }) => sequence === rights.sequence);
  if (delivery === undefined || ballot === undefined || !isAsked(delivery)) return progress;
  const because = refusalOf(ballot, delivery, rights);
  const noted = record(progress, delivery, { ballot, because, signed: rights.signature === "valid" });
  if (because !== null) return noted;
  if (ballot.action === "withdraw" && asksForSignatures(delivery.approval.draft.terms.rules))
    return change(noted, endpoint, (heard) => askAnew(heard, atMs));
  const approval = countBallot(ballot, delivery, rights);
  return change(noted, endpoint, (heard) => ({ ...decided(heard, approval.standing), approval }));
}

/**
 * A signature names one revision. What was signed and taken back could be sent again by anybody
 * who has seen it, so the next revision is proposed, which no old signature fits.
 */
function askAnew(delivery: Delivery, atMs: number): Delivery {
  return {
    ...withoutProposal(delivery, { because: "withdrawn", atMs }),
    state: "accepted",
    attention: null,
    wait: null,
  };
}

/** What the votes have made of the delivery. A parked one goes on waiting for somebody who looks, unless it asks again. */
function decided(delivery: Delivery, standing: ApprovalStanding): Delivery {
  switch (standing) {
    case "approved":
      return delivery.attention === null ? { ...delivery, state: "delivering" } : delivery;
    case "rejected":
      return { ...delivery, state: "rejected" };
    case "asking":
    case "expired":
      return { ...delivery, state: "awaiting-approval", attention: null };
  }
}

interface Judged {
  readonly ballot: Ballot;
  readonly because: DecisionRefusal | null;
  readonly signed?: boolean;
}

function record(
  progress: EventProgress,
  delivery: Delivery,
  { ballot, because, signed = false }: Judged,
): EventProgress {
  const entry = recordOf(ballot, { delivery, refusedBecause: because, signed });
  const noted = change(progress, delivery.endpoint, (heard) => ({
    ...heard,
    ballots: heard.ballots.filter(({ sequence }) => sequence !== ballot.sequence),
    decisions: recorded(heard.decisions, entry, withShortNote),
  }));
  return withVerdict(noted, ballot, entry);
}

function withShortNote(entry: DecisionRecord, maxLength: number): DecisionRecord {
  return { ...entry, note: entry.note.slice(0, maxLength) };
}
