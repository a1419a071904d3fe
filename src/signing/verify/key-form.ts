/** What the secrets of a scheme look like, in words and as a check. */
import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { ED25519_BYTES, importEd25519PublicKey } from "../ed25519.ts";
import { parseVerifyingKey } from "../secret.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { readCertificate } from "./certificates.ts";

export type KeyForm = "text" | "standard-webhooks" | "ed25519-hex" | "p256-spki" | "certificate";

/** Completes "accepted: …" and "must be …". */
export const KEY_FORM_WORDS: Readonly<Record<KeyForm, string>> = {
  text: "a secret without white space at either end",
  "standard-webhooks":
    "'whsec_' and 24 to 64 bytes in base64, or 'whpk_' and an Ed25519 public key of 32 bytes in base64",
  "ed25519-hex": "an Ed25519 public key: 64 hexadecimal digits",
  "p256-spki": "a P-256 public key: its SPKI in base64, as the provider shows it",
  certificate: "an X.509 certificate in PEM with an RSA key of at least 2048 bits",
};

export function isKey(form: KeyForm, text: string): boolean {
  switch (form) {
    case "text":
      return text !== "" && text.trim() === text;
    case "standard-webhooks":
      return isVerifyingKey(text);
    case "ed25519-hex":
      return readEd25519Hex(text) !== null;
    case "p256-spki":
      return readP256Spki(text) !== null;
    case "certificate":
      return readCertificate(text) !== null;
  }
}

export function isVerifyingKey(text: string): boolean {
  try {
    parseVerifyingKey(text);
    return true;
  } catch {
    return false;
  }
}

/** Null when it is none. Both cases are taken: it is copied from a page, not signed. */
export function readEd25519Hex(text: string): KeyObject | null {
  const bytes = decodeStrictHex(text.toLowerCase(), ED25519_BYTES);
  return bytes === null ? null : importEd25519PublicKey(bytes);
}

/** Null when it is none. */
export function readP256Spki(text: string): KeyObject | null {
  const der = decodeStrictBase64(text);
  if (der === null) return null;
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}
