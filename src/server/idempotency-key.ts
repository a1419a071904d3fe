/** The header `Idempotency-Key`: draft-ietf-httpapi-idempotency-key-header-07, and bare as most clients send it. */
import type { IncomingHeaders } from "../signing/single-header.ts";
import { hasHeader, oneHeader } from "./request-headers.ts";

/** `value` is null when the request has no such header. */
export type IdempotencyKey =
  | { readonly read: "key"; readonly value: string | null }
  | { readonly read: "malformed"; readonly detail: string };

export const IDEMPOTENCY_KEY = "idempotency-key";

/** Whether the key can be an event's id is for the parser of events to say. */
export function readIdempotencyKey(headers: IncomingHeaders): IdempotencyKey {
  if (!hasHeader(headers, IDEMPOTENCY_KEY)) return { read: "key", value: null };
  const text = oneHeader(headers, IDEMPOTENCY_KEY);
  const value = text === null ? null : (quotedValue(text) ?? bareValue(text));
  return value === null ? { read: "malformed", detail: DETAIL } : { read: "key", value };
}

const DETAIL =
  'The header Idempotency-Key must be one value: bare, without commas, semicolons and quotes, or as a text in double quotes, such as "8e03978e-40d5".';

/** A Structured Field String (RFC 8941 §3.3.3): printable ASCII, a backslash before quotes and backslashes. */
function quotedValue(text: string): string | null {
  const inner = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/.exec(text)?.[1];
  return inner === undefined ? null : inner.replaceAll(/\\(.)/g, "$1");
}

/** A comma would make it a list, a semicolon a value with parameters. */
function bareValue(text: string): string | null {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e](?:[\x20\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]*[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e])?$/.test(
    text,
  )
    ? text
    : null;
}
