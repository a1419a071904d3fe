/** The shortest workflows that deliver an event. No record of attempts, no policy, nobody to ask: the floor, not a rival. */
import { proxyActivities, proxyLocalActivities } from "@temporalio/workflow";
import type { BenchEvent } from "../scenario.ts";
import type { BareActivities, Posted } from "./activities.ts";

const regular = proxyActivities<BareActivities>({ startToCloseTimeout: "1 minute" });
const local = proxyLocalActivities<BareActivities>({ startToCloseTimeout: "1 minute" });

export async function plain(event: BenchEvent): Promise<Posted> {
  return await regular.post(event);
}

export async function floor(event: BenchEvent): Promise<Posted> {
  return await local.post(event);
}
