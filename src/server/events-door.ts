/** `POST /v1/events`: our own producers, with an ingest key. */
import type { ApiKey } from "../config/config.ts";
import { acceptEvent } from "./accept-event.ts";
import { admitEvent } from "./admit-event.ts";
import type { Gatekeeper } from "./authorize.ts";
import { answerBatch } from "./batch-door.ts";
import { type ContentMode, contentModeOf, encodedBody } from "./content-mode.ts";
import { IDEMPOTENCY_KEY, readIdempotencyKey } from "./idempotency-key.ts";
import { problemResponse } from "./problem.ts";
import { withBody } from "./read-body.ts";
import { type EventRequest, readRequestEvent } from "./read-request-event.ts";
import { receiptResponse } from "./receipt-response.ts";
import { hasHeader, headersOf } from "./request-headers.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";

export function createEventsDoor(server: ServerContext, gatekeeper: Gatekeeper): Answer {
  return async (context) => {
    const authorization = await gatekeeper.authorize(context, "submit");
    if (authorization.kind === "refused") return problemResponse(authorization.problem);
    return await takeIn(server, { context, key: authorization.key });
  };
}

interface Sender {
  readonly context: HttpContext;
  readonly key: ApiKey;
}

/** Whatever the headers alone can be refused for is refused before the body is read. */
async function takeIn(server: ServerContext, { context, key }: Sender): Promise<Response> {
  const headers = headersOf(context);
  const encoded = encodedBody(headers);
  if (encoded !== null) return problemResponse(encoded);
  const mode = contentModeOf(headers);
  if (mode.mode === "unsupported") return problemResponse(mode.problem);
  const idempotency = readIdempotencyKey(headers);
  if (idempotency.read === "malformed")
    return problemResponse({ status: 400, code: "bad_id", detail: idempotency.detail });
  if (mode.mode === "batch" && hasHeader(headers, IDEMPOTENCY_KEY))
    return problemResponse({
      status: 400,
      code: "bad_id",
      detail: "A batch takes no Idempotency-Key: each event has its own id.",
    });
  return await withBody(server, { context, maxBytes: server.limits.maxEventBytes }, async (body) => {
    if (mode.mode === "batch") return await answerBatch(server, key, body);
    return await answerOne(server, key, {
      mode,
      request: { config: server.config, headers, body, idempotencyKey: idempotency.value },
    });
  });
}

interface Whole {
  readonly mode: Extract<ContentMode, { readonly mode: "event" | "binary" }>;
  readonly request: EventRequest;
}

async function answerOne(server: ServerContext, key: ApiKey, { mode, request }: Whole): Promise<Response> {
  const admission = admitEvent(server, key, () => readRequestEvent(request, mode));
  if (admission.kind === "refused") return problemResponse(admission.problem);
  const acceptance = await acceptEvent(server, admission.event, { via: "http" });
  return acceptance.kind === "refused" ? problemResponse(acceptance.problem) : receiptResponse(acceptance.receipt);
}
