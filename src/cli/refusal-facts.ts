/** Who and when, beside the reason why a decision did not count; from the event as it was read before. */
import { samePerson } from "../delivery/ballots.ts";
import type { DeliveryStatus, Proposal, ShownVote, Verdict } from "../delivery/event-state.ts";
import { safeText } from "./safe-text.ts";
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
  return FACTS.get(because)?.({ actor, delivery, proposal }) ?? null;
}

function involvementOf({ actor, proposal: { requestedBy, editedBy } }: Known): string | null {
  if (editedBy !== null && samePerson(editedBy, actor)) return `${safeText(editedBy)} edited it last.`;
  return requestedBy === null ? null : `${safeText(requestedBy)} asked for it.`;
}

function ownVote({ actor, proposal: { approvals, rejections } }: Known): string | null {
  const isOwn = (vote: ShownVote): boolean => vote.actor === actor;
  const own = votesText("approved", approvals.filter(isOwn)) ?? votesText("rejected", rejections.filter(isOwn));
  return own === null ? null : `It was ${own}; who has changed their mind withdraws first.`;
}

function decidedBy({ delivery, proposal: { approvals, rejections } }: Known): string | null {
  const deciding = delivery.state === "rejected" ? votesText("rejected", rejections) : votesText("approved", approvals);
  return deciding === null ? null : `It was ${deciding}.`;
}

function executedAt({ proposal }: Known): string | null {
  return proposal.executedAt === null ? null : `The first attempt began ${momentText(proposal.executedAt)}.`;
}

/** Null = there are none. */
function votesText(verdict: "approved" | "rejected", votes: readonly ShownVote[]): string | null {
  const said = votes.map(({ actor, at }) => `${safeText(actor)}, ${momentText(at)}`).join("; ");
  return votes.length === 0 ? null : `${verdict} by ${said}`;
}
