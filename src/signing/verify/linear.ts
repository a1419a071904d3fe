/** Linear: linear.app/developers/webhooks. */
import { singleHeader } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { headerWord } from "./header-word.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { readJson } from "./members.ts";
import { judgeMs, timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { refused, VERIFIED, WANTS_200 } from "./scheme.ts";
import type { Scheme, VerifyResult, WebhookRequest } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";

export const linear: Scheme<TimedSettings<string>> = {
  toleranceMs: 60_000,
  keyForm: "text",
  acknowledgement: WANTS_200,

  verify({ secrets, toleranceMs }, request) {
    const header = singleHeader(request.headers, "linear-signature");
    if (!header.ok) return refused(header.reason);
    const signature = decodeStrictHex(header.value, 32);
    if (signature === null) return refused("malformed_header");
    const claim = { algorithm: "sha256", secrets, parts: [request.rawBody], signatures: [signature] } as const;
    if (!hmacMatches(claim)) return refused("signature_mismatch");
    return judgeSignedTime(request, toleranceMs);
  },

  readEvent(settings, { headers, rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    const type = body.text("type");
    const action = body.text("action");
    return eventOf(settings, body, {
      id: headerWord(headers, "linear-delivery"),
      type: type === null || action === null ? type : `${type}.${action}`,
      time: timeOfRfc3339(body.text("createdAt")),
      idIsSigned: false,
      // The time of sending, not of the event.
      volatileMembers: ["webhookTimestamp"],
    });
  },
};

/** The header `linear-timestamp` is outside the signature; the member of the body is read once the body is verified. */
function judgeSignedTime({ rawBody, nowMs }: WebhookRequest, toleranceMs: number): VerifyResult {
  const time = readJson(rawBody)?.text("webhookTimestamp") ?? null;
  if (time === null) return refused("timestamp_missing");
  if (!/^\d{1,15}$/.test(time)) return refused("timestamp_malformed");
  const late = judgeMs(Number(time), { nowMs, toleranceMs });
  return late === null ? VERIFIED : refused(late);
}
