/** The URL that Twilio signed: as configured there, with what Twilio adds to its query. */

export interface TwilioUrls {
  /** One URL, at most four spellings: without and with its port, about which Twilio's own parts disagree; see `quotes` too. */
  readonly spellings: readonly string[];
  /** Of the body, as the query says; null = it does not. */
  readonly bodySha256: string | null;
}

/**
 * `publicUrl` gives scheme, host and path, whatever proxies made of them; null when the query is not the one configured.
 *
 * A query of `publicUrl` is the only one there may be, but for the hash of the
 * body that Twilio adds. Without one the query counts as it arrived: callbacks
 * may carry another one each time, and it is part of what is signed.
 */
export function twilioUrls(publicUrl: string, requestUrl: string | undefined): TwilioUrls | null {
  const [base, configured] = splitQuery(publicUrl);
  const query = splitQuery(requestUrl ?? "")[1] ?? configured;
  const bodySha256 = bodyHashOf(query ?? "");
  if (configured !== undefined && query !== undefined && !isThatQuery(configured, query, bodySha256)) return null;
  const suffixes = query === undefined ? [""] : quotes(`?${query}`);
  return { spellings: portSpellings(base).flatMap((text) => suffixes.map((suffix) => text + suffix)), bodySha256 };
}

function isThatQuery(configured: string, query: string, bodySha256: string | null): boolean {
  const expected = bodySha256 === null ? configured : `${configured}&${BODY_HASH}${bodySha256}`;
  return unescapeQuotes(query) === unescapeQuotes(expected);
}

/** A proxy that reads the URL as the URL standard has it escapes quotes in the query, which Twilio signed as they are. */
function quotes(query: string): readonly string[] {
  return query.includes("%27") ? [query, unescapeQuotes(query)] : [query];
}

function unescapeQuotes(query: string): string {
  return query.replaceAll("%27", "'");
}

function splitQuery(url: string): readonly [string, string | undefined] {
  const mark = url.indexOf("?");
  return mark === -1 ? [url, undefined] : [url.slice(0, mark), url.slice(mark + 1)];
}

function portSpellings(base: string): readonly string[] {
  const match = /^(?<scheme>https?):\/\/(?<host>[^/]*?)(?<port>:\d{1,5})?(?<path>\/.*)?$/.exec(base)?.groups;
  if (match === undefined) return [base];
  const { scheme = "", host = "", port = scheme === "https" ? ":443" : ":80", path = "" } = match;
  return [`${scheme}://${host}${path}`, `${scheme}://${host}${port}${path}`];
}

const BODY_HASH = "bodySHA256=";

/**
 * Counts only at the end, where Twilio puts it, and only once.
 *
 * Nothing divides URL and parameters in what is signed: whoever saw a form could
 * send its parameters as a query instead, and a text that he chose in it (a
 * message that he sent) would vouch for any body. It never ends them.
 */
function bodyHashOf(query: string): string | null {
  const pairs = query.split("&");
  const found = pairs.filter((pair) => pair.startsWith(BODY_HASH));
  return found.length === 1 && found[0] === pairs.at(-1) ? (found[0]?.slice(BODY_HASH.length) ?? null) : null;
}
