/**
 * The workflow types of a worker: `event`, `endpoint`, `conflict`, `gates`, `bulk-replay`. The
 * sandbox: only `delivery/`, types of activities and @temporalio/workflow may be imported here.
 */
import { workflowInfo } from "@temporalio/workflow";
import { refusal } from "./refusal.ts";

export { bulkReplay as "bulk-replay" } from "./bulk-replay.ts";
export { conflict } from "./conflict.ts";
export { endpoint } from "./endpoint.ts";
export { event } from "./event.ts";
export { gates } from "./gates.ts";

/** Any other type ends at once with a sentence; without this its first task would be retried for ever. */
export default async function unknownType(): Promise<never> {
  const { workflowType } = workflowInfo();
  await Promise.resolve();
  throw refusal(
    `There is no workflow type ${JSON.stringify(workflowType)} here; the types are event, endpoint, conflict, gates and bulk-replay`,
    "unknown_workflow_type",
  );
}
