/** The way Slack signs, which Zoom took over: `v0=<hex>` over `v0:<seconds>:<body>`. */
import { singleHeader } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { judgeUnixSeconds } from "./moments.ts";
import { refused, verifiedWhen } from "./scheme.ts";
import type { VerifyResult, WebhookRequest } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";

export interface VersionedHeaders {
  readonly signature: string;
  readonly timestamp: string;
}

const PREFIX = "v0=";

export function verifyVersioned(
  { secrets, toleranceMs }: Pick<TimedSettings<string>, "secrets" | "toleranceMs">,
  { headers, rawBody, nowMs }: WebhookRequest,
  names: VersionedHeaders,
): VerifyResult {
  const header = singleHeader(headers, names.signature);
  if (!header.ok) return refused(header.reason);
  const time = singleHeader(headers, names.timestamp);
  if (!time.ok) return refused(time.reason);
  if (!header.value.startsWith(PREFIX)) return refused("unknown_version");
  const signature = decodeStrictHex(header.value.slice(PREFIX.length), 32);
  if (signature === null) return refused("malformed_header");
  const late = judgeUnixSeconds(time.value, { nowMs, toleranceMs });
  if (late !== null) return refused(late);
  const parts = [`v0:${time.value}:`, rawBody];
  return verifiedWhen(hmacMatches({ algorithm: "sha256", secrets, parts, signatures: [signature] }));
}
