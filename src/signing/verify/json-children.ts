/** One level of a JSON text, each value exactly as it is written. */

export interface JsonChild {
  /** Of a member, unescaped; of an item its index, from 0. */
  readonly name: string;
  readonly text: string;
}

/**
 * The members of an object or the items of an array; none of anything else.
 *
 * `text` is JSON: something that `JSON.parse` takes. Does not recurse and uses
 * no pattern over long strings, so nesting and length are bounded by memory alone.
 */
export function childrenOf(text: string): readonly JsonChild[] {
  const start = skipSpace(text, 0);
  const isObject = text[start] === "{";
  if (!isObject && text[start] !== "[") return [];
  const children: JsonChild[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== "}" && text[at] !== "]") {
    const nameEnd = isObject ? stringEnd(text, at) : at;
    const name = isObject ? String(JSON.parse(text.slice(at, nameEnd))) : String(children.length);
    const valueStart = isObject ? skipSpace(text, skipSpace(text, nameEnd) + COLON.length) : at;
    const end = valueEnd(text, valueStart);
    children.push({ name, text: text.slice(valueStart, end) });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return children;
}

const COLON = ":";

/** From the start of a value to the place after it. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    const closes = character === "}" || character === "]";
    if (depth === 0 && (closes || character === "," || isSpace(character))) return at;
    if (character === "{" || character === "[") depth += 1;
    if (closes) depth -= 1;
    at = character === '"' ? stringEnd(text, at) : at + 1;
  }
  return at;
}

/** The place after the closing quote of the string that starts here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text.charAt(at))) at += 1;
  return at;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
