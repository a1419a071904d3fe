import { CountersignError } from "../../errors.ts";
import { MAX_SECRETS } from "../bounds.ts";
import { refused } from "./scheme.ts";
import type { VerifyResult, WebhookRequest } from "./scheme.ts";
import { schemeOf } from "./schemes.ts";
import type { VerifyScheme } from "./settings.ts";

/**
 * Whether a request comes from the provider, over its raw bytes.
 *
 * Whatever the request holds, it is refused and not thrown. At most ten secrets
 * and ten signatures are compared, in constant time, and a header over 4 KiB is
 * refused before anything is hashed; the body must be bounded by the caller. A
 * replay inside the tolerance passes: only remembering the event's id stops that.
 * Throws `config_invalid` for more than ten secrets.
 */
export function verifyWebhook(scheme: VerifyScheme, request: WebhookRequest): VerifyResult {
  const keyCount = "certificates" in scheme ? scheme.certificates.length : scheme.secrets.length;
  if (keyCount > MAX_SECRETS)
    throw new CountersignError(
      "config_invalid",
      `A source may have 1 to ${MAX_SECRETS} secrets, but this one has ${keyCount}.`,
    );
  return keyCount === 0 ? refused("no_active_secret") : schemeOf(scheme.scheme).verify(scheme, request);
}
