/** The bytes an event delivers, and JSON read back from them. */
import { decodeBase64 } from "./base64.ts";
import { contentTypeOf, isJsonContentType } from "./content-type.ts";
import type { BusinessEvent, JsonValue } from "./event.ts";

export interface EventBody {
  readonly contentType: string;
  /** Empty when the event has neither `data` nor `data_base64`. */
  readonly bytes: Uint8Array;
}

const EMPTY = new Uint8Array(0);
const encoder = new TextEncoder();

/**
 * What is sent for an event, byte for byte.
 *
 * A text under a content type that is not JSON is its UTF-8 bytes; every other
 * `data` is its JSON; `data_base64` is what it encodes. An event that passed
 * `parseEvent` holds only base64 that decodes; any other gives no bytes.
 */
export function bodyOf(event: BusinessEvent): EventBody {
  const contentType = contentTypeOf(event);
  if (event.data_base64 !== undefined) return { contentType, bytes: decodeBase64(event.data_base64) ?? EMPTY };
  if (event.data === undefined) return { contentType, bytes: EMPTY };
  const isText = typeof event.data === "string" && !isJsonContentType(contentType);
  return { contentType, bytes: encoder.encode(isText ? event.data : JSON.stringify(event.data)) };
}

/** A byte order mark stays; throws where the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Reads bytes as JSON; undefined when they are not UTF-8 without a byte order mark, or not JSON. */
export function parseJsonBody(bytes: Uint8Array): JsonValue | undefined {
  try {
    return JSON.parse(utf8Text(bytes)) as JsonValue; // what JSON.parse returns is JSON
  } catch {
    return undefined;
  }
}
