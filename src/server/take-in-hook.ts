/** The events of a provider's request that was verified, on their way to Temporal. */
import { eventFromBody } from "../client/read-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { ProviderEvent, SingleEvent } from "../signing/verify/provider-event.ts";
import type { WebhookRequest } from "../signing/verify/scheme.ts";
import type { VerifyScheme } from "../signing/verify/settings.ts";
import { acceptEvent } from "./accept-event.ts";
import type { BodyMemory } from "./body-memory.ts";
import { type Fate, fateOf } from "./hook-answer.ts";
import { type Problem, problemOf, unavailable } from "./problem.ts";
import type { ServerContext } from "./server-context.ts";

/** A source and how its provider signs. */
export interface Hook {
  readonly source: string;
  readonly scheme: VerifyScheme;
  readonly bodies: BodyMemory;
}

/** Genuine, but nothing that can be taken: counted and on record before it is answered. */
export function turnAway({ metrics, log }: ServerContext, source: string, problem: Problem): Problem {
  metrics.ingested(source, "refused");
  log.warn({ source, code: problem.code, via: "hook", because: problem.members?.["because"] }, "event.refused");
  return problem;
}

export interface Batch {
  readonly found: Extract<ProviderEvent, { readonly kind: "batch" }>;
  readonly request: WebhookRequest;
}

/** Up to the first that another try may help: the provider sends the whole batch again then. */
export async function takeInAll(
  server: ServerContext,
  hook: Hook,
  { found, request }: Batch,
): Promise<readonly Fate[]> {
  const endsAtMs = Date.now() + server.limits.acceptTimeMs;
  const fates: Fate[] = [];
  for (let at = 0; at < found.events.length; at += AT_ONCE) {
    if (Date.now() >= endsAtMs) return [...fates, { fate: "refused", problem: unavailable("overloaded", TOO_LONG) }];
    const part = found.events
      .slice(at, at + AT_ONCE)
      .map(
        async (event) =>
          await takeIn(server, hook, { event, contentType: "application/json", rawBody: request.rawBody }),
      );
    fates.push(...(await Promise.all(part)));
    if (fates.some((fate) => fate.fate === "refused" && fate.problem.status >= 500)) return fates;
  }
  return fates;
}

/** Of one batch: a thousand one after the other would not be done in time, and never get further when sent again. */
const AT_ONCE = 16;
const TOO_LONG = "The batch took too long; send it again.";

export interface Arrival {
  readonly event: SingleEvent;
  readonly contentType: string;
  readonly rawBody: Uint8Array;
}

export async function takeIn(server: ServerContext, hook: Hook, arrival: Arrival): Promise<Fate> {
  const { source } = hook;
  const event = readArrival(source, arrival);
  if ("problem" in event) return { fate: "refused", problem: turnAway(server, source, event.problem) };
  noteSuspicion(server, hook, arrival);
  const { volatileMembers } = arrival.event;
  return fateOf(await acceptEvent(server, event.event, { via: "hook", volatileMembers }));
}

/** Whoever saw one request could send its body again under an id of his own. It may be chance, so it is taken all the same. */
function noteSuspicion(server: ServerContext, { source, scheme, bodies }: Hook, { event, rawBody }: Arrival): void {
  if (event.idIsSigned) return;
  const { id, body = rawBody } = event;
  const otherId = bodies.otherIdOf({ source, id, body });
  if (otherId === null) return;
  server.metrics.suspicious(source);
  server.log.warn({ source, scheme: scheme.scheme, id, otherId }, "hook.same_body_other_id");
}

/** What a provider calls an event need not be one here: a repeated member, a strange id. */
function readArrival(
  source: string,
  { event, contentType, rawBody }: Arrival,
): { readonly event: BusinessEvent } | { readonly problem: Problem } {
  const { id, type, time, subject, body } = event;
  const content = body === undefined ? { body: rawBody, contentType } : { body, contentType: "application/json" };
  try {
    return { event: eventFromBody({ source, id, type, time, subject, ...content }) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}
