/** The attempts that workers of this process make. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { Outcome } from "../delivery/attempt.ts";
import type { GateChange } from "../delivery/gates/gate-entry.ts";
import { createLabelNames, wordOf } from "./label-names.ts";
import { SECONDS_BUCKETS } from "./seconds.ts";

export interface DeliveryMetrics {
  /** Shows the endpoints that are served here with 0, so that the first of a kind is an increase and no new series; at most 200 are told apart. */
  expectAttempts(endpoints: readonly string[]): void;
  attempted(attempt: { readonly endpoint: string; readonly outcome: string; readonly durationMs: number }): void;
  /** An attempt that was lost with its worker was found here. */
  attemptLost(): void;
  /** The gate of an endpoint has changed, and this process has applied it. */
  gateChanged(change: { readonly endpoint: string; readonly state: string }): void;
}

const OUTCOMES: Readonly<Record<Outcome, true>> = {
  delivered: true,
  retry: true,
  refused: true,
  uncertain: true,
  canceled: true,
};

const GATE_STATES: Readonly<Record<GateChange["state"], true>> = {
  open: true,
  paused: true,
  tripped: true,
  throttled: true,
  probing: true,
  ramping: true,
};

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: "countersign_delivery_attempts_total",
    help: "Attempts made by a worker of this process, by what they meant",
    labelNames: ["endpoint", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "countersign_delivery_duration_seconds",
    help: "One attempt, from its begin to its outcome",
    labelNames: ["outcome"],
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const lost = new Counter({
    name: "countersign_attempts_lost_total",
    help: "Attempts found here whose worker was lost with the request in flight",
    registers,
  });
  const gates = new Counter({
    name: "countersign_gate_changes_total",
    help: "Changes of what holds an endpoint, applied by a worker of this process, by the state it came into",
    labelNames: ["endpoint", "state"],
    registers,
  });
  const endpointName = createLabelNames();
  return {
    expectAttempts(endpoints) {
      for (const endpoint of endpoints.map(endpointName)) {
        for (const outcome of Object.keys(OUTCOMES)) attempts.inc({ endpoint, outcome }, 0);
        for (const state of Object.keys(GATE_STATES)) gates.inc({ endpoint, state }, 0);
      }
    },
    attempted({ endpoint, outcome: given, durationMs }) {
      const outcome = wordOf(OUTCOMES, given);
      attempts.inc({ endpoint: endpointName(endpoint), outcome });
      durations.observe({ outcome }, durationMs / 1000);
    },
    attemptLost: () => lost.inc(),
    gateChanged: ({ endpoint, state }) =>
      gates.inc({ endpoint: endpointName(endpoint), state: wordOf(GATE_STATES, state) }),
  };
}
