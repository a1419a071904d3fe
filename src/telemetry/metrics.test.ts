/** Names, types and labels are what dashboards and alerts are built on; the number of series has an end. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { familiesOf, labelsOf, seriesOf } from "../../test/support/metrics-text.ts";
import { createMetrics, type IngestResult, type Metrics } from "./metrics.ts";

const WAITING = {
  needsAttention: new Map([["refused", { count: 2, oldestAgeSeconds: 90 }]] as const),
  approvals: { count: 3, oldestAgeSeconds: 60 },
  readAtMs: 1_700_000_000_000,
};

function used(): Metrics {
  const metrics = createMetrics();
  metrics.ingested("shop", "conflict");
  metrics.signatureRefused({ scheme: "stripe", reason: "signature_mismatch" });
  metrics.suspicious("github");
  metrics.keyRefused("expired");
  metrics.attempted({ endpoint: "crm", outcome: "delivered", durationMs: 12 });
  metrics.attemptLost();
  metrics.gateChanged({ endpoint: "crm", state: "tripped" });
  metrics.lookedUp({ endpoint: "crm", found: "absent" });
  metrics.answered({ method: "POST", route: "/v1/events", status: 202 }, 0.012);
  metrics.waiting(WAITING);
  return metrics;
}

test("names, types and labels stay as they are: a change breaks dashboards", async () => {
  const text = await used().text();
  const labels = labelsOf(text);
  const shown = [...familiesOf(text)].map(([name, type]) => `${type} ${name} {${(labels.get(name) ?? []).join(", ")}}`);
  expect(shown).toEqual([
    "counter countersign_ingest_requests_total {source, result}",
    "counter countersign_ingest_duplicates_total {source, match}",
    "counter countersign_ingest_signature_failures_total {scheme, reason}",
    "counter countersign_ingest_suspicious_total {source}",
    "counter countersign_key_failures_total {reason}",
    "histogram http_server_request_duration_seconds {http_request_method, http_route, http_response_status_code}",
    "counter countersign_delivery_attempts_total {endpoint, outcome}",
    "histogram countersign_delivery_duration_seconds {outcome}",
    "counter countersign_attempts_lost_total {}",
    "counter countersign_gate_changes_total {endpoint, state}",
    "counter countersign_lookups_total {endpoint, found}",
    "gauge countersign_needs_attention {reason}",
    "gauge countersign_needs_attention_oldest_age_seconds {reason}",
    "gauge countersign_approvals_pending {}",
    "gauge countersign_approvals_oldest_age_seconds {}",
    "gauge countersign_waiting_read_timestamp_seconds {}",
    "gauge process_start_time_seconds {}",
    "gauge process_resident_memory_bytes {}",
    "counter process_cpu_seconds_total {}",
    "counter nodejs_eventloop_time_seconds_total {nodejs_eventloop_state}",
  ]);
});

test("durations are in seconds, in the buckets of the conventions and two for slow receivers", async () => {
  const series = seriesOf(await used().text());
  const prefix = 'countersign_delivery_duration_seconds_bucket{le="';
  const buckets = [...series.keys()].flatMap((name) => (name.startsWith(prefix) ? [name.split('"')[1]] : []));
  expect(buckets.join(" ")).toBe("0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 15 30 +Inf");
  expect(series.get('countersign_delivery_duration_seconds_sum{outcome="delivered"}')).toBe(0.012);
});

test("a duplicate and a conflict are counted as what came in, and as what they were", async () => {
  const metrics = createMetrics();
  for (const result of ["duplicate", "conflict", "conflict", "accepted"] as const) metrics.ingested("shop", result);
  const series = seriesOf(await metrics.text());
  expect(series.get('countersign_ingest_requests_total{source="shop",result="conflict"}')).toBe(2);
  expect(series.get('countersign_ingest_duplicates_total{source="shop",match="same"}')).toBe(1);
  expect(series.get('countersign_ingest_duplicates_total{source="shop",match="other_body"}')).toBe(2);
});

test("what is expected stands there with 0, so that the first of its kind is seen as an increase", async () => {
  const metrics = createMetrics();
  expect(seriesOf(await metrics.text()).has('countersign_key_failures_total{reason="missing"}')).toBe(false);
  metrics.expectAtDoor({ sources: ["shop"], schemes: ["stripe"] });
  metrics.expectAttempts(["crm"]);
  metrics.expectLookups(["payments"]);
  const series = seriesOf(await metrics.text());
  for (const name of [
    'countersign_ingest_requests_total{source="shop",result="unrouted"}',
    'countersign_ingest_requests_total{source="unknown",result="refused"}',
    'countersign_ingest_duplicates_total{source="shop",match="other_body"}',
    'countersign_ingest_signature_failures_total{scheme="stripe",reason="signature_mismatch"}',
    'countersign_key_failures_total{reason="expired"}',
    'countersign_delivery_attempts_total{endpoint="crm",outcome="uncertain"}',
    'countersign_gate_changes_total{endpoint="crm",state="tripped"}',
    'countersign_lookups_total{endpoint="payments",found="unclear"}',
  ])
    expect([name, series.get(name)]).toEqual([name, 0]);
});

describe("the number of series", () => {
  /** Everything that takes a text, with texts of a stranger. */
  const flood = (metrics: Metrics, text: string): void => {
    metrics.ingested(text, text as IngestResult); // a caller that was not compiled with ours
    metrics.signatureRefused({ scheme: text, reason: text });
    metrics.suspicious(text);
    metrics.keyRefused(text);
    metrics.attempted({ endpoint: text, outcome: text, durationMs: 1 });
    metrics.gateChanged({ endpoint: text, state: text });
    metrics.lookedUp({ endpoint: text, found: text });
    metrics.answered({ method: text, route: text, status: 200 }, 1);
  };

  test("stays flat when thousands of names come that nobody configured", async () => {
    const metrics = createMetrics();
    metrics.expectAtDoor({ sources: ["shop"], schemes: ["stripe"] });
    metrics.expectAttempts(["crm"]);
    metrics.expectLookups(["crm"]);
    metrics.attempted({ endpoint: "crm", outcome: "delivered", durationMs: 1 });
    for (let at = 0; at < 1000; at += 1) flood(metrics, `name-${at}`);
    const before = seriesOf(await metrics.text()).size;
    for (let at = 1000; at < 5000; at += 1) flood(metrics, `name-${at}`);
    metrics.ingested("shop", "accepted");
    const series = seriesOf(await metrics.text());
    expect(series.size).toBe(before);
    expect(series.get('countersign_delivery_attempts_total{endpoint="other",outcome="other"}')).toBeGreaterThan(4000);
    // The configured ones are never among the others.
    expect(series.get('countersign_ingest_requests_total{source="shop",result="accepted"}')).toBe(1);
    expect(series.get('countersign_delivery_attempts_total{endpoint="crm",outcome="delivered"}')).toBe(1);
  });

  test("stays flat when a configuration has more names than a metrics server should bear", async () => {
    const metrics = createMetrics();
    const names = Array.from({ length: 3000 }, (_, at) => `e-${at}`);
    metrics.expectAttempts(names);
    for (const endpoint of names) metrics.attempted({ endpoint, outcome: "delivered", durationMs: 1 });
    const series = [...seriesOf(await metrics.text())].filter(([name]) => name.includes("_attempts_total{"));
    expect(series).toHaveLength(201 * 5);
    const delivered = series.filter(([name]) => name.includes('"delivered"')).map(([, value]) => value);
    expect(delivered.reduce((sum, value) => sum + value)).toBe(3000);
  });

  test("does not grow with the methods that strangers try at a route, nor with the paths they guess", async () => {
    const metrics = createMetrics();
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      metrics.answered({ method, route: "/v1/events", status: 405 }, 1);
      metrics.answered({ method, route: "none", status: 404 }, 1);
    }
    const counts = [...seriesOf(await metrics.text())].filter(([name]) => name.includes("duration_seconds_count{http"));
    expect(counts.map(([, value]) => value)).toEqual([5, 5]);
  });
});

