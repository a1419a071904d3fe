/** Who has decided what: the one set of rules for every surface. Reads ballots, judges them, counts votes. */
import {
  type ApprovalProgress,
  type ApprovalRule,
  type Ballot,
  type BallotRights,
  DECISION_ACTIONS,
  type DecisionRecord,
  type DecisionRefusal,
  type Vote,
} from "./approval.ts";
import { isTerminal } from "./event-state.ts";
import type { Message } from "./facts.ts";
import { isKnownVersion, MAX_ACTOR, membersOf, textOf } from "./message-members.ts";
import { type Delivery, proposalsOf } from "./progress.ts";

const MAX_DIGEST = 100;
const MAX_NOTE = 2000;
const MAX_SIGNATURE = 200;

/** Reads a message; null when it is no decision. */
export function readBallot(message: Message, sequence: number, atMs: number): Ballot | null {
  const argument = membersOf(message.argument);
  const name = message.name === "decide" ? argument["action"] : message.name;
  const action = DECISION_ACTIONS.find((candidate) => candidate === name);
  if (action === undefined) return null;
  const { delivery, signature } = argument;
  return {
    sequence,
    action,
    atMs,
    actor: textOf(argument["actor"], MAX_ACTOR),
    // What it names under another version is not known here.
    digest: isKnownVersion(argument) ? textOf(argument["digest"], MAX_DIGEST) : "",
    note: textOf(argument["note"], MAX_NOTE),
    signature: typeof signature === "string" ? signature.slice(0, MAX_SIGNATURE) : null,
    endpoint: typeof delivery === "string" ? delivery : null,
  };
}

/**
 * Which delivery a ballot is about: the one it names, else the one whose proposal it has seen,
 * else the only one that waits. Null = it names one the event does not have.
 */
export function ballotTarget(ballot: Ballot, deliveries: readonly Delivery[]): number | null {
  const position = (matches: (delivery: Delivery) => boolean): number => deliveries.findIndex(matches);
  if (ballot.endpoint !== null) {
    const named = position(({ endpoint }) => endpoint === ballot.endpoint);
    return named < 0 ? null : named;
  }
  const seen = position((delivery) => proposalWith(delivery, ballot.digest) !== undefined);
  if (seen >= 0) return seen;
  const waiting = position((delivery) => delivery.approval?.standing === "asking" || expectsProposal(delivery));
  return Math.max(0, waiting);
}

/** The proposal of that digest, in force or replaced. */
function proposalWith(delivery: Delivery, digest: string) {
  return proposalsOf(delivery).find((proposal) => proposal.digest === digest);
}

/** A delivery with a proposal on which people may have their say. */
export interface Asked extends Delivery {
  readonly approval: ApprovalProgress;
}

/** Nothing was sent under the proposal, it has not expired, and nobody ended the delivery. */
export function isAsked(delivery: Delivery): delivery is Asked {
  const { approval, state } = delivery;
  if (approval === null || approval.executedAt !== null || isTerminal(state)) return false;
  return approval.standing === "asking" || approval.standing === "approved";
}

/** A proposal is still to be made: what people say before it stands is kept for it. */
export function expectsProposal({ settings, approval, unplanned, state, attention }: Delivery): boolean {
  return approval === null && !isTerminal(state) && attention === null && (settings.approval === true || unplanned);
}

/**
 * Why a ballot cannot count whoever sent it; null = that depends on who did, or on an attempt
 * that may not have begun.
 */
export function refusalAtSight(ballot: Ballot, delivery: Delivery): DecisionRefusal | null {
  const { approval, state } = delivery;
  if (approval === null) return expectsProposal(delivery) ? null : "nothing-waits";
  if (ballot.digest === "") return "no-digest";
  if (ballot.digest !== approval.draft.digest)
    return proposalWith(delivery, ballot.digest) === undefined ? "wrong-digest" : "stale-revision";
  if (approval.executedAt !== null) return "executed";
  if (approval.standing === "expired") return "expired";
  const decided = approval.standing === "rejected" || isTerminal(state);
  if (decided) return "already-decided";
  return approval.standing === "approved" && ballot.action !== "withdraw" ? "already-decided" : null;
}

/** Why a ballot does not count, given who its author is; null = it counts. */
export function refusalOf(ballot: Ballot, delivery: Asked, rights: BallotRights): DecisionRefusal | null {
  const { approval } = delivery;
  const atSight = refusalAtSight(ballot, delivery);
  if (atSight !== null) return atSight;
  if (!rights.known) return "unknown-person";
  const eligible = eligibleRules(approval, rights, ballot.atMs);
  if (eligible.length === 0) return "not-eligible";
  if (rights.signature === "bad" || (rights.signature === "absent" && mustBeSigned(approval, eligible)))
    return "bad-signature";
  if (countingRules(delivery, ballot, eligible).length === 0) return "own-request";
  const hasVoted = [...approval.approvals, ...approval.rejections].some(({ actor }) => actor === ballot.actor);
  if (ballot.action === "withdraw") return hasVoted ? null : "not-eligible";
  if (hasVoted) return "second-vote";
  return ballot.action === "reject" && ballot.note === "" ? "no-note" : null;
}

