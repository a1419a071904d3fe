/** What an attempt, or the lookup after it, makes of its delivery: finished, parked, waiting, or looked into. */
import { adviceFor, type AttentionReason } from "./attention.ts";
import { executed } from "./approval-fold.ts";
import type { AttemptRecord } from "./attempt.ts";
import type { LookupRecord } from "./lookup.ts";
import { type AttemptsSoFar, nextStep, type Step } from "./next-step.ts";
import type { DeliverySettings } from "./plan.ts";
import type { Delivery, RetryWait } from "./progress.ts";

/** Of the event, and when the workflow heard of it. */
export interface Heard {
  /** A synthetic event is tried once and never parked. */
  readonly synthetic: boolean;
  readonly atMs: number;
}

/** Takes the attempt into the record, under the settings it was made with, and decides what follows. */
export function settle(
  delivery: Delivery,
  { record, settings = delivery.settings }: { readonly record: AttemptRecord; readonly settings?: DeliverySettings },
  heard: Heard,
): Delivery {
  const { configVersion } = settings;
  const changed = configVersion === delivery.settings.configVersion ? {} : { configVersion };
  const made = { ...record, ...changed };
  const begun = { ...delivery, settings, approval: executed(delivery.approval, record) };
  const soFar = { ...begun, attempts: [...delivery.attempts, made] };
  const step = nextStep(budgetOf(soFar, heard));
  return take(soFar, step, { atMs: heard.atMs, endMs: Date.parse(record.at) + record.durationMs });
}

/** What the lookup has found; nothing where somebody ended the delivery meanwhile. */
export function reconcile(delivery: Delivery, lookup: LookupRecord, heard: Heard): Delivery {
  if (delivery.state !== "reconciling") return delivery;
  const known = { ...delivery, lookups: [...delivery.lookups, lookup] };
  const moment = { atMs: heard.atMs, endMs: heard.atMs };
  switch (lookup.found) {
    case "delivered":
      return take(known, { do: "finish", state: "delivered" }, moment);
    case "absent":
      return take(known, nextStep({ ...budgetOf(known, heard), absent: true }), moment);
    case "unclear":
      return take(known, { do: "park", reason: "outcome-uncertain" }, moment);
  }
}

/** Nothing was found out, and nothing will be: a person must look. */
export function giveUpLookup(delivery: Delivery, atMs: number): Delivery {
  if (delivery.state !== "reconciling") return delivery;
  return take(delivery, { do: "park", reason: "outcome-uncertain" }, { atMs, endMs: atMs });
}

function budgetOf({ settings, attempts, spentAttempts, heldMs }: Delivery, { synthetic }: Heard): AttemptsSoFar {
  return { settings, budget: attempts.slice(spentAttempts), synthetic, heldMs };
}

interface Moment {
  /** By the workflow's clock. */
  readonly atMs: number;
  /** When that ended which the step follows from: an attempt by the clock of its worker. */
  readonly endMs: number;
}

function take(delivery: Delivery, step: Step, moment: Moment): Delivery {
  switch (step.do) {
    case "finish":
      return { ...delivery, state: step.state, wait: null, attention: null };
    case "look-up":
      return { ...delivery, state: "reconciling", wait: null, attention: null };
    case "park":
      return park(delivery, step.reason, moment.endMs);
    case "wait":
      return waiting(delivery, step, moment);
  }
}

function waiting(
  delivery: Delivery,
  { delayMs, why }: Extract<Step, { do: "wait" }>,
  { atMs, endMs }: Moment,
): Delivery {
  const last = delivery.attempts.at(-1);
  const untilMs = endMs + delayMs;
  const hintMs = last?.retryAfterMs;
  // During a local attempt the workflow's clock lags behind by what its task took to be handed out.
  const sinceMs = Math.max(atMs, endMs);
  const notBeforeMs = hintMs === undefined ? null : sinceMs + Math.ceil(hintMs);
  const wait: RetryWait = { untilMs, delayMs, why, endsAtMs: sinceMs + delayMs, notBeforeMs };
  const attempts = delivery.attempts.map((attempt) =>
    attempt === last ? { ...attempt, nextAt: new Date(untilMs).toISOString() } : attempt,
  );
  const { hold } = delivery;
  if (hold !== null) return { ...delivery, attempts, state: "delivering", wait: null, hold: { ...hold, wait } };
  return { ...delivery, attempts, state: "waiting-retry", wait };
}

function park(delivery: Delivery, reason: AttentionReason, atMs: number): Delivery {
  const { endpoint, attempts, lookups } = delivery;
  const lastAttempt = attempts.at(-1) ?? null;
  const lookup = lookups.findLast(({ attempt }) => attempt === lastAttempt?.number);
  const advice = adviceFor({ reason, endpoint, lastAttempt, ...(lookup === undefined ? {} : { lookup }) });
  const attention = { reason, since: new Date(atMs).toISOString(), advice };
  return { ...delivery, state: "needs-attention", wait: null, attention };
}

/** An attempt whose worker vanished with it: it may have had its effect. */
export function loseAttempt(delivery: Delivery, heard: Heard): Delivery {
  const { atMs } = heard;
  const sinceMs = delivery.inFlight?.sinceMs ?? atMs;
  const record: AttemptRecord = {
    number: delivery.attempts.length + 1,
    at: new Date(sinceMs).toISOString(),
    durationMs: Math.max(0, atMs - sinceMs),
    outcome: "uncertain",
    certainty: "unknown",
    code: "worker_lost",
    via: delivery.inFlight?.via ?? "local",
  };
  return settle({ ...delivery, leftLocal: true }, { record }, heard);
}
