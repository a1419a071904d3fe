/** What a parser of HTTP lets pass and we do not: whatever two servers on one way could read in two ways. */
import type { IncomingMessage } from "node:http";
import type { Problem } from "./problem.ts";

export type RequestHead = Pick<IncomingMessage, "url" | "httpVersion" | "headersDistinct">;

/** Null = nothing is wrong with the start line, the host and the framing of the body. */
export function requestProblem({ url = "", httpVersion, headersDistinct }: RequestHead): Problem | null {
  const { host = [], "transfer-encoding": coding = [], expect = [] } = headersDistinct;
  // RFC 9112 §3.2: none in HTTP/1.1, or two in any version.
  if (host.length > 1 || (host.length === 0 && httpVersion !== "1.0"))
    return bad("A request has one Host header, and only one.");
  // RFC 9112 §6.1: HTTP/1.0 knows no transfer codings, and we know no other one than this.
  if (coding.length > 0 && (httpVersion === "1.0" || coding.join().toLowerCase() !== "chunked"))
    return bad("The only transfer coding that is taken is chunked, in HTTP/1.1.");
  // RFC 9110 §10.1.1: HTTP/1.0 knows no expectations, and nobody knows another one than this.
  if (expect.length > 0 && httpVersion !== "1.0" && expect.join().toLowerCase() !== "100-continue")
    return { ...bad("The only expectation that is met is 100-continue."), status: 417 };
  return isTarget(url)
    ? null
    : bad("The address of a request is a path without dot segments, as clients resolve them.");
}

/** Origin or absolute form (RFC 9112 §3.2.1 and §3.2.2), without user, backslash and fragment. */
const TARGET = /^(?:https?:\/\/[^/?#\\@]+)?(?<path>\/[^?#\\]*)(?:\?[^#]*)?$/;

/**
 * Proxies that pass `/v1/` on judge the path as it is written: `/v1/../metrics` must not be another one here.
 *
 * RFC 3986 §6.2.2.2 makes `%2e` the same as a dot, so that counts as well.
 */
function isTarget(url: string): boolean {
  const path = TARGET.exec(url)?.groups?.["path"];
  return path !== undefined && !path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Whatever follows on such a connection is not worth reading. */
function bad(detail: string): Problem {
  return { status: 400, code: "bad_request", detail, headers: { connection: "close" } };
}

/** For what is too odd to be made a request of at all. */
export const UNREADABLE: Problem = bad("The address or the Host header of this request cannot be read.");
