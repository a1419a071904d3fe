/** When a delivery ended: the report says what ended it, not when as such. */
import type { DeliveryStatus, ResolutionAction, TerminalState } from "../delivery/event-state.ts";

/** The end of the last attempt or lookup, or what a person or a clock said, whichever came last. RFC 3339. */
export function endedAt(acceptedAt: string, delivery: DeliveryStatus, state: TerminalState): string {
  const ends = [...delivery.attempts, ...(delivery.lookups ?? [])].map(
    ({ at, durationMs }) => Date.parse(at) + durationMs,
  );
  const lastEnd = ends.length === 0 ? acceptedAt : new Date(Math.max(...ends)).toISOString();
  const cause = causeOf(delivery, state) ?? acceptedAt;
  return Date.parse(cause) > Date.parse(lastEnd) ? cause : lastEnd;
}

function causeOf(delivery: DeliveryStatus, state: TerminalState): string | undefined {
  switch (state) {
    case "delivered":
      return lastWord(delivery, "mark-delivered");
    case "discarded":
      return lastWord(delivery, "discard");
    case "rejected":
      return delivery.decisions.findLast(({ action, counted }) => counted && action === "reject")?.at;
    case "expired":
      return delivery.proposal?.expiresAt;
  }
}

function lastWord({ resolutions }: DeliveryStatus, wanted: ResolutionAction): string | undefined {
  return resolutions.findLast(({ action, counted }) => counted && action === wanted)?.at;
}
