/** Signs requests and verifies them as Standard Webhooks says (github.com/standard-webhooks/standard-webhooks, specification 1.0). */
import { createHmac, sign, timingSafeEqual, verify } from "node:crypto";
import { CountersignError } from "../errors.ts";
import { MAX_SECRETS } from "./bounds.ts";
import { parseSigningSecret, parseVerifyingKey } from "./secret.ts";
import type { SigningSecret, VerifyingKey } from "./secret.ts";
import { readSignedHeaders } from "./signed-headers.ts";
import type { HeaderPrefix, Signature, SignedHeaders } from "./signed-headers.ts";
import type { IncomingHeaders } from "./single-header.ts";
import type { RefusalReason } from "./verdict.ts";

export interface MessageToSign {
  /** Stable over all attempts; visible ASCII without a dot, which delimits the signed text. */
  readonly id: string;
  /** Of this very attempt: receivers refuse what is older than five minutes. */
  readonly timestampSeconds: number;
  /** The bytes as they are sent. */
  readonly body: Uint8Array;
  /** 1–10; each one signs, so that receivers can rotate. */
  readonly secrets: readonly string[];
}

export interface SignatureHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

export interface MessageToVerify {
  /** As Node gives them: any case; arrays, empty and absent ones are refused. */
  readonly headers: IncomingHeaders;
  /** The raw bytes, before any decoding. */
  readonly body: Uint8Array;
  /** `whsec_`, `whpk_` or `whsk_`; none = refused as `no_active_secret`. */
  readonly secrets: readonly string[];
  readonly nowSeconds: number;
  /** Both into the past and into the future. Default 300. */
  readonly toleranceSeconds?: number;
  /** Absent = `webhook`, as the specification has it. */
  readonly headerPrefix?: HeaderPrefix;
}

/** The reason names no expected value: a verifier that shows one would sign for an attacker. */
export type Verification = { readonly ok: true } | { readonly ok: false; readonly reason: RefusalReason };

const DEFAULT_TOLERANCE_SECONDS = 5 * 60;

/** Throws `config_invalid` for a bad secret or their number, `bad_argument` for an id or a time that cannot be signed. */
export function signStandardWebhook({ id, timestampSeconds, body, secrets }: MessageToSign): SignatureHeaders {
  if (!/^[\x21-\x2d\x2f-\x7e]+$/.test(id))
    throw new CountersignError("bad_argument", "A webhook id must be visible ASCII without a dot.");
  if (!Number.isSafeInteger(timestampSeconds) || timestampSeconds < 0)
    throw new CountersignError(
      "bad_argument",
      `A webhook timestamp must be whole Unix seconds, not ${timestampSeconds}.`,
    );
  if (secrets.length === 0 || secrets.length > MAX_SECRETS) throw wrongNumberOfSecrets(secrets.length);
  const timestamp = String(timestampSeconds);
  const entries = secrets.map((secret) =>
    signatureEntry(parseSigningSecret(secret), signedBytes({ id, timestamp }, body)),
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": entries.join(" ") };
}

/**
 * Verifies a received message; whatever the headers hold, it is refused and not thrown.
 *
 * A replay inside the tolerance passes: only remembering the id stops that.
 * Throws `config_invalid` for a secret of ours that is none.
 */
export function verifyStandardWebhook(message: MessageToVerify): Verification {
  const { body, secrets, nowSeconds, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, headerPrefix = "webhook" } = message;
  if (secrets.length > MAX_SECRETS) throw wrongNumberOfSecrets(secrets.length);
  const keys = secrets.map(parseVerifyingKey);
  const read = readSignedHeaders(message.headers, headerPrefix);
  if (!read.ok) return read;
  const ageSeconds = nowSeconds - Number(read.headers.timestamp);
  // Asked so that what is no number is refused: a broken clock accepts nothing.
  const isTimely = ageSeconds >= -toleranceSeconds && ageSeconds <= toleranceSeconds;
  if (!isTimely) return { ok: false, reason: ageSeconds < 0 ? "timestamp_too_new" : "timestamp_too_old" };
  if (keys.length === 0) return { ok: false, reason: "no_active_secret" };
  return anyMatches(keys, read.headers, body) ? { ok: true } : { ok: false, reason: "signature_mismatch" };
}

/** Looks at every pair, so that the time taken does not tell which one matched. */
function anyMatches(keys: readonly VerifyingKey[], headers: SignedHeaders, body: Uint8Array): boolean {
  const bytes = signedBytes(headers, body);
  const matches = keys.map((key) => matchesAny(key, headers.signatures, bytes));
  return matches.includes(true);
}

function matchesAny(key: VerifyingKey, signatures: readonly Signature[], bytes: Buffer): boolean {
  const candidates = signatures.filter(({ scheme }) => scheme === key.scheme);
  if (key.scheme === "v1a")
    return candidates.map(({ value }) => verify(null, bytes, key.publicKey, value)).includes(true);
  const expected = createHmac("sha256", key.key).update(bytes).digest();
  return candidates
    .map(({ value }) => value.byteLength === expected.byteLength && timingSafeEqual(value, expected))
    .includes(true);
}

function signatureEntry(secret: SigningSecret, bytes: Buffer): string {
  const value =
    secret.scheme === "v1"
      ? createHmac("sha256", secret.key).update(bytes).digest()
      : sign(null, bytes, secret.privateKey);
  return `${secret.scheme},${value.toString("base64")}`;
}

function signedBytes({ id, timestamp }: Pick<SignedHeaders, "id" | "timestamp">, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
}

function wrongNumberOfSecrets(count: number): CountersignError {
  return new CountersignError(
    "config_invalid",
    `There may be 1 to ${MAX_SECRETS} signing secrets, but there are ${count}.`,
  );
}
