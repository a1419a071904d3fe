/** What follows an attempt: finish, wait or park. The retry policy in one pure function. */
import { attentionFor, type AttentionReason } from "./attention.ts";
import type { AttemptRecord } from "./attempt.ts";
import { isCertificateCode } from "./classify-status.ts";
import type { DeliverySettings } from "./plan.ts";
import { computeDelayMs } from "./retry-delay.ts";

export type Step =
  | { readonly do: "finish"; readonly state: "delivered" | "discarded" }
  | { readonly do: "wait"; readonly delayMs: number; readonly why: "retry" | "retry-after" }
  /** Whether it had its effect is looked up first. */
  | { readonly do: "look-up" }
  | { readonly do: "park"; readonly reason: AttentionReason };

export interface AttemptsSoFar {
  readonly settings: DeliverySettings;
  /** Every attempt of the present budget, oldest first; never empty. A replay starts a new budget. */
  readonly budget: readonly AttemptRecord[];
  /** A synthetic event is tried once and never parked. */
  readonly synthetic: boolean;
  /** How long somebody held the delivery since the budget began, milliseconds; absent = nobody did. */
  readonly heldMs?: number;
  /** A lookup has found that the last attempt had no effect. */
  readonly absent?: boolean;
}

/** A certificate does not mend itself in minutes: three looks, then a person (RFC 5280 verdicts are final until somebody acts). */
const CERTIFICATE_TRIES = 3;
/** 421 allows one more try on another connection (RFC 9110 §15.5.20). */
const MISDIRECTED_TRIES = 2;

/** Decides what follows the last attempt of the budget. */
export function nextStep(soFar: AttemptsSoFar): Step {
  const { settings, budget, synthetic, absent = false } = soFar;
  const last = budget.at(-1);
  if (last === undefined) throw new RangeError("nextStep needs at least one attempt");
  if (last.outcome === "delivered") return { do: "finish", state: "delivered" };
  if (synthetic) return { do: "finish", state: "discarded" };
  if (last.outcome === "uncertain" && !settings.idempotent && !absent)
    return settings.reconcile === true ? { do: "look-up" } : { do: "park", reason: "outcome-uncertain" };
  const reason = reasonToPark(settings, budget, last);
  if (reason !== null) return { do: "park", reason };
  return waitOrPark(soFar, last);
}

function reasonToPark(
  settings: DeliverySettings,
  budget: readonly AttemptRecord[],
  last: AttemptRecord,
): AttentionReason | null {
  if (last.outcome === "refused") return attentionFor(last);
  if (endsWith(budget, CERTIFICATE_TRIES, (attempt) => isCertificateCode(attempt.code))) return "tls-invalid";
  if (endsWith(budget, MISDIRECTED_TRIES, (attempt) => attempt.status === 421)) return "refused";
  if ((last.retryAfterMs ?? 0) > settings.retry.retryAfterMaxMs) return "retry-after-too-long";
  return null;
}

function waitOrPark({ settings, budget, heldMs = 0 }: AttemptsSoFar, last: AttemptRecord): Step {
  const { retry } = settings;
  const used = budget.filter((attempt) => attempt.outcome !== "canceled").length;
  if (used > retry.scheduleMs.length) return { do: "park", reason: "attempts-exhausted" };
  const retryAfterMs = last.retryAfterMs ?? null;
  const delayMs = computeDelayMs({
    policy: retry,
    attemptInBudget: Math.max(1, used),
    retryAfterMs,
    seed: `${settings.idempotencyKey}:${last.number}`,
  });
  if (retry.windowMs !== null && elapsedMs(budget, last) - heldMs + delayMs > retry.windowMs) {
    return { do: "park", reason: "window-exceeded" };
  }
  const ownMs = retry.scheduleMs[Math.max(1, used) - 1] ?? 0;
  return { do: "wait", delayMs, why: retryAfterMs !== null && retryAfterMs > ownMs ? "retry-after" : "retry" };
}

function endsWith(
  budget: readonly AttemptRecord[],
  count: number,
  matches: (attempt: AttemptRecord) => boolean,
): boolean {
  return budget.length >= count && budget.slice(-count).every(matches);
}

/** From the first attempt's start to the last one's end, without the time that later ones were held in a lane. */
function elapsedMs(budget: readonly AttemptRecord[], last: AttemptRecord): number {
  const [first = last, ...later] = budget;
  const heldMs = later.reduce((sum, attempt) => sum + (attempt.heldMs ?? 0), 0);
  return Math.max(0, Date.parse(last.at) + last.durationMs - Date.parse(first.at) - heldMs);
}
