/** Builders for decisions about deliveries: small values with everything a test does not care about filled in. */
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import type { EventIdentity } from "../../src/delivery/event-identity.ts";
import type { DeliverySettings, EventPlan } from "../../src/delivery/plan.ts";
import { QUICK_RETRY } from "../../src/delivery/policy.ts";

/** Where the clocks of these tests start: a full second, so that times read well. */
export const NOON_MS = Date.parse("2026-11-29T12:00:00.000Z");

export const at = (afterMs: number): string => new Date(NOON_MS + afterMs).toISOString();

/** Settings of an ordinary endpoint under the quick policy, without jitter. */
export function someSettings(changes: Partial<DeliverySettings> = {}): DeliverySettings {
  return {
    idempotencyKey: "cs1_test",
    configVersion: "sha256:test",
    idempotent: true,
    isolated: false,
    lane: false,
    retry: { ...QUICK_RETRY, jitter: 0 },
    totalMs: 20_000,
    ...changes,
  };
}

/** A first local attempt answered with 503. */
export function anAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    number: 1,
    at: at(0),
    durationMs: 10,
    outcome: "retry",
    certainty: "answered",
    status: 503,
    code: "http_503",
    via: "local",
    ...changes,
  };
}

export function aDeliveredAttempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return anAttempt({ outcome: "delivered", status: 200, code: "http_200", ...changes });
}

export function anIdentity(changes: Partial<EventIdentity> = {}): EventIdentity {
  return { key: "shop/evt_1", source: "shop", id: "evt_1", type: "order.created", synthetic: false, ...changes };
}

/** One delivery to each of these endpoints, keyed by its name. */
export function aPlan(endpoints: readonly string[], changes: Partial<DeliverySettings> = {}): EventPlan {
  const deliveries = endpoints.map((endpoint) => ({
    endpoint,
    settings: someSettings({ idempotencyKey: `cs1_${endpoint}`, ...changes }),
  }));
  return { fingerprint: "sha256:test", deliveries };
}
