/** What an endpoint is in this process, secrets included, as a text that shows when something was changed. */
import { configVersionOf, sha256 } from "./digests.ts";
import type { Endpoint } from "./config.ts";
import type { ResolvedEndpoint } from "./resolve-endpoint.ts";

/**
 * Four hexadecimal digits stand for URL, headers and secrets: enough to see that one of
 * them is another one (but for one time in 65,536), too few to find out which.
 */
const SECRET_DIGITS = 4;

/** `resolved` null = this process does not know its secrets. */
export function endpointVersion(endpoint: Endpoint, resolved: ResolvedEndpoint | null): string {
  const version = configVersionOf(endpoint);
  if (resolved === null) return version;
  const { url, headers, signing } = resolved;
  const digest = sha256(Buffer.from(JSON.stringify([version, url, headers, signing]))).toString("hex");
  return `${version}:${digest.slice(0, SECRET_DIGITS)}`;
}
