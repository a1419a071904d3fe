/** SHA-256 as it is written everywhere here. */

/** One spelling only: `sha256:` and 64 lower-case hex digits. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
