/** What an endpoint's workflow has done: its gate applied to lane and registry, and a look at the lane. */
import { ActivityFailure, proxyActivities, sleep } from "@temporalio/workflow";
import type { EndpointActivities } from "../activities/contract.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { gateShown, sameGate } from "../delivery/gates/gate-entry.ts";
import { applySummary } from "../delivery/gates/gate-words.ts";
import { laneRateOf } from "../delivery/gates/lane-rate.ts";
import type { EndpointRun } from "./endpoint-run.ts";

/** Finds out whether anything waits that could try the endpoint; a failure is no answer. */
export async function lookAtLane({ control }: EndpointRun): Promise<number | null> {
  const { lookAtLane: look } = proxyActivities<EndpointActivities>({
    startToCloseTimeout: 10 * SECOND_MS,
    scheduleToCloseTimeout: 60 * SECOND_MS,
    retry: { initialInterval: SECOND_MS, maximumAttempts: TRIES },
    summary: `${control.endpoint}: does anything wait on the lane?`,
  });
  try {
    return (await look({ endpoint: control.endpoint })).held;
  } catch (error) {
    if (error instanceof ActivityFailure) return null;
    throw error;
  }
}

/** Tries of one state; then the state of that time. */
const TRIES = 3;
const AGAIN_MS = 5 * SECOND_MS;

export function isApplied({ applied, control }: EndpointRun): boolean {
  const rate = laneRateOf(control, Date.now());
  return applied !== null && applied.rate === rate && sameGate(applied.gate, gateShown(control));
}

/** One at a time, always the newest: what changes meanwhile is seen by the next look. */
export async function applyGate(run: EndpointRun): Promise<void> {
  const { control } = run;
  const rate = laneRateOf(control, Date.now());
  const gate = gateShown(control);
  const reason = applySummary(control, Date.now());
  const { applyGate: apply } = proxyActivities<EndpointActivities>({
    startToCloseTimeout: 10 * SECOND_MS,
    scheduleToCloseTimeout: 60 * SECOND_MS,
    retry: { initialInterval: SECOND_MS, maximumAttempts: TRIES },
    summary: reason,
  });
  const asked = { gate, rate };
  run.applied = asked;
  try {
    await apply({ v: 1, endpoint: control.endpoint, gate, ratePerSecond: rate, reason });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    if (run.applied === asked) run.applied = null;
    await sleep(AGAIN_MS, { summary: `${control.endpoint}: lane and registry could not be told, again in 5 s` });
  }
}
