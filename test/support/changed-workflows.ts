/** Workflow code that differs from ours on purpose: it waits before it does anything. Replay must notice. */
import { sleep } from "@temporalio/workflow";
import type { EventState } from "../../src/delivery/event-state.ts";
import { event as unchanged } from "../../src/workflows/event.ts";

export async function event(input: unknown): Promise<EventState> {
  await sleep(1000);
  return await unchanged(input);
}
