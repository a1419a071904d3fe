/** The activities of a worker, each behind the boundary. */
import { attemptDelivery } from "./attempt-delivery.ts";
import { atBoundary } from "./boundary.ts";
import type { BulkActivities, EventActivities } from "./contract.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { ensureLane } from "./ensure-lane.ts";
import { examineBallots } from "./examine-ballots.ts";
import { notifyPeople } from "./notify-people.ts";
import { planDelivery } from "./plan-delivery.ts";
import { reconcileDelivery } from "./reconcile-delivery.ts";
import { listParked, replayParked } from "./replay-parked.ts";
import { resolveRoutes } from "./resolve-routes.ts";

export function createActivities(deps: ActivityDependencies): EventActivities & BulkActivities {
  return {
    attemptDelivery: atBoundary("attemptDelivery", deps.log, async (input) => await attemptDelivery(deps, input)),
    resolveRoutes: atBoundary("resolveRoutes", deps.log, async (input) => await resolveRoutes(deps, input)),
    planDelivery: atBoundary("planDelivery", deps.log, async (input) => await planDelivery(deps, input)),
    examineBallots: atBoundary("examineBallots", deps.log, async (input) => await examineBallots(deps, input)),
    reconcileDelivery: atBoundary("reconcileDelivery", deps.log, async (input) => await reconcileDelivery(deps, input)),
    notifyPeople: atBoundary("notifyPeople", deps.log, async (notice) => await notifyPeople(deps, notice)),
    ensureLane: atBoundary("ensureLane", deps.log, async ({ endpoint }) => await ensureLane(deps, endpoint)),
    listParked: atBoundary("listParked", deps.log, async (order) => await listParked(deps, order)),
    replayParked: atBoundary("replayParked", deps.log, async (batch) => await replayParked(deps, batch)),
  };
}
