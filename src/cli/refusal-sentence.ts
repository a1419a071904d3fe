/** Why a person's word changed nothing, in words. */
import type { ResolutionRefusal } from "../delivery/event-state.ts";

export function refusalSentence(because: ResolutionRefusal | null): string {
  switch (because) {
    case "malformed":
      return "the message lacks an actor or a reason";
    case "unknown-delivery":
      return "the event does not go to that endpoint";
    case "several-deliveries":
      return "several deliveries could be meant; name one with --delivery";
    case "not-parked":
      return "the delivery does not wait for a person";
    case "attempt-in-flight":
      return "an attempt is under way; look at its outcome first";
    case "already-ended":
      return "the delivery has ended";
    case "not-supported":
      return "this version does not know that action";
    case null:
      return "no reason was given";
  }
}
