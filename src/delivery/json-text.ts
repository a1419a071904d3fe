/**
 * JSON as text: what `JSON.parse` throws away (spelling of numbers, white space,
 * repeated members) read from the text itself.
 *
 * Every function here wants text that `JSON.parse` has accepted. None recurses,
 * so nesting is bounded by memory alone, and each looks at a character once.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

interface ObjectFrame {
  readonly kind: "object";
  /** Names seen so far. */
  readonly names: Set<string>;
  /** The member being read. */
  name: string;
  /** The next string is a name, not a value. */
  expectsName: boolean;
}

interface ArrayFrame {
  readonly kind: "array";
  /** The item being read, from 0. */
  index: number;
}

/** Where the scanner stands inside one object or array. */
type Frame = ObjectFrame | ArrayFrame;

const MAX_PATH_LENGTH = 200;

/**
 * The path of the first repeated member name, such as `data.items[2].id`; null when there is none.
 *
 * Names are compared after unescaping: `"a"` and `"\u0061"` are one name. A
 * path longer than 200 characters is shown by its end.
 */
export function findDuplicateMember(text: string): string | null {
  const frames: Frame[] = [];
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = stringEnd(text, index);
      const frame = frames.at(-1);
      const isName = frame?.kind === "object" && frame.expectsName;
      if (isName && !enterMember(frame, text.slice(index, end))) return pathOf(frames);
      index = end;
    } else {
      readStructure(frames, code);
      index += 1;
    }
  }
  return null;
}

function readStructure(frames: Frame[], code: number): void {
  if (code === OPEN_BRACE) frames.push({ kind: "object", names: new Set(), name: "", expectsName: true });
  else if (code === OPEN_BRACKET) frames.push({ kind: "array", index: 0 });
  else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) frames.pop();
  else if (code === COMMA) nextItem(frames.at(-1));
}

function nextItem(frame: Frame | undefined): void {
  if (frame?.kind === "array") frame.index += 1;
  if (frame?.kind === "object") frame.expectsName = true;
}

/** Notes the name of a member; false when the object had it already. */
function enterMember(frame: ObjectFrame, token: string): boolean {
  frame.name = unquote(token);
  frame.expectsName = false;
  if (frame.names.has(frame.name)) return false;
  frame.names.add(frame.name);
  return true;
}

function pathOf(frames: readonly Frame[]): string {
  const path = frames.map(stepOf).join("").replace(/^\./, "");
  return path.length <= MAX_PATH_LENGTH ? path : `…${path.slice(-MAX_PATH_LENGTH)}`;
}

function stepOf(frame: Frame): string {
  if (frame.kind === "array") return `[${frame.index}]`;
  return /^[A-Za-z_$][\w$-]*$/.test(frame.name) ? `.${frame.name}` : `[${JSON.stringify(frame.name)}]`;
}

/**
 * The text of a top-level member's value exactly as written; null when the text is no object or has no such member.
 *
 * Of a repeated member it is the last, as with `JSON.parse`.
 */
export function memberText(text: string, name: string): string | null {
  return membersOf(text)?.findLast((member) => member.name === name)?.value ?? null;
}

/** The text without some of its top-level members, and without the white space around the others; unchanged when it is no object. */
export function withoutMembers(text: string, names: readonly string[]): string {
  const members = membersOf(text);
  if (members === null) return text;
  return `{${members.flatMap(({ name, token, value }) => (names.includes(name) ? [] : [`${token}:${value}`])).join(",")}}`;
}

interface MemberSpan {
  readonly name: string;
  /** The name as written, with its quotes. */
  readonly token: string;
  readonly value: string;
}

/** The top-level members in their order; null when the text is no object. */
function membersOf(text: string): readonly MemberSpan[] | null {
  const members: MemberSpan[] = [];
  let index = skipSpace(text, 0);
  if (text.charCodeAt(index) !== OPEN_BRACE) return null;
  index = skipSpace(text, index + 1);
  while (text.charCodeAt(index) === QUOTE) {
    const nameEnd = stringEnd(text, index);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const valueEnd = skipValue(text, valueStart);
    const token = text.slice(index, nameEnd);
    members.push({ name: unquote(token), token, value: text.slice(valueStart, valueEnd) });
    index = skipSpace(text, skipSpace(text, valueEnd) + 1);
  }
  return members;
}

/** From the start of a value to the place after it. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  let index = start;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    const closes = code === CLOSE_BRACE || code === CLOSE_BRACKET;
    if (depth === 0 && (closes || code === COMMA || isSpace(code))) return index;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (closes) depth -= 1;
    index = code === QUOTE ? stringEnd(text, index) : index + 1;
  }
  return index;
}

/** The same JSON text without the white space between its tokens. */
export function compactJson(text: string): string {
  return tokenSpans(text.length, (index) => text.charCodeAt(index))
    .map(([start, end]) => text.slice(start, end))
    .join("");
}

/**
 * The same for the bytes of UTF-8 text, which need not even be JSON.
 *
 * Only white space beside a bracket, comma, colon or end is dropped, so two
 * different texts that are not JSON (`1 2` and `12`) stay different.
 */
export function compactJsonBytes(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const spans = tokenSpans(bytes.length, (index) => view.getUint8(index));
  const compact = new Uint8Array(spans.reduce((size, [start, end]) => size + end - start, 0));
  let offset = 0;
  for (const [start, end] of spans) {
    compact.set(bytes.subarray(start, end), offset);
    offset += end - start;
  }
  return compact;
}

type Span = readonly [start: number, end: number];

/** The stretches that stay; works on UTF-8 bytes as on UTF-16 units, because what it looks for is ASCII in both. */
function tokenSpans(length: number, codeAt: (index: number) => number): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  let index = 0;
  let afterStructure = true;
  while (index < length) {
    const code = codeAt(index);
    if (!isSpace(code)) {
      index = code === QUOTE ? quotedEnd(index, length, codeAt) : index + 1;
      afterStructure = isStructure(code);
      continue;
    }
    const spaceStart = index;
    while (index < length && isSpace(codeAt(index))) index += 1;
    if (afterStructure || index === length || isStructure(codeAt(index))) {
      spans.push([start, spaceStart]);
      start = index;
    }
  }
  spans.push([start, length]);
  return spans;
}

function stringEnd(text: string, start: number): number {
  return quotedEnd(start, text.length, (index) => text.charCodeAt(index));
}

/** The place after the closing quote of the string that starts here. */
function quotedEnd(start: number, length: number, codeAt: (index: number) => number): number {
  let index = start + 1;
  while (index < length && codeAt(index) !== QUOTE) index += codeAt(index) === BACKSLASH ? 2 : 1;
  return Math.min(index + 1, length);
}

function skipSpace(text: string, start: number): number {
  let index = start;
  while (isSpace(text.charCodeAt(index))) index += 1;
  return index;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function isStructure(code: number): boolean {
  return (
    code === OPEN_BRACE ||
    code === CLOSE_BRACE ||
    code === OPEN_BRACKET ||
    code === CLOSE_BRACKET ||
    code === COMMA ||
    code === COLON
  );
}

function unquote(token: string): string {
  return token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1);
}
