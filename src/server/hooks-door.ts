/** `POST /v1/hooks/{source}`: a provider's webhook, verified over its raw bytes before anything is parsed. */
import { eventFromBody } from "../client/read-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { isContentType, isJsonContentType } from "../delivery/content-type.ts";
import type { IncomingHeaders } from "../signing/single-header.ts";
import type { ProviderEvent, SingleEvent, UnreadableReason } from "../signing/verify/provider-event.ts";
import { readProviderEvent } from "../signing/verify/read-provider-event.ts";
import type { WebhookRequest } from "../signing/verify/scheme.ts";
import type { VerifyScheme } from "../signing/verify/settings.ts";
import { verifyWebhook } from "../signing/verify/verify-webhook.ts";
import { encodedBody, essenceOf, isUtf8 } from "./content-mode.ts";
import { acknowledge, type Fate, fateOf } from "./hook-answer.ts";
import { acceptEvent } from "./accept-event.ts";
import { type Problem, problemOf, problemResponse, unavailable } from "./problem.ts";
import { withBody } from "./read-body.ts";
import { headersOf, oneHeader } from "./request-headers.ts";
import type { Answer, ServerContext } from "./server-context.ts";

/** A source and how its provider signs. */
interface Hook {
  readonly source: string;
  readonly scheme: VerifyScheme;
}

export function createHooksDoor(server: ServerContext): Answer {
  return async (context) => {
    const source = context.req.param("source") ?? "";
    const scheme = server.schemes.get(source);
    if (scheme === undefined) return problemResponse(NO_HOOK);
    const headers = headersOf(context);
    const encoded = encodedBody(headers);
    if (encoded !== null) return problemResponse(encoded);
    return await withBody(server, { context, maxBytes: server.limits.maxHookBytes }, async (rawBody) => {
      const { pathname, search } = new URL(context.req.url);
      const request = { headers, rawBody, url: `${pathname}${search}`, nowMs: server.now() };
      return await answerHook(server, { source, scheme }, request);
    });
  };
}

const NO_HOOK: Problem = { status: 404, code: "unknown_source", detail: "No source of this name takes webhooks here." };

async function answerHook(server: ServerContext, hook: Hook, request: WebhookRequest): Promise<Response> {
  const { source, scheme } = hook;
  const verdict = verifyWebhook(scheme, request);
  if (!verdict.verified) {
    const { because: reason } = verdict;
    server.metrics.signatureRefused({ scheme: scheme.scheme, reason });
    server.log.warn({ source, scheme: scheme.scheme, reason }, "signature.refused");
    return problemResponse({ status: 401, code: "bad_signature", detail: SIGNATURE, members: { reason } });
  }
  const contentType = contentTypeOf(hook, request.headers);
  if (contentType === null) return problemResponse(UNREADABLE_TYPE);
  return await answerEvent(server, hook, { request, contentType, found: readProviderEvent(scheme, request) });
}

const SIGNATURE = "The signature of this request does not verify; it was not read.";

const UNREADABLE_TYPE: Problem = {
  status: 415,
  code: "unsupported_media_type",
  detail: "The body must come as application/json in UTF-8, or as application/x-www-form-urlencoded.",
};

/** Null = neither JSON nor a form. Amazon SNS labels its JSON as text. */
function contentTypeOf({ scheme }: Hook, headers: IncomingHeaders): string | null {
  if (scheme.scheme === "sns") return "application/json";
  const text = oneHeader(headers, "content-type");
  if (text === null || !isContentType(text)) return null;
  if (isJsonContentType(text)) return isUtf8(text) ? text : null;
  return essenceOf(text) === "application/x-www-form-urlencoded" ? text : null;
}

interface Found {
  readonly request: WebhookRequest;
  readonly contentType: string;
  readonly found: ProviderEvent;
}

async function answerEvent(
  server: ServerContext,
  hook: Hook,
  { request, contentType, found }: Found,
): Promise<Response> {
  switch (found.kind) {
    case "handshake": {
      const { status, headers, body, advice } = found;
      if (advice !== undefined) server.log.warn({ source: hook.source, advice }, "hook.handshake");
      return new Response(body, { status, headers: { ...headers } });
    }
    case "unreadable":
      server.metrics.ingested(hook.source, "refused");
      return problemResponse(unreadable(found.because));
    case "event":
      return acknowledge(hook.scheme, [
        await takeIn(server, hook, { event: found, contentType, rawBody: request.rawBody }),
      ]);
    case "batch":
      return acknowledge(hook.scheme, await takeInAll(server, hook, { found, request }));
  }
}

interface Batch {
  readonly found: Extract<ProviderEvent, { readonly kind: "batch" }>;
  readonly request: WebhookRequest;
}

/** Up to the first that another try may help: the provider sends the whole batch again then. */
async function takeInAll(server: ServerContext, hook: Hook, { found, request }: Batch): Promise<readonly Fate[]> {
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

function unreadable(because: UnreadableReason): Problem {
  const code = because === "id_missing" ? "bad_id" : "bad_event";
  return {
    status: 400,
    code,
    detail: `The request is genuine, but no event of its provider: ${because}.`,
    members: { because },
  };
}

interface Arrival {
  readonly event: SingleEvent;
  readonly contentType: string;
  readonly rawBody: Uint8Array;
}

async function takeIn(server: ServerContext, { source }: Hook, arrival: Arrival): Promise<Fate> {
  const event = readArrival(source, arrival);
  if ("problem" in event) {
    server.metrics.ingested(source, "refused");
    return { fate: "refused", problem: event.problem };
  }
  const { volatileMembers } = arrival.event;
  return fateOf(await acceptEvent(server, event.event, { via: "hook", volatileMembers }));
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
