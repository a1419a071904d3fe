/** Reads the three Standard Webhooks headers without trusting any of them. */
import { MAX_SIGNATURES } from "./bounds.ts";
import { singleHeader } from "./single-header.ts";
import type { IncomingHeaders, Read } from "./single-header.ts";
import { decodeStrictBase64 } from "./strict-base64.ts";

/** What the three names start with; `svix` is what they were called before the specification. */
export type HeaderPrefix = "webhook" | "svix";

export interface Signature {
  readonly scheme: "v1" | "v1a";
  readonly value: Buffer;
}

export interface SignedHeaders {
  readonly id: string;
  /** 1–12 digits, as sent: these characters are what is signed. */
  readonly timestamp: string;
  /** At least one, at most ten. */
  readonly signatures: readonly Signature[];
}

/** Visible ASCII without a dot, which delimits the signed text. Two fields joined by Node hold a space. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const TIMESTAMP = /^\d{1,12}$/;

export function readSignedHeaders(
  headers: IncomingHeaders,
  prefix: HeaderPrefix,
): Read<{ readonly headers: SignedHeaders }> {
  const id = singleHeader(headers, `${prefix}-id`);
  const timestamp = singleHeader(headers, `${prefix}-timestamp`);
  const signature = singleHeader(headers, `${prefix}-signature`);
  if (!id.ok) return id;
  if (!timestamp.ok) return timestamp;
  if (!signature.ok) return signature;
  if (!ID.test(id.value)) return { ok: false, reason: "malformed_header" };
  if (!TIMESTAMP.test(timestamp.value)) return { ok: false, reason: "timestamp_malformed" };
  const read = readSignatures(signature.value);
  return read.ok
    ? { ok: true, headers: { id: id.value, timestamp: timestamp.value, signatures: read.signatures } }
    : read;
}

/** Entries of other versions are passed over; a list with none of ours is told apart from a broken one. */
function readSignatures(field: string): Read<{ readonly signatures: readonly Signature[] }> {
  const entries = field.split(" ");
  // Node joins a field that came twice with ", ", which no single field holds.
  if (entries.length > MAX_SIGNATURES || field.includes(", ")) return { ok: false, reason: "malformed_header" };
  const parsed = entries.map(readEntry);
  const signatures = parsed.filter((entry) => typeof entry === "object");
  if (signatures.length > 0) return { ok: true, signatures };
  return { ok: false, reason: parsed.includes("malformed") ? "malformed_header" : "unknown_version" };
}

function readEntry(entry: string): Signature | "malformed" | "other-version" {
  const comma = entry.indexOf(",");
  if (comma < 1) return "malformed";
  const scheme = entry.slice(0, comma);
  if (scheme !== "v1" && scheme !== "v1a") return "other-version";
  const value = decodeStrictBase64(entry.slice(comma + 1));
  return value === null || value.byteLength === 0 ? "malformed" : { scheme, value };
}
