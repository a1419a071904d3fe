import { MAX_HEADER_CHARS } from "./bounds.ts";
import type { RefusalReason } from "./verdict.ts";

/** Header fields by name in any case. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Read<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: RefusalReason };

/** Exactly one non-empty text of at most 4 KiB under that lower-case name, whatever the case of the field. */
export function singleHeader(headers: IncomingHeaders, name: string): Read<{ readonly value: string }> {
  const found = Object.entries(headers).filter(([key, value]) => key.toLowerCase() === name && value !== undefined);
  const [first] = found;
  if (first === undefined || first[1] === "") return { ok: false, reason: "missing_header" };
  const value = first[1];
  if (found.length > 1 || typeof value !== "string" || value.length > MAX_HEADER_CHARS)
    return { ok: false, reason: "malformed_header" };
  return { ok: true, value };
}
