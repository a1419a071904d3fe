/** The URL that Twilio signed: as configured there, with the query that arrived. */

export interface TwilioUrls {
  /** One URL, at most four spellings: without and with its port, about which Twilio's own parts disagree; see `quotes` too. */
  readonly spellings: readonly string[];
  /** Of the body, as the query says; null = it does not. */
  readonly bodySha256: string | null;
}

/**
 * `publicUrl` gives scheme, host and path, whatever proxies made of them.
 *
 * The query comes from the request when it has one, since Twilio adds to it
 * what it hashed; it is part of what is signed.
 */
export function twilioUrls(publicUrl: string, requestUrl: string | undefined): TwilioUrls {
  const [base, ownQuery] = splitQuery(publicUrl);
  const query = splitQuery(requestUrl ?? "")[1] ?? ownQuery;
  const suffixes = query === undefined ? [""] : quotes(`?${query}`);
  return {
    spellings: portSpellings(base).flatMap((spelling) => suffixes.map((suffix) => spelling + suffix)),
    bodySha256: bodyHashOf(query ?? ""),
  };
}

/** A server that reads the URL as the URL standard has it escapes quotes in the query, which Twilio signed as they are. */
function quotes(query: string): readonly string[] {
  return query.includes("%27") ? [query, query.replaceAll("%27", "'")] : [query];
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

/** Null also when it is there twice. */
function bodyHashOf(query: string): string | null {
  const found = query.split("&").filter((pair) => pair.startsWith("bodySHA256="));
  return found.length === 1 ? (found[0]?.slice("bodySHA256=".length) ?? null) : null;
}
