/** Reads the three Standard Webhooks headers without trusting any of them. */
import { decodeStrictBase64 } from "./strict-base64.ts";
import type { RefusalReason } from "./verdict.ts";

/** Header fields by name in any case. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

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

type Read<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: RefusalReason };

const MAX_SIGNATURES = 10;
const MAX_HEADER_CHARS = 4 * 1024;

/** Visible ASCII without a dot, which delimits the signed text. Two fields joined by Node hold a space. */
const ID = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const TIMESTAMP = /^\d{1,12}$/;

export function readSignedHeaders(headers: IncomingHeaders): Read<{ readonly headers: SignedHeaders }> {
  const id = singleValue(headers, "webhook-id");
  const timestamp = singleValue(headers, "webhook-timestamp");
  const signature = singleValue(headers, "webhook-signature");
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

/** Exactly one non-empty text under that name, whatever its case. */
function singleValue(headers: IncomingHeaders, name: string): Read<{ readonly value: string }> {
  const found = Object.entries(headers).filter(([key, value]) => key.toLowerCase() === name && value !== undefined);
  const [first] = found;
  if (first === undefined || first[1] === "") return { ok: false, reason: "missing_header" };
  const value = first[1];
  if (found.length > 1 || typeof value !== "string" || value.length > MAX_HEADER_CHARS)
    return { ok: false, reason: "malformed_header" };
  return { ok: true, value };
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
