/** The attempt itself: a request to a URL or a call of a handler, timed and recorded. */
import { cancellationSignal } from "@temporalio/activity";
import type { AttemptRecord } from "../delivery/attempt.ts";
import { bodyOf } from "../delivery/body.ts";
import { clockDifferenceMs } from "../delivery/clock-difference.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { eventKey } from "../delivery/names.ts";
import type { Answer } from "../egress/exchange.ts";
import type { DueAttempt } from "./attempt-delivery.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { callHandler } from "./handler-attempt.ts";
import { judgeExchange, requestFor } from "./http-attempt.ts";
import { logFailure } from "./log-failure.ts";

/** Below this, waiting in a lane is only the time it takes to be handed out. */
const HELD_FROM_MS = 1000;

export async function makeAttempt(deps: ActivityDependencies, due: DueAttempt): Promise<AttemptRecord> {
  const startedMs = deps.now();
  const started = performance.now();
  const handler = deps.routing.endpoint(due.endpoint)?.handler ?? null;
  const verdict = handler === null ? await overHttp(deps, due) : await byHandler(deps, due, handler);
  const held = due.via === "lane" && due.heldMs >= HELD_FROM_MS ? { heldMs: due.heldMs } : {};
  return {
    number: due.number,
    at: new Date(startedMs).toISOString(),
    durationMs: Math.round(performance.now() - started),
    ...verdict,
    via: due.via,
    ...held,
  };
}

async function overHttp(deps: ActivityDependencies, due: DueAttempt): Promise<ReturnType<typeof judgeExchange>> {
  const endpoint = deps.routing.resolved(due.endpoint);
  const request = requestFor({
    event: due.event,
    endpoint,
    idempotencyKey: due.settings.idempotencyKey,
    userAgent: deps.userAgent,
    nowMs: deps.now(),
    lastStatus: due.lastStatus,
    signal: stopSignal(deps, due),
  });
  const exchange = await deps.send(request);
  const nowMs = deps.now();
  if (exchange.kind === "answer") compareClocks(deps, due.endpoint, { ...exchange, nowMs });
  return judgeExchange({ exchange, endpoint, nowMs });
}

/** A clock that is off makes receivers refuse our signatures, whosever it is. To fail here would send again. */
function compareClocks(
  { log }: ActivityDependencies,
  endpoint: string,
  { date, nowMs, elapsedMs }: Answer & { readonly nowMs: number },
): void {
  const differenceMs = clockDifferenceMs({ responseDate: date, nowMs, elapsedMs });
  if (differenceMs === null) return;
  try {
    log.clockDiffers({ endpoint, differenceMs });
  } catch (error) {
    logFailure(log, { activity: "attemptDelivery", code: "log_failed", error });
  }
}

async function byHandler(
  deps: ActivityDependencies,
  due: DueAttempt,
  reference: string,
): Promise<Awaited<ReturnType<typeof callHandler>>> {
  const handler = deps.handlers.get(reference);
  if (handler === undefined) throw new TypeError(`Handler ${reference} is not registered in this worker`);
  const { event, number, settings } = due;
  const key = eventKey(event.source, event.id);
  return await callHandler({
    handler,
    input: inputOf(event),
    context: { event, idempotencyKey: settings.idempotencyKey, attempt: number },
    idempotent: settings.idempotent,
    totalMs: settings.totalMs,
    stopping: stopSignal(deps, due),
    onError: (error) => deps.log.handlerFailed({ key, handler: reference, error }),
  });
}

/** What a handler gets: JSON is handed over parsed; anything else as text when it came as text, else as bytes. */
export function inputOf(event: BusinessEvent): unknown {
  if (event.data !== undefined) return event.data;
  const { contentType, bytes } = bodyOf(event);
  return isJsonContentType(contentType) && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : bytes;
}

/** A local attempt is never canceled from the workflow: its answer must not get lost. */
function stopSignal(deps: ActivityDependencies, due: DueAttempt): AbortSignal {
  return due.via === "local" ? deps.stopping : AbortSignal.any([deps.stopping, unlessAsked(cancellationSignal())]);
}

/** A workflow takes back only work that nobody has begun; a request on its way goes on, and its answer counts. */
function unlessAsked(signal: AbortSignal): AbortSignal {
  const cut = new AbortController();
  const onAbort = (): void => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof Error && reason.message === ASKED_BY_WORKFLOW)) cut.abort(reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return cut.signal;
}

/** As the SDK names it; the others say that the worker stops or that the server has given the attempt up. */
const ASKED_BY_WORKFLOW = "CANCELLED";
