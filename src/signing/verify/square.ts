/** Square: developer.squareup.com/docs/webhooks/step3validate. */
import { verifyBodySignature } from "./body-signature.ts";
import { readJson } from "./members.ts";
import { timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { TAKES_ANY_SUCCESS } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { UrlSettings } from "./settings.ts";

export const square: Scheme<UrlSettings<string>> = {
  toleranceMs: null,
  keyForm: "text",
  acknowledgement: TAKES_ANY_SUCCESS,

  // The URL as configured there, never `Host` or `X-Forwarded-*`, which anybody may write.
  verify: ({ secrets, publicUrl }, request) =>
    verifyBodySignature(request, {
      header: "x-square-hmacsha256-signature",
      secrets,
      parts: [publicUrl, request.rawBody],
    }),

  readEvent(settings, { rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    return eventOf(settings, body, {
      id: body.text("event_id"),
      type: body.text("type"),
      time: timeOfRfc3339(body.text("created_at")),
    });
  },
};
