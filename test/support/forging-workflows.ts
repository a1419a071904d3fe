/** What somebody with access to the namespace can do: a workflow of their own that hands work to our workers. */
import { proxyActivities } from "@temporalio/workflow";
import type { EventActivities } from "../../src/activities/contract.ts";
import type { AttemptInput } from "../../src/delivery/activity-shapes.ts";
import type { AttemptResult } from "../../src/delivery/facts.ts";

/** Puts one attempt on our task queue, as if an event had come so far. */
export async function forge(taskQueue: string, input: AttemptInput): Promise<AttemptResult> {
  const { attemptDelivery } = proxyActivities<Pick<EventActivities, "attemptDelivery">>({
    taskQueue,
    startToCloseTimeout: "30s",
    retry: { maximumAttempts: 1 },
  });
  return await attemptDelivery(input);
}
