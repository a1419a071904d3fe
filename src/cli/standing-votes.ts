/** Which decisions on a proposal still stand, told from what is on record. */
import type { DecisionRecord } from "../delivery/approval.ts";

/** Counted and not withdrawn, oldest first; at most one per person. */
export function standingVotes(decisions: readonly DecisionRecord[], digest: string): readonly DecisionRecord[] {
  const standing = new Map<string, DecisionRecord>();
  for (const decision of decisions) {
    if (!decision.counted || decision.digest !== digest) continue;
    if (decision.action === "withdraw") standing.delete(decision.actor);
    else standing.set(decision.actor, decision);
  }
  return [...standing.values()];
}

/** Those that say no. */
export function standingRejections(decisions: readonly DecisionRecord[], digest: string): readonly DecisionRecord[] {
  return standingVotes(decisions, digest).filter(({ action }) => action === "reject");
}
