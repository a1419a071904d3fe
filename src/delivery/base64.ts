/** Base64 without Node: this folder runs in the workflow sandbox too. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Map(Array.from(ALPHABET, (character, value) => [character.charCodeAt(0), value]));

/**
 * Decodes padded base64 (RFC 4648 §4), strictly: null for any other character,
 * a wrong length, or bits set behind the last byte (§3.5), so that one value has
 * one spelling.
 */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const characters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  for (let index = 0; index < characters; index += 1) {
    const value = VALUES.get(text.charCodeAt(index));
    if (value === undefined) return null;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[written] = (bits >> bitCount) & 0xff;
    written += 1;
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? bytes : null;
}
