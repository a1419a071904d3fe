/**
 * The bytes whose SHA-256 identifies content and deliveries; hashing happens elsewhere.
 *
 * Each field is preceded by its length in bytes as four bytes, most significant
 * first, so that no two lists of fields give the same bytes. Text is UTF-8.
 */
import { parseJsonBody } from "./body.ts";
import { isJsonContentType } from "./content-type.ts";
import { compactJsonBytes, withoutMembers } from "./json-text.ts";

export interface FingerprintedEvent {
  /** The configured name, never an alias. */
  readonly source: string;
  readonly id: string;
  readonly type: string;
  /** null = absent, which counts as an empty field. */
  readonly subject: string | null;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Top-level members of a JSON body that may change between two tellings of one fact; absent = none. */
  readonly volatileMembers?: readonly string[];
}

/**
 * What makes two events the same fact: fields `event.v1`, source, id, type, subject, content type, body.
 *
 * White space between the tokens of a JSON body does not count; the order of
 * members and the spelling of numbers do. Time, evidence, trace context and the
 * volatile members are not part of it.
 */
export function fingerprintInput(event: FingerprintedEvent): Uint8Array {
  const { source, id, type, subject, contentType, body, volatileMembers = [] } = event;
  const compactBody = isJsonContentType(contentType) ? compactJsonBytes(lasting(body, volatileMembers)) : body;
  return prefixed([...["event.v1", source, id, type, subject ?? "", contentType].map(utf8), compactBody]);
}

/** JSON that does not decode keeps every byte: two such bodies must not become one. */
function lasting(body: Uint8Array, volatileMembers: readonly string[]): Uint8Array {
  if (volatileMembers.length === 0 || parseJsonBody(body) === undefined) return body;
  return utf8(withoutMembers(new TextDecoder().decode(body), volatileMembers));
}

export interface KeyedDelivery {
  /** The event key. */
  readonly key: string;
  readonly endpoint: string;
  /** Counts from 1; only an amended delivery has more. */
  readonly revision: number;
}

/** What makes two deliveries the same: fields `delivery.v1`, event key, endpoint, and the revision when above 1. */
export function idempotencyKeyInput({ key, endpoint, revision }: KeyedDelivery): Uint8Array {
  const fields = ["delivery.v1", key, endpoint, ...(revision > 1 ? [String(revision)] : [])];
  return prefixed(fields.map(utf8));
}

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

const LENGTH_BYTES = 4;

export function prefixed(fields: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(fields.reduce((size, field) => size + LENGTH_BYTES + field.length, 0));
  const view = new DataView(result.buffer);
  let offset = 0;
  for (const field of fields) {
    view.setUint32(offset, field.length);
    result.set(field, offset + LENGTH_BYTES);
    offset += LENGTH_BYTES + field.length;
  }
  return result;
}
