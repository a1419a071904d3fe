/** Progress → the event state of the contract. */
import type { Ballot } from "./approval.ts";
import type { BusinessEvent } from "./event.ts";
import {
  type DeliveryStateName,
  type DeliveryStatus,
  type EventState,
  isTerminal,
  mostUrgent,
  type PendingWord,
  type WaitingFor,
} from "./event-state.ts";
import { nextAction } from "./next-action.ts";
import { showProposal } from "./show-proposal.ts";
import type { Delivery, EventProgress } from "./progress.ts";
import type { Instruction } from "./resolve.ts";

/**
 * The state as `get`, HTTP, CLI and the workflow's result show it; conflicts are added by `get`.
 * `event` is what a proposal's body is shown of; null = it is left out, and says so.
 */
export function project(progress: EventProgress, event: BusinessEvent | null = null): EventState {
  const { key, source, id, type } = progress.event;
  const deliveries = progress.deliveries.map((delivery) => statusOf(delivery, event));
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

function statusOf(delivery: Delivery, event: BusinessEvent | null): DeliveryStatus {
  const last = delivery.attempts.at(-1);
  return {
    endpoint: delivery.endpoint,
    state: shownState(delivery),
    idempotencyKey: delivery.settings.idempotencyKey,
    revision: delivery.amendment?.revision ?? 1,
    attemptCount: delivery.attempts.length,
    lastCode: last?.code ?? null,
    nextAt: delivery.wait === null ? null : new Date(delivery.wait.untilMs).toISOString(),
    waitingFor: waitingFor(delivery),
    attempts: delivery.attempts,
    proposal: showProposal(delivery, event),
    ...(delivery.earlier.length === 0 ? {} : { earlierProposals: delivery.earlier }),
    decisions: delivery.decisions,
    attention: delivery.attention,
    resolutions: delivery.resolutions,
    ...(delivery.lookups.length === 0 ? {} : { lookups: delivery.lookups }),
    ...shownHold(delivery),
    ...pendingWords(delivery),
  };
}

/** Held is what only its hold keeps from going on. */
function shownState(delivery: Delivery): DeliveryStateName {
  return nextAction(delivery) === "await-release" ? "held" : delivery.state;
}

function shownHold({ hold, state }: Delivery): Pick<DeliveryStatus, "hold"> {
  if (hold === null || isTerminal(state)) return {};
  const { sinceMs, actor, reason } = hold;
  return { hold: { since: new Date(sinceMs).toISOString(), actor, reason } };
}

function pendingWords({ pending, ballots }: Delivery): { readonly pending?: readonly PendingWord[] } {
  const words = [...pending, ...ballots].map(pendingWordOf);
  return words.length === 0 ? {} : { pending: words };
}

function pendingWordOf({ action, actor, atMs }: Instruction | Ballot): PendingWord {
  return { action, actor, at: new Date(atMs).toISOString() };
}

function waitingFor(delivery: Delivery): WaitingFor | null {
  if (delivery.wait !== null) return delivery.wait.why;
  if (delivery.state === "awaiting-approval") return "approval";
  if (nextAction(delivery) === "await-release") return "gate";
  if (delivery.inFlight !== null || isTerminal(delivery.state) || delivery.attention !== null) return null;
  return delivery.state === "reconciling" ? null : "worker";
}
