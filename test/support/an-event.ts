/** Builders of what `get` answers: attempts, deliveries, events. */
import type { EventReport } from "../../src/client/get-event.ts";
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import type { DeliveryStatus } from "../../src/delivery/event-state.ts";

export function anAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    number: 1,
    at: "2026-11-29T10:00:00.123Z",
    durationMs: 12,
    outcome: "delivered",
    certainty: "answered",
    status: 200,
    code: "http_200",
    via: "local",
    ...changes,
  };
}

export function aDelivery(changes: Partial<DeliveryStatus> = {}): DeliveryStatus {
  const attempts = changes.attempts ?? [anAttempt()];
  return {
    endpoint: "crm",
    state: "delivered",
    idempotencyKey: "cs1_x",
    revision: 1,
    attemptCount: attempts.length,
    lastCode: attempts.at(-1)?.code ?? null,
    nextAt: null,
    waitingFor: null,
    attempts,
    proposal: null,
    decisions: [],
    attention: null,
    resolutions: [],
    ...changes,
  };
}

export function aReport(changes: Partial<EventReport> = {}): EventReport {
  const deliveries = changes.deliveries ?? [aDelivery()];
  return {
    v: 1,
    key: "shop/evt_1",
    source: "shop",
    id: "evt_1",
    type: "order.created",
    acceptedAt: "2026-11-29T10:00:00.000Z",
    fingerprint: `sha256:${"0".repeat(64)}`,
    state: deliveries[0]?.state ?? "accepted",
    deliveries,
    conflicts: [],
    ...changes,
  };
}
