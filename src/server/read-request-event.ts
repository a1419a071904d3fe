/** The event of a request, from its bytes and headers: as exact as the command line reads it, and by the same code. */
import { eventFromBody, readEvent } from "../client/read-event.ts";
import type { Config } from "../config/config.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { EVENT_MEMBERS } from "../delivery/event-members.ts";
import { CountersignError } from "../errors.ts";
import type { IncomingHeaders } from "../signing/single-header.ts";
import { readAttributes } from "./cloud-event-headers.ts";
import type { ContentMode } from "./content-mode.ts";
import { configuredId } from "./event-id.ts";
import { oneHeader } from "./request-headers.ts";

export interface EventRequest {
  readonly config: Config;
  readonly headers: IncomingHeaders;
  readonly body: Uint8Array;
  /** Of the `Idempotency-Key`; null = none. */
  readonly idempotencyKey: string | null;
}

/** The most any endpoint may accept; each endpoint's own limit is checked with its route. */
const MAX_BODY_BYTES = 1024 * 1024;
const LIMIT = { maxBodyBytes: MAX_BODY_BYTES };

/** Throws what `readEvent` and `eventFromBody` throw. */
export function readRequestEvent(
  request: EventRequest,
  mode: Extract<ContentMode, { readonly mode: "event" | "binary" }>,
): BusinessEvent {
  const event = mode.mode === "binary" ? readBinary(request, mode.contentType) : readWhole(request, mode);
  requireOneId(event, request.idempotencyKey);
  const traceparent = event.traceparent ?? traceparentOf(request.headers);
  return traceparent === undefined ? event : { ...event, traceparent };
}

function readWhole(
  { body, config, idempotencyKey }: EventRequest,
  { isCloudEvent }: Extract<ContentMode, { readonly mode: "event" }>,
): BusinessEvent {
  const idFor = (members: Readonly<Record<string, unknown>>) => idempotencyKey ?? configuredId(config, members);
  const event = readEvent(body, { ...LIMIT, idFor });
  return isCloudEvent ? requireVersion(event) : event;
}

/** One item of a batch, in the JSON text it was written in. */
export function readBatchItem({ config }: Pick<EventRequest, "config">, text: string): BusinessEvent {
  const idFor = (members: Readonly<Record<string, unknown>>) => configuredId(config, members);
  return requireVersion(readEvent(new TextEncoder().encode(text), { ...LIMIT, idFor }));
}

function readBinary({ body, config, headers, idempotencyKey }: EventRequest, contentType: string | undefined) {
  const { id, synthetic, ...attributes } = readAttributes(headers);
  const given = id ?? idempotencyKey ?? configuredId(config, { ...attributes, ...dataOf(body, contentType) });
  return eventFromBody(
    { ...attributes, id: given ?? missingId(), contentType, body, ...(synthetic ? { synthetic } : {}) },
    LIMIT,
  );
}

function dataOf(body: Uint8Array, datacontenttype: string | undefined): Readonly<Record<string, unknown>> {
  return { datacontenttype, data_base64: Buffer.from(body).toString("base64") };
}

function missingId(): never {
  throw new CountersignError(
    "bad_id",
    "The event has no id: send ce-id or Idempotency-Key, or configure idFrom for its source",
  );
}

/** CloudEvents 1.0.2 §3.1: required, and the only version we read. */
function requireVersion(event: BusinessEvent): BusinessEvent {
  if (event.specversion !== undefined) return event;
  throw new CountersignError("bad_event", 'Event member "specversion" is missing; accepted: "1.0".');
}

function requireOneId({ id }: BusinessEvent, idempotencyKey: string | null): void {
  if (idempotencyKey === null || idempotencyKey === id) return;
  throw new CountersignError(
    "bad_id",
    "The event has an id of its own and the header Idempotency-Key names another one; accepted: one of them, or the same",
  );
}

/** W3C Trace Context §4.3: what does not parse is passed over. */
function traceparentOf(headers: IncomingHeaders): string | undefined {
  const text = oneHeader(headers, "traceparent");
  return text !== null && EVENT_MEMBERS.traceparent.problem(text) === null ? text : undefined;
}
