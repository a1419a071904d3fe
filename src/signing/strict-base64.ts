const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Decodes padded, canonical base64 (RFC 4648 §4); null for anything else.
 *
 * `Buffer.from` alone ignores what it cannot read and takes two alphabets, so
 * that several texts would stand for one value.
 */
export function decodeStrictBase64(text: string): Buffer | null {
  if (!BASE64.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}
