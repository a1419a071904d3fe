/** The one rule for identities and header values: text that people can see and that survives every hop. */

export interface TextLimit {
  readonly max: number;
  /** `bytes` of UTF-8, or `characters` (code points). */
  readonly unit: "bytes" | "characters";
}

/** Surrogates are here because only lone ones reach the test: iteration joins pairs. */
const FORBIDDEN_RANGES: readonly (readonly [first: number, last: number, kind: string])[] = [
  [0x00, 0x1f, "control character"],
  [0x7f, 0x9f, "control character"],
  [0xad, 0xad, "invisible character"],
  [0x61c, 0x61c, "text direction mark"],
  [0x180e, 0x180e, "invisible character"],
  [0x200b, 0x200b, "invisible character"],
  [0x200e, 0x200f, "text direction mark"],
  [0x2028, 0x2029, "line separator"],
  [0x202a, 0x202e, "text direction mark"],
  [0x2060, 0x2065, "invisible character"],
  [0x2066, 0x2069, "text direction mark"],
  [0x206a, 0x206f, "invisible character"],
  [0xd800, 0xdfff, "lone surrogate"],
  [0xfeff, 0xfeff, "invisible character"],
  [0xfff9, 0xfffb, "invisible character"],
  [0xe0000, 0xe007f, "invisible character"],
];

const encoder = new TextEncoder();

/**
 * What is wrong with the text, worded to follow its name; null when nothing is.
 *
 * Refused: nothing at all, more than the limit, control characters, line
 * separators, lone surrogates, characters that hide or turn the text around,
 * and white space or a joiner (U+200C, U+200D) at either end. Spaces and joiners
 * inside stay. Nothing is normalized: two spellings are two texts.
 */
export function visibleTextProblem(text: string, limit: TextLimit): string | null {
  if (text === "") return "is empty";
  if (text.length > 2 * limit.max || sizeOf(text, limit.unit) > limit.max) {
    return `is longer than ${limit.max} ${limit.unit}`;
  }
  return forbiddenCharacter(text) ?? (isOpenEnded(text) ? "starts or ends with white space or a joiner" : null);
}

function sizeOf(text: string, unit: TextLimit["unit"]): number {
  return unit === "bytes" ? encoder.encode(text).length : Array.from(text).length;
}

function forbiddenCharacter(text: string): string | null {
  let position = 1;
  for (const character of text) {
    const code = Number(character.codePointAt(0));
    const range = FORBIDDEN_RANGES.find(([first, last]) => code >= first && code <= last);
    if (range !== undefined) return `holds the ${range[2]} ${codeName(code)} at position ${position}`;
    position += 1;
  }
  return null;
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

function isOpenEnded(text: string): boolean {
  return text.trim() !== text || /^[\u200c\u200d]|[\u200c\u200d]$/.test(text);
}

/** Tells whether the text can be written as UTF-8 without loss: with flag `u` only a lone surrogate matches. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}
