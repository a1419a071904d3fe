/** One base64 HMAC-SHA256 in a header: how Shopify and Square sign. */
import { singleHeader } from "../single-header.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { refused, verifiedWhen } from "./scheme.ts";
import type { VerifyResult, WebhookRequest } from "./scheme.ts";

export interface BodySignature {
  readonly header: string;
  readonly secrets: readonly string[];
  readonly parts: readonly (string | Uint8Array)[];
}

export function verifyBodySignature({ headers }: WebhookRequest, signed: BodySignature): VerifyResult {
  const header = singleHeader(headers, signed.header);
  if (!header.ok) return refused(header.reason);
  const signature = decodeStrictBase64(header.value);
  if (signature?.byteLength !== 32) return refused("malformed_header");
  const { secrets, parts } = signed;
  return verifiedWhen(hmacMatches({ algorithm: "sha256", secrets, parts, signatures: [signature] }));
}
