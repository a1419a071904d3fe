/** The attributes of a CloudEvent in binary mode: CloudEvents 1.0.2, HTTP protocol binding §3.1.3. */
import { CountersignError } from "../errors.ts";
import type { IncomingHeaders } from "../signing/single-header.ts";
import { hasHeader, oneHeader } from "./request-headers.ts";

/** As strings; whether they make an event is for the parser of events to say. */
export interface CloudEventAttributes {
  readonly id: string | undefined;
  readonly source: string;
  readonly type: string;
  readonly time: string | undefined;
  readonly subject: string | undefined;
  readonly requestedBy: string | undefined;
  readonly traceparent: string | undefined;
  readonly synthetic: boolean;
}

/** What tells this mode from a body that is an event itself. */
export function isBinaryMode(headers: IncomingHeaders): boolean {
  return ["ce-specversion", "ce-id", "ce-source", "ce-type"].some((name) => hasHeader(headers, name));
}

/** Throws `bad_event` (`bad_id` for the id) when an attribute is missing, there twice, or not written as it must be. */
export function readAttributes(headers: IncomingHeaders): CloudEventAttributes {
  const version = attribute(headers, "specversion");
  if (version !== "1.0") throw refusal("specversion", "must be 1.0");
  return {
    id: attribute(headers, "id"),
    source: required(headers, "source"),
    type: required(headers, "type"),
    time: attribute(headers, "time"),
    subject: attribute(headers, "subject"),
    requestedBy: attribute(headers, "requestedby"),
    traceparent: attribute(headers, "traceparent"),
    synthetic: attribute(headers, "synthetic") === "true",
  };
}

function required(headers: IncomingHeaders, name: string): string {
  const value = attribute(headers, name);
  if (value === undefined) throw refusal(name, "is missing");
  return value;
}

function attribute(headers: IncomingHeaders, name: string): string | undefined {
  if (!hasHeader(headers, `ce-${name}`)) return undefined;
  const text = oneHeader(headers, `ce-${name}`);
  const value = text === null ? null : decodeValue(text);
  if (value === null) throw refusal(name, "must be there once, in printable ASCII, with valid percent-encoding");
  return value;
}

/**
 * One round: quotes of RFC 9110 §5.6.4 first, then percent-encoding of UTF-8.
 *
 * Null for what is not written that way; a lenient reading would make one id of two.
 */
export function decodeValue(text: string): string | null {
  if (!/^[\x20-\x7e]*$/.test(text)) return null;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(text)?.[1];
  try {
    return decodeURIComponent(quoted === undefined ? text : quoted.replaceAll(/\\(.)/g, "$1"));
  } catch {
    return null;
  }
}

function refusal(name: string, problem: string): CountersignError {
  return new CountersignError(name === "id" ? "bad_id" : "bad_event", `The header ce-${name} ${problem}.`);
}
