/** Raw Ed25519 public keys (RFC 8032) as `node:crypto` takes them. */
import { createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

export const ED25519_BYTES = 32;

/** DER of a public key up to its 32 bytes (RFC 8410 §4). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** `bytes` are the 32 of the key; any 32 are taken, since whether they are a point on the curve shows when they verify. */
export function importEd25519PublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: "der", type: "spki" });
}

export function exportEd25519PublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: "der", type: "spki" }).subarray(SPKI_PREFIX.byteLength);
}
