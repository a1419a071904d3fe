/** What a URL and its exceptions may look like; whether an address may be reached is decided by `egress/`. */
import { isIPv4, isIPv6 } from "node:net";

const PORTS = [443, 8443];

interface AddressRules {
  readonly allowPrivate: readonly string[];
  readonly ports: readonly number[];
}

/**
 * Says why requests cannot go to a URL, without the URL; null when they can.
 *
 * With `allowPrivate`, plain `http:` and any port pass here: whether the address
 * is covered is known only once its name is resolved.
 */
export function checkUrl(text: string, rules: AddressRules): string | null {
  const url = parseUrl(text);
  if (url === null) return "is not an absolute https: URL";
  if (url.username !== "" || url.password !== "") return "holds credentials; put them into headers";
  if (url.hash !== "") return "ends with a fragment (#…), which is never sent; remove it";
  if (rules.allowPrivate.length > 0) return null;
  if (url.protocol === "http:") return "is plain http:, which is accepted only for addresses named in allowPrivate";
  const port = url.port === "" ? 443 : Number(url.port);
  if (PORTS.includes(port) || rules.ports.includes(port)) return null;
  return `uses port ${port}; accepted: 443, 8443 and those named in ports`;
}

/** An http(s) URL, or null. White space inside is refused, although the URL parser would drop it. */
export function parseUrl(text: string): URL | null {
  if (/[\s\p{Cc}]/u.test(text) || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}

/** Whether a text is an address block such as `127.0.0.0/8` or `::1/128`. */
export function isAddressBlock(text: string): boolean {
  const match = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(text);
  if (match === null) return false;
  const address = match[1] ?? "";
  const bits = Number(match[2]);
  return (isIPv4(address) && bits <= 32) || (isIPv6(address) && bits <= 128);
}
