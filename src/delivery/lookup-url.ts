/** The URL of a lookup: a template in which a delivery's own names stand. */

/** What a template may hold, in braces; percent-encoded when it is filled in. */
export interface LookupNames {
  readonly idempotencyKey: string;
  readonly source: string;
  readonly id: string;
}

const PLACEHOLDER = /\{(idempotencyKey|source|id)\}/g;

/** As `{idempotencyKey}`, with a value for each. */
export function fillTemplate(template: string, valueOf: (name: keyof LookupNames) => string): string {
  return template.replaceAll(PLACEHOLDER, (_, name: keyof LookupNames) => valueOf(name));
}

/**
 * Null = these names make no URL under the template: an id of dots would lead out of its folder
 * (RFC 3986 §5.2.4), to a place that tells of something else.
 */
export function lookupUrlFor(template: string, names: LookupNames): string | null {
  const url = fillTemplate(template, (name) => encodeURIComponent(names[name]));
  const [path = ""] = url.split(/[?#]/);
  return path.split(/[/\\]/).some(isDotSegment) ? null : url;
}

function isDotSegment(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}
