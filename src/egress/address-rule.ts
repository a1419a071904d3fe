/**
 * Where a request may go: public addresses over https, and whatever
 * `allowPrivate` covers. Everything that is not global unicast counts as private.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.process>;
type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** What one endpoint may reach, parsed once per pool. */
export interface AddressRule {
  readonly allowed: readonly Cidr[];
  /** Ports on which https may go to a public address. */
  readonly httpsPorts: readonly number[];
}

/** May this address be connected to? Asked about literals, every DNS answer, and the connected socket. */
export type Permits = (address: string) => boolean;

const USUAL_HTTPS_PORTS = [443, 8443];

/** Private in effect although ipaddr.js calls them unicast. */
const NOT_PUBLIC: readonly Cidr[] = [
  "168.63.129.16/32", // Azure wire server
  "::/96", // IPv4-compatible: what WHATWG URL makes of [::127.0.0.1]
  "100:0:0:1::/64", // dummy prefix, RFC 9780
  "3fff::/20", // documentation, RFC 9637
].map((cidr) => ipaddr.parseCIDR(cidr));

const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Link-local and metadata services: a wider allow entry never implies them. */
const OWN_ENTRY_NEEDED: readonly Cidr[] = [
  "169.254.0.0/16",
  "168.63.129.16/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "fe80::/10",
  "fd00:ec2::/64",
  "fd20:ce::254/128",
].map((cidr) => ipaddr.parseCIDR(cidr));

/** An entry that is no CIDR block covers nothing. */
export function parseAddressRule(rule: {
  readonly allowPrivate: readonly string[];
  readonly ports: readonly number[];
}): AddressRule {
  return {
    allowed: rule.allowPrivate.filter((entry) => ipaddr.isValidCIDR(entry)).map((entry) => ipaddr.parseCIDR(entry)),
    httpsPorts: [...USUAL_HTTPS_PORTS, ...rule.ports],
  };
}

/**
 * Judges a parsed URL before anything is resolved.
 *
 * Returns the test its addresses have to pass, or null when the URL itself is
 * refused: another scheme, userinfo, a fragment, or a literal address outside
 * the rule. The connection's lookup is not called for literals, so this is
 * where they are caught.
 */
export function permitsFor(url: URL, rule: AddressRule): Permits | null {
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  if (url.username !== "" || url.password !== "" || url.hash !== "") return null;
  const port = url.port === "" ? 443 : Number(url.port);
  const publicIsFine = url.protocol === "https:" && rule.httpsPorts.includes(port);
  const permits: Permits = (address) => isPermitted(address, rule.allowed, publicIsFine);
  const literal = literalHost(url);
  return literal === null || permits(literal) ? permits : null;
}

/** The address in the host, without brackets; null for a name. */
function literalHost(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? null : host;
}

function isPermitted(text: string, allowed: readonly Cidr[], publicIsFine: boolean): boolean {
  // Fails closed: ipaddr.js would read "127.1", and what nobody can parse is not public.
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (allowed.some((entry) => isCoveredBy(address, entry))) return true;
  return publicIsFine && isPublic(address);
}

/** Whether anybody on the internet could own this address. */
function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (NOT_PUBLIC.some((block) => isInside(address, block))) return false;
  return address.kind() === "ipv4" || isInside(address, GLOBAL_IPV6);
}

function isCoveredBy(address: Address, entry: Cidr): boolean {
  if (!isInside(address, entry)) return false;
  return OWN_ENTRY_NEEDED.every((block) => !isInside(address, block) || isSubset(entry, block));
}

function isSubset([base, bits]: Cidr, block: Cidr): boolean {
  return isInside(base, block) && bits >= block[1];
}

function isInside(address: Address, block: Cidr): boolean {
  return address.kind() === block[0].kind() && address.match(block);
}