/** Rules under which the author may decide now; the escalation widens them once it is due. */
function eligibleRules({ draft, createdAtMs }: ApprovalProgress, rights: BallotRights, atMs: number) {
  const escalated = rights.escalated.filter((position) => {
    const { escalate } = draft.terms.rules[position] ?? { escalate: null };
    return escalate !== null && atMs >= createdAtMs + escalate.afterMs;
  });
  return [...new Set([...rights.rules, ...escalated])];
}

function mustBeSigned({ draft }: ApprovalProgress, positions: readonly number[]): boolean {
  return asksForSignatures(positions.flatMap((position) => draft.terms.rules[position] ?? []));
}

/** Whether a decision may need a signature. */
export function asksForSignatures(rules: readonly Pick<ApprovalRule, "requireSignedDecisions">[]): boolean {
  return rules.some(({ requireSignedDecisions }) => requireSignedDecisions);
}

/** Without those whose four eyes exclude the author: the requester, and whoever edited the action last. */
function countingRules({ approval, amendment }: Asked, { actor }: Ballot, eligible: readonly number[]) {
  const { requestedBy, terms } = approval.draft;
  const involved = [requestedBy, amendment?.actor].some(
    (person) => typeof person === "string" && samePerson(person, actor),
  );
  return involved ? eligible.filter((position) => terms.rules[position]?.fourEyes !== true) : eligible;
}

/** Names are compared leniently where they exclude, exactly where they permit. */
export function samePerson(left: string, right: string): boolean {
  return plain(left) === plain(right);
}

function plain(name: string): string {
  return name.trim().normalize("NFKC").toUpperCase().toLowerCase();
}

/** The approval after a ballot that counts. */
export function countBallot(ballot: Ballot, delivery: Asked, rights: BallotRights): ApprovalProgress {
  const { approval } = delivery;
  const rules = countingRules(delivery, ballot, eligibleRules(approval, rights, ballot.atMs));
  const { actor, digest, signature } = ballot;
  const vote: Vote = { actor, at: new Date(ballot.atMs).toISOString(), digest, signature, rules };
  switch (ballot.action) {
    case "approve":
      return standing({ ...approval, approvals: [...approval.approvals, vote] });
    case "reject":
      return standing({ ...approval, rejections: [...approval.rejections, vote] });
    case "withdraw": {
      const others = (votes: readonly Vote[]) => votes.filter((other) => other.actor !== actor);
      return standing({
        ...approval,
        approvals: others(approval.approvals),
        rejections: others(approval.rejections),
      });
    }
  }
}

function standing(approval: ApprovalProgress): ApprovalProgress {
  const { rules } = approval.draft.terms;
  if (isRejected(rules, approval.rejections)) return { ...approval, standing: "rejected" };
  return { ...approval, standing: reachesQuorum(rules, approval.approvals) ? "approved" : "asking" };
}

/** Every rule has its quorum of distinct people. */
export function reachesQuorum(rules: readonly ApprovalRule[], approvals: readonly Vote[]): boolean {
  return rules.length > 0 && rules.every(({ quorum }, position) => distinct(approvals, position) >= quorum);
}

/** Any rule has its number of rejections. */
function isRejected(rules: readonly ApprovalRule[], votes: readonly Vote[]): boolean {
  return rules.some(({ rejections }, position) => distinct(votes, position) >= rejections);
}

function distinct(votes: readonly Vote[], position: number): number {
  return new Set(votes.filter(({ rules }) => rules.includes(position)).map(({ actor }) => actor)).size;
}

/** The entry of the record. */
export function recordOf(
  ballot: Ballot,
  facts: { readonly delivery: Delivery; readonly refusedBecause: DecisionRefusal | null; readonly signed: boolean },
): DecisionRecord {
  const { action, actor, note } = ballot;
  const named = proposalWith(facts.delivery, ballot.digest);
  return {
    action,
    actor,
    at: new Date(ballot.atMs).toISOString(),
    digest: ballot.digest === "" ? null : ballot.digest,
    revision: named?.revision ?? null,
    note,
    counted: facts.refusedBecause === null,
    refusedBecause: facts.refusedBecause,
    signed: facts.signed,
  };
}
