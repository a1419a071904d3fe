/** Finds out what became of an attempt whose outcome is uncertain: asks a URL or a handler, sends nothing. */
import { activityInfo, cancellationSignal } from "@temporalio/activity";
import type { LookupResult, ReconcileInput } from "../delivery/activity-shapes.ts";
import { amendedEvent } from "../delivery/amendment.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { askAgainAfterMs, type LookupRecord } from "../delivery/lookup.ts";
import { eventKey } from "../delivery/names.ts";
import type { DeliverySettings } from "../delivery/plan.ts";
import type { ActivityDependencies, LookupLine } from "./dependencies.ts";
import { quietly } from "./handler-attempt.ts";
import { whileBeating } from "./heartbeat.ts";
import { askHandler } from "./lookup-by-handler.ts";
import { askUrl } from "./lookup-by-url.ts";
import { ownEvent } from "./own-event.ts";
import { TryAgain } from "./try-again.ts";

/** Everything the asking needs to know. */
export interface DueLookup {
  readonly event: BusinessEvent;
  readonly endpoint: string;
  /** Of the attempt it is about. */
  readonly number: number;
  readonly settings: DeliverySettings;
  readonly signal: AbortSignal;
}

/** What came of asking once. */
export interface LookupAnswered extends Pick<LookupRecord, "found" | "code" | "status" | "matched" | "reference"> {
  readonly retryAfterMs: number | null;
}

/**
 * The activity body. As for attempts, this worker's own configuration says who is asked and under which
 * key; where that knows nothing (any more), a person must look.
 */
export async function reconcileDelivery(deps: ActivityDependencies, input: ReconcileInput): Promise<LookupResult> {
  const { endpoint, number, revision, amendment = null } = input;
  const event = await ownEvent(deps, input.event);
  const planned = deps.routing.delivery({ event, endpoint, revision, amendment });
  const by = deps.routing.endpoint(endpoint)?.reconcile?.kind ?? "url";
  const started = { ms: deps.now(), at: performance.now() };
  const answered = await whileBeating(
    planned.kind === "withheld"
      ? Promise.resolve(NOT_CONFIGURED)
      : ask(deps, {
          event: amendedEvent(event, amendment),
          endpoint,
          number,
          settings: planned.settings,
          signal: stopSignal(deps),
        }),
  );
  const { attempt: tries } = activityInfo();
  const { retryAfterMs: _hint, ...facts } = answered;
  const durationMs = Math.round(performance.now() - started.at);
  const record = { attempt: number, at: new Date(started.ms).toISOString(), durationMs, tries, by, ...facts };
  quietly(() => deps.log.lookedUp(lineOf(event, endpoint, record)), undefined);
  requireFinding(answered, tries);
  return { endpoint, record };
}

function lineOf({ source, id }: BusinessEvent, endpoint: string, record: LookupRecord): LookupLine {
  const { attempt, tries, by, found, code, status = null, durationMs } = record;
  return { key: eventKey(source, id), endpoint, attempt, tries, by, found, code, status, durationMs };
}

const NOT_CONFIGURED: LookupAnswered = { found: "unclear", code: "not_configured", retryAfterMs: null };

async function ask(deps: ActivityDependencies, due: DueLookup): Promise<LookupAnswered> {
  const reconcile = deps.routing.endpoint(due.endpoint)?.reconcile ?? null;
  if (reconcile === null) return NOT_CONFIGURED;
  return reconcile.kind === "url" ? await askUrl(deps, due) : await askHandler(deps, due, reconcile.handler);
}

/** Throws where it is worth asking once more: the server does so, after that time. */
function requireFinding(answered: LookupAnswered, tries: number): void {
  if (answered.found !== "unclear") return;
  const { code, status = null, retryAfterMs } = answered;
  throwIfUnwanted();
  const afterMs = askAgainAfterMs({ code, status, retryAfterMs }, tries);
  if (afterMs === null) return;
  throw new TryAgain(`The lookup does not tell yet (${code})`, { type: "lookup_open", afterMs });
}

/** Somebody has ended the delivery: nobody wants to know any more. */
function throwIfUnwanted(): void {
  const { aborted, reason } = cancellationSignal();
  if (aborted && reason instanceof Error && reason.message === "CANCELLED") throw reason;
}

/** A question may be cut at any time. */
function stopSignal(deps: ActivityDependencies): AbortSignal {
  return AbortSignal.any([deps.stopping, cancellationSignal()]);
}
