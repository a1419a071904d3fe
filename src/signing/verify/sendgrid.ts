/** Twilio SendGrid's signed Event Webhook: twilio.com/docs/sendgrid/for-developers/tracking-events. */
import { verify } from "node:crypto";
import { singleHeader } from "../single-header.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { childrenOf } from "./json-children.ts";
import { readP256Spki } from "./key-form.ts";
import { decodeUtf8, isJson, membersOfJson } from "./members.ts";
import { judgeUnixSeconds, timeOfSeconds } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import type { ProviderEvent } from "./provider-event.ts";
import { refused, TAKES_ANY_SUCCESS, verifiedWhen } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { IdSource, TimedSettings } from "./settings.ts";

/** More than SendGrid puts into one request. */
const MAX_EVENTS = 1000;

export const sendgrid: Scheme<TimedSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "p256-spki",
  acknowledgement: TAKES_ANY_SUCCESS,

  verify({ secrets, toleranceMs }, { headers, rawBody, nowMs }) {
    const header = singleHeader(headers, "x-twilio-email-event-webhook-signature");
    if (!header.ok) return refused(header.reason);
    const time = singleHeader(headers, "x-twilio-email-event-webhook-timestamp");
    if (!time.ok) return refused(time.reason);
    const signature = decodeStrictBase64(header.value);
    if (signature === null) return refused("malformed_header");
    const late = judgeUnixSeconds(time.value, { nowMs, toleranceMs });
    if (late !== null) return refused(late);
    const keys = secrets.map(readP256Spki).filter((key) => key !== null);
    if (keys.length === 0) return refused("no_active_secret");
    const bytes = Buffer.concat([Buffer.from(time.value), rawBody]);
    return verifiedWhen(keys.map((key) => verify("sha256", bytes, key, signature)).includes(true));
  },

  readEvent(settings, { rawBody }) {
    const text = decodeUtf8(rawBody);
    if (text === null || !isJson(text)) return unreadable("body_malformed");
    if (!text.trimStart().startsWith("[")) return unreadable("batch_malformed");
    const elements = childrenOf(text);
    if (elements.length > MAX_EVENTS) return unreadable("batch_too_large");
    const events = elements.map((element) => readElement(settings, element.text));
    const whole = events.filter((event) => event.kind === "event");
    // One that cannot be read refuses all: half a batch would never be sent again.
    return whole.length < events.length ? unreadable("batch_malformed") : { kind: "batch", events: whole };
  },
};

function readElement(settings: IdSource, text: string): ProviderEvent {
  const element = membersOfJson(text);
  const event = eventOf(settings, element, {
    id: element.text("sg_event_id"),
    type: element.text("event"),
    time: timeOfSeconds(element.text("timestamp")),
  });
  return event.kind === "event" ? { ...event, body: Buffer.from(text) } : event;
}
