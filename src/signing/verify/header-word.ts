import { singleHeader } from "../single-header.ts";
import type { IncomingHeaders } from "../single-header.ts";

/** A header of visible ASCII without spaces; null for anything else. Two fields joined by Node hold a space. */
export function headerWord(headers: IncomingHeaders, name: string): string | null {
  const header = singleHeader(headers, name);
  return header.ok && /^[\x21-\x7e]+$/.test(header.value) ? header.value : null;
}
