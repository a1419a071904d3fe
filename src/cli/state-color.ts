/** One color per kind of state, the same in every command. */
import type { ListedState } from "../client/listed-state.ts";
import type { DeliveryStateName } from "../delivery/event-state.ts";
import type { Colors } from "./terminal.ts";

/** The state's name, colored; `shown` stands for it where it must be padded or annotated. */
export function colorState(colors: Colors, state: DeliveryStateName | ListedState, shown: string = state): string {
  switch (state) {
    case "delivered":
      return colors.green(shown);
    case "needs-attention":
    case "refused":
      return colors.red(shown);
    case "awaiting-approval":
    case "waiting-retry":
    case "held":
    case "reconciling":
      return colors.yellow(shown);
    case "rejected":
    case "expired":
    case "discarded":
    case "terminated":
      return colors.dim(shown);
    case "accepted":
    case "delivering":
    case "in-progress":
      return colors.cyan(shown);
  }
}
