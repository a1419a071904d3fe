/** The last step of a stop: the connection to Temporal. */
import { setTimeout as pause } from "node:timers/promises";
import type { ConnectedCountersign } from "../client/connect.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import type { Capacity } from "./capacity.ts";

/** Two seconds more than a call to Temporal may take. */
const CALM_WITHIN_MS = 12 * SECOND_MS;
const LOOK_EVERY_MS = 50;

/**
 * Closes it once nothing is asked of Temporal any more: what an answer no longer waits for may still be on its way.
 *
 * A call that is tried again on a closed connection throws where nobody can catch it (@temporalio/client 1.24), and
 * ends the process with an error. So what takes longer than it may keeps its connection, which ends with the process.
 */
export async function closeClient(
  countersign: Pick<ConnectedCountersign, "close">,
  capacity: Pick<Capacity, "isIdle">,
  withinMs: number = CALM_WITHIN_MS,
): Promise<void> {
  const endsAtMs = performance.now() + withinMs;
  while (!capacity.isIdle()) {
    if (performance.now() >= endsAtMs) return;
    await pause(LOOK_EVERY_MS);
  }
  await countersign.close();
}
