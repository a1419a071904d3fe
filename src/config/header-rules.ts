/** Which headers an endpoint may add, and what their values may hold. */

/** RFC 9110 §5.6.2 `token`. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** RFC 9110 §5.5 field value: no CR, LF or other control but tab; Latin-1, because that is what goes on the wire. */
const FIELD_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** Set by us on every request: an override would break the key, the signature or the framing. */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "traceparent",
  "tracestate",
  "user-agent",
]);
const OWN_PREFIXES = ["webhook-", "ce-", "countersign-"];

/** RFC 9110 §7.6.1, and `expect`, which needs an interim answer that we do not wait for. */
const HOP_BY_HOP_HEADERS = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export const HEADER_VALUE_RULE = "a string of Latin-1 characters without line breaks";

/** Says why a header cannot be configured; null when it can. */
export function checkHeaderName(name: string): string | null {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name)) return "not a header name; accepted: letters, digits and -";
  if (HOP_BY_HOP_HEADERS.has(lower)) return "belongs to the connection and cannot be configured; remove it";
  if (OWN_HEADERS.has(lower) || OWN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return "is set by Countersign and cannot be configured; remove it";
  }
  return null;
}

/** Says why a value cannot be sent, without the value; null when it can. */
export function checkHeaderValue(value: string): string | null {
  return value.length > 0 && value.length <= 8192 && FIELD_VALUE.test(value) ? null : `must be ${HEADER_VALUE_RULE}`;
}
