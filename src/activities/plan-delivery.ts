/** What is due for a delivery, by this worker's own configuration: the plan of a run is only a hint. */
import type { PlanInput, PlannedDelivery } from "../delivery/activity-shapes.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { ownEvent } from "./own-event.ts";

/** The activity body. */
export async function planDelivery(deps: ActivityDependencies, input: PlanInput): Promise<PlannedDelivery> {
  const { endpoint, revision, amendment = null } = input;
  const event = await ownEvent(deps, input.event);
  return deps.routing.delivery({ event, endpoint, revision, amendment });
}
