/** What a workflow asks of its workers about one delivery: told from its progress alone. */
import type { AttemptInput, ExamineInput, PlanInput, ReconcileInput } from "./activity-shapes.ts";
import type { Way } from "./attempt.ts";
import type { Asked } from "./ballots.ts";
import type { BusinessEvent } from "./event.ts";
import { grantOf } from "./grant.ts";
import { type Delivery, nextRevisionOf } from "./progress.ts";

/** Null = too large to repeat: the worker reads it from the run's first event. */
type RepeatedEvent = BusinessEvent | null;

export function planInputOf(delivery: Delivery, event: RepeatedEvent): PlanInput {
  return { v: 1, endpoint: delivery.endpoint, event, revision: nextRevisionOf(delivery), ...amendmentOf(delivery) };
}

export function examineInputOf(
  delivery: Asked,
  { event, key }: { readonly event: RepeatedEvent; readonly key: string },
): ExamineInput {
  const { digest, revision, terms } = delivery.approval.draft;
  const ballots = delivery.ballots.map(({ sequence, action, actor, digest: seen, signature }) => ({
    sequence,
    action,
    actor,
    digest: seen,
    signature,
  }));
  const nextRevision = nextRevisionOf(delivery);
  return { ...planInputOf(delivery, event), revision, nextRevision, digest, rules: terms.rules, key, ballots };
}

export function reconcileInputOf(delivery: Delivery, event: RepeatedEvent): ReconcileInput {
  return { ...planInputOf(delivery, event), number: delivery.attempts.length };
}

export function attemptInputOf(
  delivery: Delivery,
  { number, via, event }: { readonly number: number; readonly via: Way; readonly event: RepeatedEvent },
): AttemptInput {
  const { endpoint, settings, attempts, spentAttempts } = delivery;
  const grant = grantOf(delivery);
  const nextRevision = nextRevisionOf(delivery);
  return {
    v: 1,
    endpoint,
    number,
    via,
    settings,
    event,
    lastStatus: attempts.at(-1)?.status ?? null,
    ...(grant === null ? {} : { approval: grant }),
    ...(spentAttempts === 0 ? {} : { replayed: true }),
    // Without one a worker that asks would propose the first revision, also where that was used.
    ...(nextRevision === 1 ? {} : { nextRevision }),
    ...amendmentOf(delivery),
  };
}

function amendmentOf({ amendment }: Delivery): Pick<PlanInput, "amendment"> {
  return amendment === null ? {} : { amendment };
}
