/** The header fields of a request, told apart where one name came twice. */
import { singleHeader, type IncomingHeaders } from "../signing/single-header.ts";
import type { HttpContext } from "./server-context.ts";

/** By lower-case name; several fields of one name are a list, which verifiers refuse. */
export function headersOf({ env, req }: Pick<HttpContext, "env" | "req">): IncomingHeaders {
  // Joined by a comma two fields look like one: the list of Node keeps them apart.
  const distinct = env?.incoming?.headersDistinct;
  if (distinct === undefined) return Object.fromEntries(req.raw.headers);
  return Object.fromEntries(
    Object.entries(distinct).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
  );
}

/** The one value of a field; null = there is none, it is empty, too long, or there twice. */
export function oneHeader(headers: IncomingHeaders, name: string): string | null {
  const found = singleHeader(headers, name);
  return found.ok ? found.value : null;
}

export function hasHeader(headers: IncomingHeaders, name: string): boolean {
  return headers[name] !== undefined;
}
