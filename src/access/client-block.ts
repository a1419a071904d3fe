/** Which addresses count as one client. */
import ipaddr from "ipaddr.js";

const NETWORK_GROUPS = 4;
const UNKNOWN = "unknown";

/**
 * An IPv4 address by itself, an IPv6 one by its /64: that is what one subscriber gets, and counting
 * each of its 2^64 addresses would count nothing. Whatever is no address is one client, `unknown`.
 */
export function clientBlock(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
