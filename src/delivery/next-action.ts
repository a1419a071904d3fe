/** What a delivery asks of its workflow now: the one question of the interpreter's loop. */
import { expectsProposal, isAsked } from "./ballots.ts";
import { isTerminal } from "./event-state.ts";
import type { Delivery } from "./progress.ts";

export type NextAction =
  | "nothing"
  /** Somebody must look first. */
  | "await-person"
  /** A worker says what is due. */
  | "plan"
  /** A worker says who the authors of the waiting decisions are. */
  | "examine"
  | "await-decision"
  /** A worker looks up what became of the last attempt. */
  | "reconcile"
  | "wait"
  /** Somebody holds it. */
  | "await-release"
  | "attempt";

export function nextAction(delivery: Delivery): NextAction {
  if (isTerminal(delivery.state)) return "nothing";
  if (expectsProposal(delivery)) return "plan";
  if (delivery.ballots.length > 0) return "examine";
  if (delivery.attention !== null) return "await-person";
  if (delivery.state === "reconciling") return "reconcile";
  if (delivery.approval?.standing === "asking") return "await-decision";
  if (delivery.wait !== null) return "wait";
  return delivery.hold === null ? "attempt" : "await-release";
}

/** Work that no worker has begun is taken back: a person's word, or the end of an approval, waits for it. */
export function wantsRecall({ pending, ballots, approval }: Delivery): boolean {
  return pending.length > 0 || ballots.length > 0 || approval?.overdue === true;
}

/** The proposal whose expiry and reminders are still to come; null = none. */
export function openApproval(delivery: Delivery): Delivery["approval"] {
  return isAsked(delivery) && delivery.attention === null ? delivery.approval : null;
}
