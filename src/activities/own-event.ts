/** The event an activity works on, under the name its source has in this configuration. */
import { activityInfo } from "@temporalio/activity";
import type { BusinessEvent } from "../delivery/event.ts";
import type { ActivityDependencies, RunReference } from "./dependencies.ts";

/** Null = too large to repeat in the input: it is read from the run's first history event. */
export async function ownEvent(deps: ActivityDependencies, given: BusinessEvent | null): Promise<BusinessEvent> {
  const event = given ?? (await deps.runs.startEvent(currentRun()));
  return { ...event, source: deps.routing.source(event.source) ?? event.source };
}

/** The run of the workflow that asked for the activity at hand. */
export function currentRun(): RunReference {
  const { workflowExecution } = activityInfo();
  if (workflowExecution === undefined) throw new TypeError("This is only done for a workflow");
  return workflowExecution;
}
