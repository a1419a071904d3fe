/** Steering one delivery: end its wait now, stop it, let it go on. */
import type { ResolutionAction } from "./event-state.ts";
import type { Delivery, RetryWait } from "./progress.ts";
import type { Instruction, Judgement } from "./resolve.ts";

export type SteeringAction = Extract<ResolutionAction, "hurry" | "hold" | "release">;

/** Whether the word could be about this delivery, where it names none. */
export function isSteerable(action: SteeringAction, { wait, hold }: Delivery): boolean {
  switch (action) {
    case "hurry":
      return wait !== null;
    case "hold":
      return hold === null;
    case "release":
      return hold !== null;
  }
}

/**
 * Of a delivery that has not ended. `hold` and `release` wait for an attempt in flight, so that
 * their verdict tells what came of it and they count in the order in which they were said;
 * `hurry` never ends a wait before the time that the endpoint asked for.
 */
export function judgeSteering(action: SteeringAction, delivery: Delivery, atMs: number): Judgement {
  const { inFlight, hold, wait } = delivery;
  switch (action) {
    case "hold":
      if (inFlight !== null) return { verdict: "wait" };
      return hold === null ? { verdict: "counts" } : { verdict: "refused", because: "held" };
    case "release":
      if (inFlight !== null) return { verdict: "wait" };
      return hold === null ? { verdict: "refused", because: "not-held" } : { verdict: "counts" };
    case "hurry":
      if (inFlight !== null) return { verdict: "refused", because: "attempt-in-flight" };
      if (hold !== null) return { verdict: "refused", because: "held" };
      if (wait === null) return { verdict: "refused", because: "not-waiting" };
      return isAsShortAsCanBe(wait, atMs) ? { verdict: "refused", because: "retry-after" } : { verdict: "counts" };
  }
}

function isAsShortAsCanBe({ notBeforeMs, endsAtMs }: RetryWait, atMs: number): boolean {
  return notBeforeMs !== null && atMs < notBeforeMs && notBeforeMs >= endsAtMs;
}

/** What a word that counts makes of the delivery. */
export function steer(action: SteeringAction, delivery: Delivery, instruction: Instruction): Delivery {
  switch (action) {
    case "hurry":
      return delivery.wait === null ? delivery : { ...delivery, ...hurried(delivery.wait, instruction.atMs) };
    case "hold": {
      const { wait, state } = delivery;
      const { atMs: sinceMs, actor, reason } = instruction;
      const hold = { sinceMs, actor, reason, wait };
      return { ...delivery, state: wait === null ? state : "delivering", wait: null, hold };
    }
    case "release":
      return released(delivery, instruction.atMs);
  }
}

/** Now, or where that would be too early, at the time that the endpoint asked for. */
function hurried(wait: RetryWait, atMs: number): Pick<Delivery, "state" | "wait"> {
  const { notBeforeMs } = wait;
  if (notBeforeMs === null || atMs >= notBeforeMs) return { state: "delivering", wait: null };
  const askedForMs = notBeforeMs - (wait.endsAtMs - wait.delayMs);
  const delayMs = Math.min(askedForMs, notBeforeMs - atMs);
  const endMs = atMs + delayMs;
  const shortened: RetryWait = { untilMs: endMs, delayMs, why: "retry-after", endsAtMs: endMs, notBeforeMs: endMs };
  return { state: "waiting-retry", wait: shortened };
}

/** What is left of a wait that was interrupted; never more than all of it, however wrong a worker's clock was. */
function restOf(wait: RetryWait, atMs: number): RetryWait {
  const delayMs = Math.min(wait.delayMs, wait.endsAtMs - atMs);
  const shiftMs = wait.endsAtMs - (atMs + delayMs);
  const notBeforeMs = wait.notBeforeMs === null ? null : wait.notBeforeMs - shiftMs;
  return { ...wait, delayMs, endsAtMs: atMs + delayMs, notBeforeMs };
}

/**
 * A retry wait goes on for its rest. What the hold has cost beyond it is not held against
 * the time for retries.
 */
function released(delivery: Delivery, atMs: number): Delivery {
  const { hold, heldMs, attempts, spentAttempts } = delivery;
  if (hold === null) return delivery;
  const { wait, sinceMs } = hold;
  const free = { ...delivery, hold: null };
  if (wait !== null && wait.endsAtMs > atMs) return { ...free, state: "waiting-retry", wait: restOf(wait, atMs) };
  const costMs = Math.max(0, atMs - Math.max(sinceMs, wait?.endsAtMs ?? sinceMs));
  return attempts.length > spentAttempts ? { ...free, heldMs: heldMs + costMs } : free;
}
