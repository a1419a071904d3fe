/** Paddle Billing: developer.paddle.com/webhooks/signature-verification. */
import { hmacMatches } from "./hmac-matches.ts";
import { readJson } from "./members.ts";
import { judgeUnixSeconds, timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { refused, verifiedWhen, WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";
import { readSignaturePairs } from "./signature-pairs.ts";

const FORM = { header: "paddle-signature", separator: ";", timeName: "ts", signatureName: "h1" } as const;

export const paddle: Scheme<TimedSettings<string>> = {
  // What Paddle's own libraries use.
  toleranceMs: 5000,
  keyForm: "text",
  acknowledgement: WANTS_200,

  verify({ secrets, toleranceMs }, request) {
    const pairs = readSignaturePairs(request, FORM);
    if (!pairs.ok) return refused(pairs.reason);
    const { time, signatures } = pairs;
    const late = judgeUnixSeconds(time, { nowMs: request.nowMs, toleranceMs });
    if (late !== null) return refused(late);
    const parts = [`${time}:`, request.rawBody];
    return verifiedWhen(hmacMatches({ algorithm: "sha256", secrets, parts, signatures }));
  },

  readEvent(settings, { rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    return eventOf(settings, body, {
      id: body.text("event_id"),
      type: body.text("event_type"),
      time: timeOfRfc3339(body.text("occurred_at")),
      // A replay of the same event is another notification.
      volatileMembers: ["notification_id"],
    });
  },
};
