/** Who and when, beside the reason why a decision did not count; from the event as it was read before. */
import { samePerson } from "../delivery/ballots.ts";
import type { DecisionRecord } from "../delivery/approval.ts";
import type { DeliveryStatus, Proposal, Verdict } from "../delivery/event-state.ts";
import { safeText } from "./safe-text.ts";
import { standingVotes } from "./standing-votes.ts";
import { momentText } from "./time-text.ts";

export interface RefusedDecision {
  readonly because: Verdict["refusedBecause"];
  readonly actor: string;
  /** With the proposal that was decided on; null = it has none. */
  readonly delivery: DeliveryStatus | null;
}

interface Known {
  readonly actor: string;
  readonly delivery: DeliveryStatus;
  readonly proposal: Proposal;
  /** That stand. */
  readonly votes: readonly DecisionRecord[];
}

const FACTS: ReadonlyMap<Verdict["refusedBecause"], (known: Known) => string | null> = new Map([
  ["own-request", involvementOf],
  ["second-vote", ownVote],
  ["already-decided", decidedBy],
  ["executed", executedAt],
]);

/** A sentence; null = nothing more is known. */
export function refusalFacts({ because, actor, delivery }: RefusedDecision): string | null {
  const proposal = delivery?.proposal ?? null;
  if (delivery === null || proposal === null) return null;
  const votes = standingVotes(delivery.decisions, proposal.digest);
  return FACTS.get(because)?.({ actor, delivery, proposal, votes }) ?? null;
}

function involvementOf({ actor, proposal: { requestedBy, editedBy } }: Known): string | null {
  if (editedBy !== null && samePerson(editedBy, actor)) return `${safeText(editedBy)} edited it last.`;
  return requestedBy === null ? null : `${safeText(requestedBy)} asked for it.`;
}

function ownVote({ actor, votes }: Known): string | null {
  const own = votes.filter((vote) => vote.actor === actor);
  return own.length === 0 ? null : `It was ${votesText(own)}; who has changed their mind withdraws first.`;
}

function decidedBy({ delivery, votes }: Known): string | null {
  const verdict = delivery.state === "rejected" ? "reject" : "approve";
  const deciding = votes.filter(({ action }) => action === verdict);
  return deciding.length === 0 ? null : `It was ${votesText(deciding)}.`;
}

function executedAt({ proposal }: Known): string | null {
  return proposal.executedAt === null ? null : `The first attempt began ${momentText(proposal.executedAt)}.`;
}

/** All of one kind. */
function votesText(votes: readonly DecisionRecord[]): string {
  const said = votes.map(({ actor, at }) => `${safeText(actor)}, ${momentText(at)}`).join("; ");
  return `${votes[0]?.action === "reject" ? "rejected" : "approved"} by ${said}`;
}
