/** Progress → the event state of the contract. */
import {
  type DeliveryStatus,
  type EventState,
  isTerminal,
  mostUrgent,
  type PendingWord,
  type WaitingFor,
} from "./event-state.ts";
import type { Delivery, EventProgress } from "./progress.ts";
import type { Instruction } from "./resolve.ts";

/** The state as `get`, HTTP, CLI and the workflow's result show it; conflicts are added by `get`. */
export function project(progress: EventProgress): EventState {
  const { key, source, id, type } = progress.event;
  const deliveries = progress.deliveries.map(statusOf);
  return {
    v: 1,
    key,
    source,
    id,
    type,
    acceptedAt: progress.acceptedAt,
    fingerprint: progress.fingerprint,
    state: mostUrgent(deliveries.map((delivery) => delivery.state)),
    deliveries,
    conflicts: [],
  };
}

function statusOf(delivery: Delivery): DeliveryStatus {
  const last = delivery.attempts.at(-1);
  return {
    endpoint: delivery.endpoint,
    state: delivery.state,
    idempotencyKey: delivery.settings.idempotencyKey,
    revision: 1,
    attemptCount: delivery.attempts.length,
    lastCode: last?.code ?? null,
    nextAt: delivery.wait === null ? null : new Date(delivery.wait.untilMs).toISOString(),
    waitingFor: waitingFor(delivery),
    attempts: delivery.attempts,
    proposal: null,
    decisions: [],
    attention: delivery.attention,
    resolutions: delivery.resolutions,
    ...(delivery.pending.length === 0 ? {} : { pending: delivery.pending.map(pendingWordOf) }),
  };
}

function pendingWordOf({ action, actor, atMs }: Instruction): PendingWord {
  return { action, actor, at: new Date(atMs).toISOString() };
}

function waitingFor(delivery: Delivery): WaitingFor | null {
  if (delivery.wait !== null) return delivery.wait.why;
  if (delivery.inFlight !== null || isTerminal(delivery.state) || delivery.attention !== null) return null;
  return "worker";
}
