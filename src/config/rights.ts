/** Who the authors of decisions are, by this configuration. */
import type { ApprovalRule, Ballot, BallotRights } from "../delivery/approval.ts";
import { decisionBytes } from "../delivery/decision-bytes.ts";
import { verifyDecision } from "../signing/decision-signature.ts";
import { includesPerson } from "./approvers.ts";
import type { Config, Person } from "./config.ts";

type ReceivedBallot = Pick<Ballot, "sequence" | "action" | "actor" | "digest" | "signature">;

export interface RightsQuestion {
  /** Of the proposal; what is answered are positions in it. */
  readonly rules: readonly ApprovalRule[];
  /** As they arrived; nothing in them is trusted. */
  readonly ballots: readonly ReceivedBallot[];
  /** The event key. */
  readonly key: string;
  readonly endpoint: string;
  readonly revision: number;
}

/** One answer for each ballot, in their order. */
export function rightsOf(config: Config, question: RightsQuestion): readonly BallotRights[] {
  return question.ballots.map((ballot) => {
    const { sequence, actor } = ballot;
    const person = personNamed(config, actor);
    const { rules, escalated } = person === null ? NO_POSITIONS : positionsOf(question.rules, actor, person);
    return { sequence, known: person !== null, rules, escalated, signature: judgeSignature(person, ballot, question) };
  });
}

/** By the exact name; names that every object has are nobody's. */
function personNamed(config: Config, name: string): Person | null {
  return Object.hasOwn(config.people, name) ? (config.people[name] ?? null) : null;
}

type Positions = Pick<BallotRights, "rules" | "escalated">;

const NO_POSITIONS: Positions = { rules: [], escalated: [] };

function positionsOf(rules: readonly ApprovalRule[], name: string, { groups }: Person): Positions {
  const where = (isMeant: (rule: ApprovalRule) => boolean): readonly number[] =>
    rules.flatMap((rule, position) => (isMeant(rule) ? [position] : []));
  const isApprover = ({ approvers }: ApprovalRule): boolean => includesPerson(approvers, { name, groups });
  const isFurther = ({ escalate }: ApprovalRule): boolean => includesPerson(escalate?.to ?? [], { name, groups });
  return { rules: where(isApprover), escalated: where((rule) => isFurther(rule) && !isApprover(rule)) };
}

function judgeSignature(
  person: Person | null,
  { action, digest, signature }: ReceivedBallot,
  { key, endpoint, revision }: RightsQuestion,
): BallotRights["signature"] {
  if (signature === null) return "absent";
  if (person === null || person.publicKey === null) return "bad";
  const bytes = decisionBytes({ key, endpoint, revision, digest, action });
  return verifyDecision(person.publicKey, bytes, signature) ? "valid" : "bad";
}
