/** The counters and gauges of a process, as Prometheus reads them. Labels come from closed sets or from the configuration. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** What became of one event at a door. */
export type IngestResult = "accepted" | "duplicate" | "conflict" | "unrouted" | "refused" | "unavailable";

export interface Metrics {
  /** `source` is a configured name; null = none, or one nobody configured. */
  ingested(source: string | null, result: IngestResult): void;
  signatureRefused(labels: { readonly scheme: string; readonly reason: string }): void;
  keyRefused(reason: string): void;
  attempted(labels: { readonly endpoint: string; readonly outcome: string }): void;
  /** `route` is a pattern, never a path. */
  answered(labels: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
  /** Replaces what is known of the events that wait for a person. */
  waiting(waiting: WaitingEvents): void;
  /** Text of the Prometheus exposition format. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface WaitingEvents {
  /** By reason; reasons without events are absent. */
  readonly needsAttention: ReadonlyMap<string, WaitingGroup>;
  readonly approvals: WaitingGroup;
}

export interface WaitingGroup {
  readonly count: number;
  /** 0 when there is none. */
  readonly oldestAgeSeconds: number;
}

/** facts of the semantic conventions, and what webhooks may take. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 30];

const NO_SOURCE = "unknown";

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "countersign_ingest_requests_total",
    help: "Events that came to a door, by what became of them",
    labelNames: ["source", "result"],
    registers,
  });
  const duplicates = new Counter({
    name: "countersign_ingest_duplicates_total",
    help: "Events whose id was used before, by whether the content was the same",
    labelNames: ["source", "match"],
    registers,
  });
  const signatures = new Counter({
    name: "countersign_ingest_signature_failures_total",
    help: "Provider requests whose signature did not verify",
    labelNames: ["scheme", "reason"],
    registers,
  });
  const keys = new Counter({
    name: "countersign_key_failures_total",
    help: "Requests without a valid API key",
    labelNames: ["reason"],
    registers,
  });
  const attempts = new Counter({
    name: "countersign_delivery_attempts_total",
    help: "Attempts made by a worker of this process",
    labelNames: ["endpoint", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "From the headers of a request to its answer",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers,
  });
  const setWaiting = waitingGauges(registers);
  return {
    ingested(source, result) {
      const name = source ?? NO_SOURCE;
      requests.inc({ source: name, result });
      if (result === "duplicate") duplicates.inc({ source: name, match: "same" });
      if (result === "conflict") duplicates.inc({ source: name, match: "other_body" });
    },
    signatureRefused: (labels) => signatures.inc(labels),
    keyRefused: (reason) => keys.inc({ reason }),
    attempted: (labels) => attempts.inc(labels),
    answered: ({ method, route, status }, seconds) => durations.observe({ method, route, status }, seconds),
    waiting: setWaiting,
    text: async () => await registry.metrics(),
    contentType: registry.contentType,
  };
}

function waitingGauges(registers: Registry[]): Metrics["waiting"] {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames, registers });
  const attention = gauge("needs_attention", "Events parked for a person, of the newest 1,000", ["reason"]);
  const attentionAge = gauge("needs_attention_oldest_age_seconds", "Age of the oldest of them since it was accepted", [
    "reason",
  ]);
  const approvals = gauge("approvals_pending", "Events that wait for approval");
  const approvalsAge = gauge("approvals_oldest_age_seconds", "Age of the oldest proposal of the newest 1,000");
  return ({ needsAttention, approvals: pending }) => {
    attention.reset();
    attentionAge.reset();
    for (const [reason, { count, oldestAgeSeconds }] of needsAttention) {
      attention.set({ reason }, count);
      attentionAge.set({ reason }, oldestAgeSeconds);
    }
    approvals.set(pending.count);
    approvalsAge.set(pending.oldestAgeSeconds);
  };
}
