/** What a content type says about a body. */
import type { BusinessEvent } from "./event.ts";

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A media type with its parameters in printable ASCII (RFC 9110 §8.3.1), at most 200 characters. */
export function isContentType(text: string): boolean {
  if (text.length > 200 || text !== text.trim()) return false;
  return MEDIA_TYPE.test(essenceOf(text)) && /^[\x20-\x7e]*$/.test(text);
}

/** The content type of the event's body, as given. */
export function contentTypeOf(event: Pick<BusinessEvent, "datacontenttype">): string {
  return event.datacontenttype ?? "application/json";
}

/** Tells JSON from the rest: `application/json` and the suffix `+json` (RFC 6839 §3.1), parameters aside. */
export function isJsonContentType(contentType: string): boolean {
  const essence = essenceOf(contentType).toLowerCase();
  return essence === "application/json" || /^[^/]+\/[^/]+\+json$/.test(essence);
}

/** The media type without its parameters. */
function essenceOf(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim();
}
