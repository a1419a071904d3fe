/** The state a list can know: what visibility holds, never more. */
import type { WorkflowExecutionInfo } from "@temporalio/client";
import { STATE_ATTRIBUTE } from "../temporal/search-attributes.ts";

/** The seven states `list --state` takes. */
export const LISTED_STATES = [
  "in-progress",
  "awaiting-approval",
  "needs-attention",
  "delivered",
  "rejected",
  "expired",
  "discarded",
] as const;

/** `terminated`: ended from outside in Temporal; `refused`: the input was no event. Neither can be listed by state. */
export type ListedState = (typeof LISTED_STATES)[number] | "terminated" | "refused";

interface Described extends Pick<WorkflowExecutionInfo, "typedSearchAttributes"> {
  readonly status: Omit<WorkflowExecutionInfo["status"], "code"> & { readonly code?: number };
}

/** Running without a written state is in progress, completed without one is delivered. */
export function listedState({ status, typedSearchAttributes }: Described): ListedState {
  const written = LISTED_STATES.find((state) => state === typedSearchAttributes.get(STATE_ATTRIBUTE));
  switch (status.name) {
    case "FAILED":
      return "refused";
    case "TERMINATED":
    case "TIMED_OUT":
    case "CANCELLED":
      return "terminated";
    case "COMPLETED":
      return written ?? "delivered";
    default:
      return written ?? "in-progress";
  }
}
