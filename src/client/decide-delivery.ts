/** A person's decision on a proposal: approve, reject, withdraw. */
import type { DecisionAction, DecisionRefusal } from "../delivery/approval.ts";
import type { DeliveryStatus, Verdict } from "../delivery/event-state.ts";
import { type DecisionArgument, decideUpdate } from "../workflows/messages.ts";
import { readReport } from "./get-event.ts";
import { sayWord } from "./say-word.ts";
import type { Session } from "./session.ts";

export interface DecisionOrder extends DecisionArgument {
  readonly action: DecisionAction;
}

/**
 * Says it and returns whether it counted; throws as `sayWord` does. A run that has just ended
 * answers `executed` when it had sent what was decided on, `expired` when nobody had decided in
 * time, else `already-decided`.
 */
export async function decideDelivery(session: Session, key: string, order: DecisionOrder): Promise<Verdict> {
  return await sayWord(session, key, {
    update: decideUpdate,
    argument: { v: 1, ...order },
    tooLate: async () => await whyTooLate(session, key, order),
  });
}

/** That it did not count is certain, so a state that cannot be read must not hide it. */
async function whyTooLate(session: Session, key: string, order: DecisionOrder): Promise<DecisionRefusal> {
  try {
    const { deliveries } = await readReport(session, key);
    return lateRefusal(deliveries, order);
  } catch {
    return "already-decided";
  }
}

/** What a decision is answered that came after the end. */
export function lateRefusal(
  deliveries: readonly DeliveryStatus[],
  order: Pick<DecisionOrder, "delivery" | "digest">,
): DecisionRefusal {
  const meant = meantDelivery(deliveries, order);
  if (isExecuted(meant)) return "executed";
  return meant?.state === "expired" ? "expired" : "already-decided";
}

/** As the workflow tells it: the one named, else the one whose proposal was seen, else the first that ever asked. */
function meantDelivery(
  deliveries: readonly DeliveryStatus[],
  { delivery: named, digest }: Pick<DecisionOrder, "delivery" | "digest">,
): DeliveryStatus | undefined {
  if (named !== undefined) return deliveries.find(({ endpoint }) => endpoint === named);
  return (
    deliveries.find(({ proposal }) => proposal?.digest === digest) ??
    deliveries.find(({ proposal }) => proposal !== null) ??
    deliveries[0]
  );
}

/** Without a proposal nobody was asked: then whatever was sent was sent. */
function isExecuted(delivery: DeliveryStatus | undefined): boolean {
  if (delivery === undefined) return false;
  const { proposal, attemptCount } = delivery;
  return proposal === null ? attemptCount > 0 : proposal.executedAt !== null;
}