test("whatever a label is given, the text stays one a scraper can read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 80 }), async (text) => {
      const metrics = createMetrics();
      metrics.attempted({ endpoint: text, outcome: "retry", durationMs: 5 });
      const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith("countersign_delivery_att"));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        /^countersign_delivery_attempts_total\{endpoint="(?:[^"\\]|\\.)*",outcome="retry"\} 1$/u,
      );
    }),
    { numRuns: 200 },
  );
});

describe("what waits for a person", () => {
  const shown = async (metrics: Metrics) =>
    [...seriesOf(await metrics.text())].filter(([name]) => /needs_attention|approvals|waiting/.test(name));

  test("is not shown by a process that has never read it: 0 would be a claim", async () => {
    expect(await shown(createMetrics())).toEqual([]);
  });

  test("is replaced as a whole by what was read next", async () => {
    const metrics = used();
    metrics.waiting({ ...WAITING, needsAttention: new Map([["tls-invalid", { count: 1, oldestAgeSeconds: 5 }]]) });
    expect(await shown(metrics)).toEqual([
      ['countersign_needs_attention{reason="tls-invalid"}', 1],
      ['countersign_needs_attention_oldest_age_seconds{reason="tls-invalid"}', 5],
      ["countersign_approvals_pending", 3],
      ["countersign_approvals_oldest_age_seconds", 60],
      ["countersign_waiting_read_timestamp_seconds", 1_700_000_000],
    ]);
  });

  test("of an age that nobody can tell is shown without one", async () => {
    const metrics = createMetrics();
    const group = { count: 1500, oldestAgeSeconds: null };
    metrics.waiting({ ...WAITING, needsAttention: new Map([["other", group]]), approvals: group });
    expect(await shown(metrics)).toEqual([
      ['countersign_needs_attention{reason="other"}', 1500],
      ["countersign_approvals_pending", 1500],
      ["countersign_waiting_read_timestamp_seconds", 1_700_000_000],
    ]);
  });

  test("goes away once it is not known any more; when it was last known stays", async () => {
    const metrics = used();
    metrics.waiting(null);
    expect(await shown(metrics)).toEqual([["countersign_waiting_read_timestamp_seconds", 1_700_000_000]]);
  });
});

test("the process tells its age, its memory, and what its processor and event loop did", async () => {
  const series = seriesOf(await createMetrics().text());
  const nowSeconds = Date.now() / 1000;
  expect(series.get("process_start_time_seconds")).toBeGreaterThan(nowSeconds - 3600);
  expect(series.get("process_start_time_seconds")).toBeLessThanOrEqual(nowSeconds);
  expect(series.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(series.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(series.get('nodejs_eventloop_time_seconds_total{nodejs_eventloop_state="active"}')).toBeGreaterThan(0);
});
