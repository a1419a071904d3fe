import { createHmac, timingSafeEqual } from "node:crypto";

export interface HmacClaim {
  readonly algorithm: "sha1" | "sha256" | "sha512";
  /** The bytes of each, UTF-8, are the key. */
  readonly secrets: readonly string[];
  /** What was signed, piece after piece. */
  readonly parts: readonly (string | Uint8Array)[];
  /** What came with the message, decoded. */
  readonly signatures: readonly Uint8Array[];
}

/** Whether any signature is any secret's. Looks at every pair, so that the time taken does not tell which one matched. */
export function hmacMatches({ algorithm, secrets, parts, signatures }: HmacClaim): boolean {
  return secrets
    .flatMap((secret) => {
      const hmac = createHmac(algorithm, secret);
      for (const part of parts) hmac.update(part);
      const expected = hmac.digest();
      return signatures.map((signature) => equalBytes(signature, expected));
    })
    .includes(true);
}

/** In constant time; the length of a digest is no secret. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
