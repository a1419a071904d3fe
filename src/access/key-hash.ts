/** What is kept of a key: a hash of its secret part. */
import { createHash, timingSafeEqual } from "node:crypto";

/**
 * `sha256:` and 64 hex digits, over the characters of the secret.
 *
 * A slow hash guards passwords because people choose guessable ones. Nobody guesses 256 random bits,
 * however fast a guess is; all a slow hash would do here is let strangers burn our processor.
 */
export function hashSecret(secret: string): string {
  return `sha256:${createHash("sha256").update(secret).digest("hex")}`;
}

/** In time that does not depend on where the two differ. */
export function matchesHash(secret: string, hash: string): boolean {
  const [found, expected] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return found.byteLength === expected.byteLength && timingSafeEqual(found, expected);
}
