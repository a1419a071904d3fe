/** Opens the lane an attempt is about to be put on. */
import type { LaneAnswer } from "../delivery/activity-shapes.ts";
import type { ActivityDependencies } from "./dependencies.ts";

export async function ensureLane(deps: ActivityDependencies, endpoint: string): Promise<LaneAnswer> {
  if (deps.routing.endpoint(endpoint) === null) return { kind: "withheld", endpoint, reason: "unknown-endpoint" };
  await deps.openLane(endpoint);
  return { kind: "opened" };
}
