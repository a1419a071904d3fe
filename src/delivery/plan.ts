/**
 * The plan of an event: where it goes and under which settings.
 *
 * In a workflow's input it is a hint that saves a step, never an authority: the
 * attempt resolves the route again from the worker's own configuration.
 */
import { DAY_MS } from "./durations.ts";
import { isName } from "./names.ts";
import type { RetryPolicy } from "./policy.ts";

/** What the workflow must know of an endpoint to decide; no URL, no secret. */
export interface DeliverySettings {
  /** `cs1_…`, equal on every attempt, replay and producer retry. */
  readonly idempotencyKey: string;
  /** Digest of what the endpoint is; an attempt says under which one it ran. */
  readonly configVersion: string;
  readonly idempotent: boolean;
  readonly isolated: boolean;
  /** Rate, concurrency or order make the endpoint lane-only. */
  readonly lane: boolean;
  /** A person must approve first; absent = no. Only a hint: the attempt asks its own configuration. */
  readonly approval?: true;
  /** An uncertain outcome can be looked up; absent = a person must look. */
  readonly reconcile?: true;
  readonly retry: RetryPolicy;
  readonly totalMs: number;
}

export interface DeliveryPlan {
  readonly endpoint: string;
  readonly settings: DeliverySettings;
}

export interface EventPlan {
  /** `sha256:` + hex. */
  readonly fingerprint: string;
  /** Never empty, each endpoint once. */
  readonly deliveries: readonly DeliveryPlan[];
}

const MAX_DELIVERIES = 100;
const MAX_ATTEMPTS = 1000;
/** Beyond every configuration, and well within what a timer of the server takes. */
const MAX_DELAY_MS = 100 * 365 * DAY_MS;

type Members = Readonly<Record<string, unknown>>;

/** Reads a plan out of untrusted input; null when it is anything but a whole plan. */
export function parsePlan(value: unknown): EventPlan | null {
  if (!isMembers(value) || typeof value["fingerprint"] !== "string" || !Array.isArray(value["deliveries"])) return null;
  const deliveries = value["deliveries"].map(parseDelivery).filter((delivery) => delivery !== null);
  const names = new Set(deliveries.map((delivery) => delivery.endpoint));
  if (deliveries.length !== value["deliveries"].length || names.size !== deliveries.length) return null;
  if (deliveries.length === 0 || deliveries.length > MAX_DELIVERIES) return null;
  return { fingerprint: value["fingerprint"], deliveries };
}

function parseDelivery(value: unknown): DeliveryPlan | null {
  if (!isMembers(value)) return null;
  const { endpoint } = value;
  const settings = parseSettings(value["settings"]);
  if (typeof endpoint !== "string" || !isName(endpoint) || settings === null) return null;
  return { endpoint, settings };
}

function parseSettings(value: unknown): DeliverySettings | null {
  if (!isMembers(value)) return null;
  const { idempotencyKey, configVersion, idempotent, isolated, lane, totalMs } = value;
  const retry = parseRetry(value["retry"]);
  if (typeof idempotencyKey !== "string" || typeof configVersion !== "string" || retry === null) return null;
  if (typeof idempotent !== "boolean" || typeof isolated !== "boolean" || typeof lane !== "boolean") return null;
  if (!isDelay(totalMs)) return null;
  const approval = value["approval"] === true ? { approval: true as const } : {};
  const reconcile = value["reconcile"] === true ? { reconcile: true as const } : {};
  return { idempotencyKey, configVersion, idempotent, isolated, lane, ...approval, ...reconcile, retry, totalMs };
}

function parseRetry(value: unknown): RetryPolicy | null {
  if (!isMembers(value)) return null;
  const { scheduleMs, jitter, windowMs, retryAfterMaxMs } = value;
  if (!Array.isArray(scheduleMs) || scheduleMs.length >= MAX_ATTEMPTS || !scheduleMs.every(isDelay)) return null;
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) return null;
  if (windowMs !== null && !isDelay(windowMs)) return null;
  return isDelay(retryAfterMaxMs) ? { scheduleMs, jitter, windowMs, retryAfterMaxMs } : null;
}

function isDelay(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_DELAY_MS;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
