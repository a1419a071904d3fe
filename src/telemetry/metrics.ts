/** The counters and gauges of a process, as Prometheus reads them. Labels come from closed sets or from the configuration. */
import { Registry } from "prom-client";
import { createDeliveryMetrics, type DeliveryMetrics } from "./delivery-metrics.ts";
import { createDoorMetrics, type DoorMetrics } from "./door-metrics.ts";
import { createLookupMetrics, type LookupMetrics } from "./lookup-metrics.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { createWaitingMetrics, type WaitingMetrics } from "./waiting-metrics.ts";

export type { IngestResult } from "./door-metrics.ts";
export type { WaitingEvents, WaitingGroup, WaitingReason } from "./waiting-metrics.ts";

export interface Metrics extends DoorMetrics, DeliveryMetrics, LookupMetrics, WaitingMetrics {
  /** Text of the Prometheus exposition format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const parts = {
    ...createDoorMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createLookupMetrics(registry),
    ...createWaitingMetrics(registry),
  };
  addProcessMetrics(registry);
  return { ...parts, text: async () => await registry.metrics(), contentType: registry.contentType };
}
