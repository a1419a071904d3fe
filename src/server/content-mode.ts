/** In which of its four forms a request brings events. */
import { isJsonContentType } from "../delivery/content-type.ts";
import type { IncomingHeaders } from "../signing/single-header.ts";
import { isBinaryMode } from "./cloud-event-headers.ts";
import type { Problem } from "./problem.ts";
import { hasHeader, oneHeader } from "./request-headers.ts";

export type ContentMode =
  /** The body is an event as JSON, ours or a structured CloudEvent. */
  | { readonly mode: "event"; readonly isCloudEvent: boolean }
  /** The body is the data, the headers are the event. Absent content type = JSON. */
  | { readonly mode: "binary"; readonly contentType: string | undefined }
  /** The body is a list of structured CloudEvents. */
  | { readonly mode: "batch" }
  | { readonly mode: "unsupported"; readonly problem: Problem };

export function contentModeOf(headers: IncomingHeaders): ContentMode {
  const contentType = oneHeader(headers, "content-type");
  if (contentType === null) {
    const isAbsent = !hasHeader(headers, "content-type");
    return isAbsent && isBinaryMode(headers) ? { mode: "binary", contentType: undefined } : unsupported();
  }
  const essence = essenceOf(contentType);
  if (isJsonContentType(contentType) && !isUtf8(contentType)) return unsupported();
  // CloudEvents 1.0.2, HTTP binding §3: what begins like this says the mode by itself.
  if (essence.startsWith("application/cloudevents")) {
    if (essence === "application/cloudevents+json") return { mode: "event", isCloudEvent: true };
    return essence === "application/cloudevents-batch+json" ? { mode: "batch" } : unsupported();
  }
  if (isBinaryMode(headers)) return { mode: "binary", contentType };
  return isJsonContentType(contentType) ? { mode: "event", isCloudEvent: false } : unsupported();
}

export function essenceOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** JSON is UTF-8 (RFC 8259 §8.1), whatever else a charset says. */
export function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
}

function unsupported(): ContentMode {
  const detail =
    "Events come as application/json or application/cloudevents+json, as application/cloudevents-batch+json, or with ce- headers (CloudEvents binary mode); JSON is UTF-8.";
  return { mode: "unsupported", problem: { status: 415, code: "unsupported_media_type", detail } };
}

/** Null = the body comes as it is. Inflating it would leave open which bytes are meant, signed and limited. */
export function encodedBody(headers: IncomingHeaders): Problem | null {
  if (!hasHeader(headers, "content-encoding") || oneHeader(headers, "content-encoding") === "identity") return null;
  return {
    status: 415,
    code: "unsupported_media_type",
    detail: "The body must come without content encoding.",
    headers: { "accept-encoding": "identity" },
  };
}
