/**
 * Decodes lower-case hexadecimal of exactly that many bytes; null for anything else.
 *
 * `Buffer.from` alone stops at the first character it cannot read and takes
 * both cases, so that several texts would stand for one value.
 */
export function decodeStrictHex(text: string, byteLength: number): Buffer | null {
  if (text.length !== 2 * byteLength || !/^[0-9a-f]*$/.test(text)) return null;
  return Buffer.from(text, "hex");
}
