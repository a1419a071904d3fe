/** A line of an export: a flat JSON object, spelled as RFC 8785 says, with its own hash in it. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

export type LineValue = string | number | boolean | null;

/** Texts are well-formed, numbers safe integers: that is what one spelling alone fits. */
export type FlatLine = Readonly<Record<string, LineValue>>;

/** Says what is hashed, so that no hash of another kind can stand for one of these. */
const DOMAIN = "audit.v1|";

/** `sha256:` + hex SHA-256 over `audit.v1|` and the RFC 8785 text of the line without its member `hash`. */
export function hashOf(line: FlatLine): string {
  const { hash: _hash, ...hashed } = line;
  return `sha256:${createHash("sha256").update(DOMAIN).update(lineText(hashed), "utf8").digest("hex")}`;
}

export function lineText(line: FlatLine): string {
  // A flat line is an object, which always has a text.
  return canonicalize(line) as string;
}

/** The members as a line has them: absent ones left out, halves of characters replaced, other numbers as texts. */
export function flatLine<Shape extends { readonly [Member in keyof Shape]: LineValue | undefined }>(
  shape: Shape,
): FlatLine {
  const members: readonly (readonly [string, LineValue | undefined])[] = Object.entries(shape);
  return Object.fromEntries(
    members.flatMap(([name, value]) => (value === undefined ? [] : [[name, lineValue(value)]])),
  );
}

function lineValue(value: LineValue): LineValue {
  if (typeof value === "string") return value.replaceAll(LONE_SURROGATE, "\uFFFD");
  return typeof value !== "number" || Number.isSafeInteger(value) ? value : String(value);
}

/** A text that was cut to a length may end within a character. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** What was parsed is a flat line; anything else was never written by `lineText`. */
export function isFlatLine(value: unknown): value is FlatLine {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, member]) => isLineValue(name) && isLineValue(member));
}

function isLineValue(value: unknown): value is LineValue {
  if (typeof value === "string") return value.search(LONE_SURROGATE) < 0;
  return value === null || typeof value === "boolean" || Number.isSafeInteger(value);
}
