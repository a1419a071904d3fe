/** Standard Webhooks secrets: their text forms, and the keys behind them. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { CountersignError } from "../errors.ts";
import { ED25519_BYTES, exportEd25519PublicKey, importEd25519PublicKey } from "./ed25519.ts";
import { decodeStrictBase64 } from "./strict-base64.ts";

/** A parsed secret that can sign. Holds key material: never log it. */
export type SigningSecret =
  | { readonly scheme: "v1"; readonly key: Buffer }
  | { readonly scheme: "v1a"; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** What a receiver checks signatures with: a shared key, or the public half. */
export type VerifyingKey =
  | { readonly scheme: "v1"; readonly key: Buffer }
  | { readonly scheme: "v1a"; readonly publicKey: KeyObject };

const MIN_HMAC_BYTES = 24;
const MAX_HMAC_BYTES = 64;

/** DER of an Ed25519 private key up to its 32 bytes (RFC 8410 §7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Parses a secret that signs: `whsec_` (HMAC-SHA256) or `whsk_` (Ed25519).
 *
 * `whsk_` is found as a 32-byte seed and as 64 bytes seed and public key; both
 * are taken, and with 64 the halves must belong together. Throws
 * `config_invalid`; the message never holds the secret.
 */
export function parseSigningSecret(secret: string): SigningSecret {
  if (secret.startsWith("whsec_")) return { scheme: "v1", key: parseHmacKey(secret) };
  if (secret.startsWith("whsk_")) return parseEd25519Secret(bytesAfterPrefix(secret, "whsk_"));
  if (secret.startsWith("whpk_"))
    throw invalid("A whpk_ key is public and cannot sign: give the whsk_ key that belongs to it.");
  throw invalid("A signing secret must start with whsec_ or whsk_.");
}

/** Parses what a receiver holds: `whsec_`, `whpk_`, or `whsk_` for its public half. Throws `config_invalid`. */
export function parseVerifyingKey(secret: string): VerifyingKey {
  if (secret.startsWith("whpk_"))
    return { scheme: "v1a", publicKey: ed25519PublicKey(bytesAfterPrefix(secret, "whpk_")) };
  return parseSigningSecret(secret);
}

function parseHmacKey(secret: string): Buffer {
  const key = bytesAfterPrefix(secret, "whsec_");
  if (key.byteLength >= MIN_HMAC_BYTES && key.byteLength <= MAX_HMAC_BYTES) return key;
  throw invalid(
    `A whsec_ secret must hold ${MIN_HMAC_BYTES} to ${MAX_HMAC_BYTES} bytes, but this one holds ${key.byteLength}.`,
  );
}

function parseEd25519Secret(bytes: Buffer): SigningSecret {
  if (bytes.byteLength !== ED25519_BYTES && bytes.byteLength !== 2 * ED25519_BYTES)
    throw invalid(
      `A whsk_ secret must hold 32 bytes (seed) or 64 bytes (seed and public key), but this one holds ${bytes.byteLength}.`,
    );
  const seed = bytes.subarray(0, ED25519_BYTES);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(privateKey);
  const claimedPublic = bytes.subarray(ED25519_BYTES);
  if (claimedPublic.byteLength > 0 && !claimedPublic.equals(exportEd25519PublicKey(publicKey)))
    throw invalid(
      "A whsk_ secret of 64 bytes must end with the public key of its seed, but this one ends with another.",
    );
  return { scheme: "v1a", privateKey, publicKey };
}

function ed25519PublicKey(bytes: Buffer): KeyObject {
  if (bytes.byteLength !== ED25519_BYTES)
    throw invalid(`A whpk_ key must hold 32 bytes, but this one holds ${bytes.byteLength}.`);
  return importEd25519PublicKey(bytes);
}

function bytesAfterPrefix(secret: string, prefix: string): Buffer {
  const bytes = decodeStrictBase64(secret.slice(prefix.length));
  if (bytes === null) throw invalid(`What follows ${prefix} must be padded base64 (RFC 4648 §4).`);
  return bytes;
}

function invalid(message: string): CountersignError {
  return new CountersignError("config_invalid", message);
}
