/** What a worker of this process does, on the counters of this process. */
import type { Config } from "../config/config.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { WorkerSettings } from "../worker/start-worker.ts";

type Counters = Required<Pick<WorkerSettings, "onAttempt" | "onLookup" | "onLostAttempt" | "onGate">>;

export function countersOf({ attempted, lookedUp, attemptLost, gateChanged }: Metrics): Counters {
  return { onAttempt: attempted, onLookup: lookedUp, onLostAttempt: attemptLost, onGate: gateChanged };
}

/** Shows with 0 what may come to be counted of these endpoints. */
export function expectEndpoints(metrics: Metrics, config: Config, names: readonly string[]): void {
  metrics.expectAttempts(names);
  metrics.expectLookups(names.filter((name) => (config.endpoints[name]?.reconcile ?? null) !== null));
}
