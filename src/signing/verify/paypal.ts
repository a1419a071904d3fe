/** PayPal: developer.paypal.com/api/rest/webhooks/rest, "verify the signature yourself". */
import { singleHeader } from "../single-header.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { judgeRsa } from "./certificates.ts";
import { crc32 } from "./crc32.ts";
import { readJson } from "./members.ts";
import { judgeRfc3339, timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { refused, VERIFIED, WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { PayPalSettings } from "./settings.ts";

/** Without the bar that delimits what is signed. */
const TRANSMISSION_ID = /^[\x21-\x7b\x7d\x7e]{1,100}$/;

export const paypal: Scheme<PayPalSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "certificate",
  acknowledgement: WANTS_200,

  verify({ certificates, webhookId, toleranceMs }, { headers, rawBody, nowMs }) {
    const header = singleHeader(headers, "paypal-transmission-sig");
    if (!header.ok) return refused(header.reason);
    const algorithm = singleHeader(headers, "paypal-auth-algo");
    if (!algorithm.ok) return refused(algorithm.reason);
    const id = singleHeader(headers, "paypal-transmission-id");
    if (!id.ok) return refused(id.reason);
    const time = singleHeader(headers, "paypal-transmission-time");
    if (!time.ok) return refused(time.reason);
    if (algorithm.value !== "SHA256withRSA") return refused("unknown_version");
    const signature = decodeStrictBase64(header.value);
    if (signature === null || !TRANSMISSION_ID.test(id.value)) return refused("malformed_header");
    const late = judgeRfc3339(time.value, { nowMs, toleranceMs });
    if (late !== null) return refused(late);
    // `paypal-cert-url` is not followed: only configured certificates vouch.
    const signed = { transmissionId: id.value, time: time.value, webhookId, body: rawBody };
    const bytes = Buffer.from(payPalSignedText(signed));
    const problem = judgeRsa({ certificates, algorithm: "sha256", bytes, signature, nowMs });
    return problem === null ? VERIFIED : refused(problem);
  },

  readEvent(settings, { rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    return eventOf(settings, body, {
      id: body.text("id"),
      type: body.text("event_type"),
      time: timeOfRfc3339(body.text("create_time")),
    });
  },
};

export interface PayPalTransmission {
  readonly transmissionId: string;
  /** As sent. */
  readonly time: string;
  readonly webhookId: string;
  readonly body: Uint8Array;
}

/** The checksum is all that binds the body; so PayPal has it. */
export function payPalSignedText({ transmissionId, time, webhookId, body }: PayPalTransmission): string {
  return `${transmissionId}|${time}|${webhookId}|${crc32(body)}`;
}
