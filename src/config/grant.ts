/** The gate before the first byte: whether what was approved is what would be sent, by this worker's own configuration. */
import type { Amendment, ApprovalGrant, ApprovalRule, ProposalDraft, Vote } from "../delivery/approval.ts";
import { samePerson } from "../delivery/ballots.ts";
import type { Config } from "./config.ts";
import { rightsOf } from "./rights.ts";

export interface GrantQuestion {
  /** Null = nobody approved anything. */
  readonly grant: ApprovalGrant | null;
  /** This worker's own, for the revision of the grant. */
  readonly draft: ProposalDraft;
  /** What the draft was made with; null = nobody amended the delivery. */
  readonly amendment: Amendment | null;
  /** The event key. */
  readonly key: string;
  readonly nowMs: number;
}

/**
 * `unapproved` = people must be asked (again); `too-late` = the approval has expired.
 *
 * An attempt under an approval takes it up: from then on it does not expire. Everything else is
 * asked at each attempt: a retry hours later goes out by today's rules and today's people.
 */
export function judgeGrant(config: Config, question: GrantQuestion): "granted" | "too-late" | "unapproved" {
  const { grant, draft, nowMs } = question;
  if (grant === null || grant.digest !== draft.digest || grant.revision !== draft.revision) return "unapproved";
  // Not the other way round: a time that cannot be compared has passed.
  if (!grant.executed && !(nowMs < grant.expiresAtMs)) return "too-late";
  const { rules } = draft.terms;
  const counted = rules.map((rule) => countVotes(config, rule, { ...question, grant }));
  const isReached = rules.length > 0 && rules.every(({ quorum }, position) => (counted[position] ?? 0) >= quorum);
  return isReached ? "granted" : "unapproved";
}

type Granted = Omit<GrantQuestion, "grant"> & { readonly grant: ApprovalGrant };

/** How many distinct people approve under a rule. */
function countVotes(config: Config, rule: ApprovalRule, granted: Granted): number {
  const { grant, draft, amendment } = granted;
  // The digest binds these two names; what else the grant says of them is nobody's word.
  const involved = [draft.requestedBy, amendment?.actor ?? null].filter((name) => name !== null);
  const votes = grant.votes.filter(
    (vote) =>
      vote.digest === grant.digest &&
      !(rule.fourEyes && involved.some((name) => samePerson(name, vote.actor))) &&
      mayVote(config, vote, { rule, granted }),
  );
  return new Set(votes.map(({ actor }) => actor)).size;
}

function mayVote(
  config: Config,
  { actor, at, digest, signature }: Vote,
  { rule, granted }: { readonly rule: ApprovalRule; readonly granted: Granted },
): boolean {
  const { grant, draft, key } = granted;
  const ballot = { sequence: 0, action: "approve", actor, digest, signature } as const;
  const { endpoint } = draft.action;
  const [rights] = rightsOf(config, { rules: [rule], ballots: [ballot], key, endpoint, revision: draft.revision });
  if (rights === undefined || rights.signature === "bad") return false;
  if (rule.requireSignedDecisions && rights.signature !== "valid") return false;
  const isFurther = rights.escalated.length > 0 && rule.escalate !== null;
  return rights.rules.length > 0 || (isFurther && Date.parse(at) >= grant.createdAtMs + rule.escalate.afterMs);
}
