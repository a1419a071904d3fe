/** Replacing the body or the endpoint of a delivery that has had no effect yet. */
import { decodeBase64 } from "./base64.ts";
import { contentTypeOf, isJsonContentType } from "./content-type.ts";
import type { BusinessEvent, JsonValue } from "./event.ts";
import { jsonProblem } from "./json-value.ts";
import { isName } from "./names.ts";
import { type Delivery, withoutProposal } from "./progress.ts";

/** What the message asks for; at least one member is present. */
export interface AmendedContent {
  readonly data?: JsonValue;
  readonly data_base64?: string;
  readonly endpoint?: string;
}

/** Reads it out of an untrusted argument; null when it asks for nothing, for two bodies, or for what cannot be. */
export function readAmendedContent(argument: Readonly<Record<string, unknown>>): AmendedContent | null {
  const { data, data_base64: bytes, endpoint } = argument;
  if (data !== undefined && bytes !== undefined) return null;
  if (data === undefined && bytes === undefined && endpoint === undefined) return null;
  // As at the door for events: deeper nesting could not be written out again.
  if (data !== undefined && jsonProblem(data) !== null) return null;
  if (bytes !== undefined && (typeof bytes !== "string" || decodeBase64(bytes) === null)) return null;
  if (endpoint !== undefined && (typeof endpoint !== "string" || !isName(endpoint))) return null;
  return {
    // Just been found to be JSON.
    ...(data === undefined ? {} : { data: data as JsonValue }),
    ...(bytes === undefined ? {} : { data_base64: bytes }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/**
 * Whether no attempt can have had an effect: nothing was sent, or the endpoint refused it.
 * An answer that asks to come back proves less than it seems, so it counts as an effect.
 */
export function nothingWasExecuted({ attempts }: Pick<Delivery, "attempts">): boolean {
  return attempts.every(({ certainty, outcome }) => certainty === "not-sent" || outcome === "refused");
}

/** The next revision of the delivery; whatever was decided on the old one no longer counts. */
export function amend(
  delivery: Delivery,
  content: AmendedContent,
  { actor, atMs }: { readonly actor: string; readonly atMs: number },
): Delivery {
  const { amendment: earlier, endpoint: before } = delivery;
  const revision = delivery.revision + 1;
  const { endpoint = before, ...body } = content;
  const kept = Object.keys(body).length > 0 ? body : bodyOfAmendment(earlier);
  return {
    ...withoutProposal(delivery, { because: "amended", atMs }),
    endpoint,
    formerEndpoints: endpoint === before ? delivery.formerEndpoints : [...delivery.formerEndpoints, before],
    revision,
    amendment: { revision, actor, from: earlier?.from ?? before, ...kept },
    state: "accepted",
    wait: null,
    attention: null,
    unplanned: true,
    leftLocal: true,
    spentAttempts: delivery.attempts.length,
    heldMs: 0,
  };
}

function bodyOfAmendment(earlier: Delivery["amendment"]): Pick<AmendedContent, "data" | "data_base64"> {
  if (earlier?.data_base64 !== undefined) return { data_base64: earlier.data_base64 };
  return earlier?.data === undefined ? {} : { data: earlier.data };
}

/** The event as an amended delivery sends it. */
export function amendedEvent(event: BusinessEvent, amendment: Delivery["amendment"]): BusinessEvent {
  if (amendment === null || (amendment.data === undefined && amendment.data_base64 === undefined)) return event;
  const { data: _data, data_base64: _bytes, ...rest } = event;
  if (amendment.data_base64 !== undefined) return { ...rest, data_base64: amendment.data_base64 };
  const { data = null } = amendment;
  const isText = typeof data === "string" || isJsonContentType(contentTypeOf(event));
  return { ...rest, data, ...(isText ? {} : { datacontenttype: "application/json" }) };
}
