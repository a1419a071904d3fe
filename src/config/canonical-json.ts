/** The canonical form of JSON (RFC 8785), where nothing is lost by it. */
import canonicalize from "canonicalize";
import { utf8Text } from "../delivery/body.ts";
import type { JsonValue } from "../delivery/event.ts";
import { findDuplicateMember } from "../delivery/json-text.ts";
import { jsonProblem } from "../delivery/json-value.ts";
import { isWellFormed } from "../delivery/visible-text.ts";
import { isExactNumber } from "./exact-number.ts";

/**
 * The canonical text of a JSON body; null when the form would lose something, or there is none.
 *
 * Lost would be digits that a double does not hold and all but the last of repeated
 * members. No form have bytes that are not UTF-8 or not JSON, lone surrogates, and
 * nesting deeper than the limit of `jsonProblem`. Two bodies with one canonical text
 * differ in white space, order of members and spelling of numbers and strings only.
 */
export function canonicalJson(bytes: Uint8Array): string | null {
  const parsed = parse(bytes);
  if (parsed === null || jsonProblem(parsed.value) !== null) return null;
  if (findDuplicateMember(parsed.text) !== null || !tokensOf(parsed.text).every(keepsItsValue)) return null;
  return canonicalText(parsed.value);
}

/** The canonical text of a value: finite numbers, well-formed texts, no cycles. */
export function canonicalText(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("There is no canonical form of undefined");
  return text;
}

function parse(bytes: Uint8Array): { readonly text: string; readonly value: JsonValue } | null {
  try {
    const text = utf8Text(bytes);
    return { text, value: JSON.parse(text) as JsonValue }; // what JSON.parse returns is JSON
  } catch {
    return null;
  }
}

/** The strings and numbers of a text that `JSON.parse` has accepted. */
function tokensOf(text: string): readonly string[] {
  return text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g) ?? [];
}

function keepsItsValue(token: string): boolean {
  if (!token.startsWith('"')) return isExactNumber(token);
  // Only an escape can write a surrogate without its pair: UTF-8 cannot.
  return !token.includes("\\u") || isWellFormed(String(JSON.parse(token)));
}
