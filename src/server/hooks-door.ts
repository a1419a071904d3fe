/** `POST /v1/hooks/{source}`: a provider's webhook, verified over its raw bytes before anything is parsed. */
import { isContentType, isJsonContentType } from "../delivery/content-type.ts";
import type { IncomingHeaders } from "../signing/single-header.ts";
import type { ProviderEvent, UnreadableReason } from "../signing/verify/provider-event.ts";
import { readProviderEvent } from "../signing/verify/read-provider-event.ts";
import type { WebhookRequest } from "../signing/verify/scheme.ts";
import { verifyWebhook } from "../signing/verify/verify-webhook.ts";
import { createBodyMemory } from "./body-memory.ts";
import { encodedBody, essenceOf, isUtf8 } from "./content-mode.ts";
import { acknowledge } from "./hook-answer.ts";
import { type Problem, problemResponse } from "./problem.ts";
import { withBody } from "./read-body.ts";
import { headersOf, oneHeader } from "./request-headers.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";
import { type Hook, takeIn, takeInAll, turnAway } from "./take-in-hook.ts";

export function createHooksDoor(server: ServerContext): Answer {
  const bodies = createBodyMemory();
  return async (context) => {
    const source = context.req.param("source") ?? "";
    const scheme = server.schemes.get(source);
    if (scheme === undefined) return problemResponse(NO_HOOK);
    const headers = headersOf(context);
    const encoded = encodedBody(headers);
    if (encoded !== null) return problemResponse(encoded);
    return await withBody(
      server,
      { context, maxBytes: server.limits.maxHookBytes, whose: "stranger" },
      async (rawBody) => {
        const request = { headers, rawBody, url: targetOf(context), nowMs: server.now() };
        return await answerHook(server, { source, scheme, bodies }, request);
      },
    );
  };
}

/** As it came over the wire where there is one: reading a URL escapes characters that a provider signed as they are. */
function targetOf({ env, req }: HttpContext): string {
  return env?.incoming?.url ?? req.url;
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
  if (contentType === null) return problemResponse(turnAway(server, source, UNREADABLE_TYPE));
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
      // An empty text is a body too, which 204 may not have.
      return new Response(body === "" ? null : body, { status, headers: { ...headers } });
    }
    case "unreadable":
      return problemResponse(turnAway(server, hook.source, unreadable(found.because)));
    case "event":
      return acknowledge(hook.scheme, [
        await takeIn(server, hook, { event: found, contentType, rawBody: request.rawBody }),
      ]);
    case "batch":
      return acknowledge(hook.scheme, await takeInAll(server, hook, { found, request }));
  }
}

function unreadable(because: UnreadableReason): Problem {
  const code = because === "id_missing" ? "bad_id" : "bad_event";
  return {
    status: 400,
    code,
    detail: `The request is genuine, but no event of its provider: ${because}.`,
    members: { because },
  };
}
