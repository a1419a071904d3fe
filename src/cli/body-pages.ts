/** The body that a proposal would send, whole, in pages that a terminal can take. */
import type { ShownBody } from "../delivery/event-state.ts";
import { spelledText } from "./safe-text.ts";

/** A body up to this size is one page. */
export const PAGE_BYTES = 64 * 1024;
/** Base64 of whole triples, so that the pages one after the other are the base64 of the body. */
const PAGE_BASE64 = (Math.floor(PAGE_BYTES / 3) * 3 * 4) / 3;
const BASE64_COLUMNS = 76;

export interface BodyPage {
  /** Without end; a body that ends with a line feed has an empty last line. */
  readonly lines: readonly string[];
  /** Characters that a terminal must not get stand there as `‹U+202E›`. */
  readonly spelled: boolean;
}

/** The pages of a body, at least one; none where the body is not at hand. */
export function bodyPages(shown: ShownBody): readonly BodyPage[] {
  if ("body" in shown) return textPages(shown.body).map(textPage);
  if ("body_base64" in shown) return base64Pages(shown.body_base64);
  return [];
}

function textPage(text: string): BodyPage {
  const spelled = spelledText(text);
  return { lines: spelled.split("\n"), spelled: spelled !== text };
}

/** Cut between characters. */
function textPages(text: string): readonly string[] {
  const bytes = Buffer.from(text, "utf8");
  const pages: string[] = [];
  let start = 0;
  do {
    const end = characterEnd(bytes, Math.min(start + PAGE_BYTES, bytes.length));
    pages.push(bytes.toString("utf8", start, end));
    start = end;
  } while (start < bytes.length);
  return pages;
}

/** The last place up to `end` where no character is in the middle (RFC 3629 §3: its later bytes begin with 10). */
function characterEnd(bytes: Buffer, end: number): number {
  let place = end;
  while (((bytes[place] ?? 0) & 0xc0) === 0x80) place -= 1;
  return place;
}

function base64Pages(text: string): readonly BodyPage[] {
  const isOnePage = Buffer.byteLength(text, "base64") <= PAGE_BYTES;
  const pages = isOnePage ? [text] : cut(text, PAGE_BASE64);
  return pages.map((page) => ({ lines: cut(page, BASE64_COLUMNS), spelled: false }));
}

function cut(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(1, Math.ceil(text.length / length)) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}
