/** A person's signature under a decision: Ed25519 (RFC 8032) over the exact bytes. */
import { createPrivateKey, generateKeyPairSync, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { CountersignError } from "../errors.ts";
import { ED25519_BYTES, exportEd25519PublicKey, importEd25519PublicKey } from "./ed25519.ts";
import { decodeStrictBase64 } from "./strict-base64.ts";

export interface DecisionKeyPair {
  /** Its 32 bytes in base64: what stands in `people`. */
  readonly publicKey: string;
  /** PKCS #8. Never log it. */
  readonly privateKeyPem: string;
}

const SIGNATURE_BYTES = 64;

export function generateKeyPair(): DecisionKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    publicKey: exportEd25519PublicKey(publicKey).toString("base64"),
    privateKeyPem: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

/**
 * Signs a decision; base64.
 *
 * Throws `bad_argument` when the key is not an Ed25519 private key in PEM; the
 * message never holds the key.
 */
export function signDecision(privateKeyPem: string, bytes: Uint8Array): string {
  return sign(null, bytes, readPrivateKey(privateKeyPem)).toString("base64");
}

/** Whether the signature is this key's, over exactly these bytes; false for anything malformed, never an error. */
export function verifyDecision(publicKey: string, bytes: Uint8Array, signature: string): boolean {
  const key = decodeStrictBase64(publicKey);
  const claimed = decodeStrictBase64(signature);
  if (key?.byteLength !== ED25519_BYTES || claimed?.byteLength !== SIGNATURE_BYTES) return false;
  return verify(null, bytes, importEd25519PublicKey(key), claimed);
}

/** The cause is left out: what the parser says may quote what it read. */
function readPrivateKey(pem: string): KeyObject {
  const key = parsePrivateKey(pem);
  if (key?.asymmetricKeyType === "ed25519") return key;
  const found =
    key === null ? "what was given is no private key in PEM" : `this one is of type ${key.asymmetricKeyType}`;
  throw new CountersignError("bad_argument", `A decision is signed with an Ed25519 private key in PEM, but ${found}.`);
}

function parsePrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
