/** Bytes from outside → an event that delivers exactly the bytes of its body. */
import { bodyOf, utf8Text } from "../delivery/body.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import { findDuplicateMember, memberText } from "../delivery/json-text.ts";
import { MAX_DEPTH } from "../delivery/json-value.ts";
import { parseEvent } from "../delivery/parse-event.ts";
import { CountersignError } from "../errors.ts";

export interface BodyLimit {
  /** Of the body as it is delivered: after base64, without the envelope. */
  readonly maxBodyBytes: number;
}

export interface ReadOptions extends BodyLimit {
  /**
   * The id of an event that comes without one, from its other members, which are not checked yet;
   * undefined = there is none, and the event is refused. Absent = every event brings its own.
   */
  readonly idFor?: ((members: Readonly<Record<string, unknown>>) => string | undefined) | undefined;
}

/** The most any endpoint may accept. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Reads a whole event, written as JSON in UTF-8.
 *
 * When writing the parsed `data` would not give back the very text that came in
 * (spaces, large numbers, order of numeric members), the event carries that text
 * as `data_base64`, under its JSON content type.
 *
 * Throws `invalid_json`, `duplicate_member`, `body_too_large`, and what `parseEvent` throws.
 */
export function readEvent(bytes: Uint8Array, options: ReadOptions): BusinessEvent {
  const { text, value } = readJson(bytes, "The event");
  return checkBody(parseEvent(withId(withExactData(value, text), options)), options);
}

function withId(value: unknown, { idFor }: ReadOptions): unknown {
  if (idFor === undefined || !isMembers(value) || (value["id"] ?? null) !== null) return value;
  return { ...value, id: idFor(value) };
}

/** Before the event is checked: numbers such as `1e400` are JSON, but not the values that JavaScript reads from them. */
function withExactData(value: JsonValue, text: string): unknown {
  if (!isMembers(value) || !Object.hasOwn(value, "data") || (value["data_base64"] ?? null) !== null) return value;
  const contentType = value["datacontenttype"] ?? "application/json";
  if (typeof contentType !== "string" || !isJsonContentType(contentType)) return value;
  const { data, ...envelope } = value;
  return { ...envelope, ...exactly(data, memberText(text, "data") ?? "") };
}

/** `text` is `data` as it came in. */
function exactly(data: JsonValue | undefined, text: string): Pick<BusinessEvent, "data" | "data_base64"> {
  if (data !== undefined && JSON.stringify(data) === text) return { data };
  return { data_base64: Buffer.from(text, "utf8").toString("base64") };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A body and what its envelope says about it. */
export interface BodyWithEnvelope {
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly subject?: string | undefined;
  readonly time?: string | undefined;
  /** Absent = `application/json`. */
  readonly contentType?: string | undefined;
  readonly synthetic?: boolean | undefined;
  readonly requestedBy?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly body: Uint8Array;
}

/**
 * Makes an event that delivers `body` byte for byte; an empty body makes an event without data.
 *
 * Throws as `readEvent` does; JSON is checked only under a JSON content type.
 */
export function eventFromBody(
  input: BodyWithEnvelope,
  limit: BodyLimit = { maxBodyBytes: MAX_BODY_BYTES },
): BusinessEvent {
  const { contentType, body, ...attributes } = input;
  requireSize(body.length, limit);
  return parseEvent({
    ...attributes,
    datacontenttype: contentType,
    ...dataOf(body, contentType ?? "application/json"),
  });
}

/**
 * Checks the body of an event that is already an object: its size, and JSON that travels as base64.
 *
 * Throws `body_too_large`, `invalid_json`, `duplicate_member`, `bad_event`; returns the event unchanged.
 */
export function checkBody(event: BusinessEvent, limit: BodyLimit): BusinessEvent {
  const { contentType, bytes } = bodyOf(event);
  requireSize(bytes.length, limit);
  if (event.data_base64 === undefined || bytes.length === 0 || !isJsonContentType(contentType)) return event;
  readJson(bytes, 'Event member "data_base64"');
  return event;
}

function dataOf(body: Uint8Array, contentType: string): Pick<BusinessEvent, "data" | "data_base64"> {
  if (body.length === 0) return {};
  if (isJsonContentType(contentType)) {
    const { text, value } = readJson(body, "The body");
    return exactly(value, text);
  }
  const text = decodeUtf8(body);
  return text === null || isLongerAsJson(text, body.length)
    ? { data_base64: Buffer.from(body).toString("base64") }
    : { data: text };
}

/** Control characters take six bytes each as JSON: a body of 1 MiB would not fit into a run. */
function isLongerAsJson(text: string, bodyBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(text)) > 4 * Math.ceil(bodyBytes / 3);
}

function requireSize(bodyBytes: number, { maxBodyBytes }: BodyLimit): void {
  if (bodyBytes <= maxBodyBytes) return;
  throw new CountersignError(
    "body_too_large",
    `The body has ${bodyBytes} bytes; accepted are at most ${maxBodyBytes}.`,
    {
      details: { bodyBytes, maxBodyBytes },
    },
  );
}

export interface JsonDocument {
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * Reads one JSON text in UTF-8, without a byte order mark, without repeated members and not nested too deep.
 *
 * Throws `invalid_json`, `duplicate_member`, `bad_event`; the message begins with `what` and never quotes the
 * text: it may be anything, and errors are logged.
 */
export function readJson(bytes: Uint8Array, what: string): JsonDocument {
  const text = decodeUtf8(bytes);
  if (text === null) throw new CountersignError("invalid_json", `${what} is not valid UTF-8, as JSON must be.`);
  if (text.startsWith("\ufeff")) {
    // RFC 8259 §8.1: a byte order mark must not be added; dropping it here would change the bytes.
    throw new CountersignError("invalid_json", `${what} starts with a byte order mark; write it without one.`);
  }
  const value = parseJson(text, what);
  if (isTooDeep(text)) throw new CountersignError("bad_event", `${what} is nested deeper than ${MAX_DEPTH} levels.`);
  const duplicate = findDuplicateMember(text);
  if (duplicate === null) return { text, value };
  throw new CountersignError("duplicate_member", `${what} holds the member ${duplicate} more than once.`, {
    details: { path: duplicate },
  });
}

function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue; // what JSON.parse returns is JSON
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    const place = position === undefined ? "" : ` (character ${Number(position) + 1})`;
    throw new CountersignError("invalid_json", `${what} is not valid JSON${place}.`);
  }
}

/** Counts brackets outside of strings; wants text that `JSON.parse` has accepted. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length && depth <= MAX_DEPTH; index += 1) {
    const character = text[index];
    if (character === '"') inString = !inString;
    else if (inString) index += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/** Null when the bytes are not UTF-8; a byte order mark stays in the text. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8Text(bytes);
  } catch {
    return null;
  }
}
