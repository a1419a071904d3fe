/** Paddle Billing: developer.paddle.com/webhooks/signature-verification. */
import { readJson } from "./members.ts";
import { timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";
import { type PairsForm, verifySignaturePairs } from "./signature-pairs.ts";

const FORM: PairsForm = {
  header: "paddle-signature",
  separator: ";",
  timeName: "ts",
  signatureName: "h1",
  timeEnd: ":",
};

export const paddle: Scheme<TimedSettings<string>> = {
  // What Paddle's own libraries use.
  toleranceMs: 5000,
  keyForm: "text",
  acknowledgement: WANTS_200,

  verify: (settings, request) => verifySignaturePairs(settings, request, FORM),

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
