/** What comes to the doors of this process, and how it is answered. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { AuthenticationFailure } from "../access/authenticate.ts";
import type { RefusalReason } from "../signing/verdict.ts";
import { createLabelNames, OTHER, wordOf } from "./label-names.ts";
import { SECONDS_BUCKETS } from "./seconds.ts";

/** What became of one event at a door. */
export type IngestResult = "accepted" | "duplicate" | "conflict" | "unrouted" | "refused" | "unavailable";

export interface DoorMetrics {
  /** Shows the configured ones with 0, so that the first of a kind is an increase and no new series; at most 200 are told apart. */
  expectAtDoor(names: { readonly sources: readonly string[]; readonly schemes: readonly string[] }): void;
  /** `source` is a configured name; null = none, or one nobody configured. */
  ingested(source: string | null, result: IngestResult): void;
  signatureRefused(labels: { readonly scheme: string; readonly reason: string }): void;
  /** A provider that signs no id sent a body it had sent under another one. */
  suspicious(source: string): void;
  keyRefused(reason: string): void;
  /** `route` is a pattern, never a path. */
  answered(labels: { readonly method: string; readonly route: string; readonly status: number }, seconds: number): void;
}

const NO_SOURCE = "unknown";

const RESULTS: Readonly<Record<IngestResult, true>> = {
  accepted: true,
  duplicate: true,
  conflict: true,
  unrouted: true,
  refused: true,
  unavailable: true,
};

const SIGNATURE_REASONS: Readonly<Record<RefusalReason, true>> = {
  missing_header: true,
  malformed_header: true,
  unknown_version: true,
  timestamp_missing: true,
  timestamp_malformed: true,
  timestamp_too_old: true,
  timestamp_too_new: true,
  signature_mismatch: true,
  no_active_secret: true,
  body_malformed: true,
  certificate_untrusted: true,
  topic_untrusted: true,
};

const KEY_REASONS: Readonly<Record<AuthenticationFailure, true>> = {
  missing: true,
  malformed: true,
  unknown: true,
  expired: true,
};

export function createDoorMetrics(registry: Registry): DoorMetrics {
  const { requests, duplicates, signatures, suspicions, keys } = doorCounters(registry);
  const [sourceName, schemeName] = [createLabelNames(), createLabelNames()];
  return {
    expectAtDoor({ sources, schemes }) {
      for (const source of [...sources, NO_SOURCE].map(sourceName))
        for (const result of Object.keys(RESULTS)) requests.inc({ source, result }, 0);
      for (const source of sources.map(sourceName))
        for (const match of ["same", "other_body"]) duplicates.inc({ source, match }, 0);
      for (const source of sources.map(sourceName)) suspicions.inc({ source }, 0);
      for (const scheme of schemes.map(schemeName))
        for (const reason of Object.keys(SIGNATURE_REASONS)) signatures.inc({ scheme, reason }, 0);
      for (const reason of Object.keys(KEY_REASONS)) keys.inc({ reason }, 0);
    },
    ingested(given, result) {
      const source = sourceName(given ?? NO_SOURCE);
      requests.inc({ source, result: wordOf(RESULTS, result) });
      if (result === "duplicate") duplicates.inc({ source, match: "same" });
      if (result === "conflict") duplicates.inc({ source, match: "other_body" });
    },
    signatureRefused: ({ scheme, reason }) =>
      signatures.inc({ scheme: schemeName(scheme), reason: wordOf(SIGNATURE_REASONS, reason) }),
    suspicious: (source) => suspicions.inc({ source: sourceName(source) }),
    keyRefused: (reason) => keys.inc({ reason: wordOf(KEY_REASONS, reason) }),
    answered: createAnswered(registry),
  };
}

function doorCounters(registry: Registry) {
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  return {
    requests: counter("ingest_requests_total", "Events that came to a door, by what became of them", [
      "source",
      "result",
    ]),
    duplicates: counter(
      "ingest_duplicates_total",
      "Events whose id was used before, by whether the content was the same",
      ["source", "match"],
    ),
    signatures: counter("ingest_signature_failures_total", "Provider requests whose signature did not verify", [
      "scheme",
      "reason",
    ]),
    suspicions: counter(
      "ingest_suspicious_total",
      "Equal bodies under different ids, of providers that do not sign the id",
      ["source"],
    ),
    keys: counter("key_failures_total", "Requests without a valid API key", ["reason"]),
  };
}

/** RFC 9110 §15.5.6. */
const METHOD_NOT_ALLOWED = 405;
const NO_ROUTE = "none";
/** More than there are; what asks for them is a fault of ours, and must not cost a series per request. */
const [MAX_METHODS, MAX_ROUTES, MAX_STATUSES] = [10, 60, 40];

/** Labels as the OpenTelemetry conventions for HTTP have them. */
function createAnswered(registry: Registry): DoorMetrics["answered"] {
  const durations = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "From the headers of a request to its answer",
    labelNames: ["http_request_method", "http_route", "http_response_status_code"],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  const [methodName, routeName] = [createLabelNames(MAX_METHODS), createLabelNames(MAX_ROUTES)];
  const statusName = createLabelNames(MAX_STATUSES);
  return ({ method, route, status }, seconds) => {
    // Which of the wrong methods a stranger tried is worth no series of its own, and each has nineteen.
    const wasWrong = status === METHOD_NOT_ALLOWED || route === NO_ROUTE;
    const labels = {
      http_request_method: wasWrong ? OTHER : methodName(method),
      http_route: routeName(route),
      http_response_status_code: statusName(String(status)),
    };
    durations.observe(labels, seconds);
  };
}
