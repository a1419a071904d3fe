/** Why a person's word changed nothing, in words. */
import type { DecisionAction, DecisionRefusal } from "../delivery/approval.ts";
import type { ResolutionRefusal, Verdict } from "../delivery/event-state.ts";

const RESOLUTIONS: Readonly<Record<ResolutionRefusal, string>> = {
  malformed: "the message lacks an actor or a reason",
  "unknown-delivery": "the event does not go to that endpoint",
  "several-deliveries": "several deliveries could be meant; name one with --delivery",
  "not-parked": "the delivery does not wait for a person",
  "attempt-in-flight": "an attempt is under way, or waits to begin; `countersign endpoints` shows what is held",
  "already-ended": "the delivery has ended",
  executed: "it was sent before, and what is sent cannot be decided on or amended any more",
  "bad-amendment": "what should be sent instead cannot be used; give one body, an endpoint, or both",
  held: "somebody holds the delivery; release it first",
  "not-held": "nobody holds the delivery",
  "not-waiting": "there is no wait to end: it is on its way, parked, or waits for a decision",
  "retry-after": "the endpoint asked not to be called before, and the wait ends no later than that",
  "not-supported": "this version does not know that action",
};

const DECISIONS: Readonly<Record<DecisionRefusal, string>> = {
  "wrong-digest": "it changed since you looked, or was never proposed: nothing that waits has that digest",
  "no-digest": "it does not say what was looked at: a decision names the digest",
  "stale-revision": "it changed since you looked: that digest belongs to an earlier revision",
  "unknown-person": "the configuration of the workers has no such person in people",
  "not-eligible": "that person is no approver of it, or not yet",
  "own-request": "four eyes: who asked for it, or edited it last, does not decide on it",
  "second-vote": "that person has decided on it before",
  "already-decided": "it was decided before, or has ended",
  expired: "its time for a decision is over",
  executed: RESOLUTIONS.executed,
  "bad-signature": "it needs a valid signature of that person; sign with --key-file",
  "no-note": "a rejection says why, in its note",
  "nothing-waits": "nothing waits for approval there",
};

/** `action` tells apart what one refusal says of several. */
export function refusalSentence(because: Verdict["refusedBecause"], action?: DecisionAction): string {
  if (because === null) return "no reason was given";
  if (because === "not-eligible" && action === "withdraw") return "that person has no decision that stands";
  return { ...RESOLUTIONS, ...DECISIONS }[because];
}
