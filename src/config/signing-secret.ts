/** The shape of a signing secret; `signing/` turns it into a key in the process that signs. */
import { decodeBase64 } from "../delivery/base64.ts";

export const SIGNING_SECRET_RULE =
  "'whsec_' and 24 to 64 bytes in base64, or 'whsk_' and an Ed25519 key of 32 or 64 bytes in base64";

/** Says why a text is no Standard Webhooks secret, without the text; null when it is one. */
export function checkSigningSecret(secret: string): string | null {
  const match = /^(whsec|whsk)_(.+)$/s.exec(secret);
  const bytes = match === null ? null : (decodeBase64(match[2] ?? "")?.length ?? null);
  if (match === null || bytes === null) return `must be ${SIGNING_SECRET_RULE}`;
  const fits = match[1] === "whsec" ? bytes >= 24 && bytes <= 64 : bytes === 32 || bytes === 64;
  return fits ? null : `must be ${SIGNING_SECRET_RULE}`;
}
