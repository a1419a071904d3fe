/** Stripe: docs.stripe.com/webhooks/signature. */
import { readJson } from "./members.ts";
import { timeOfRfc3339, timeOfSeconds } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";
import { type PairsForm, verifySignaturePairs } from "./signature-pairs.ts";

/** `v0` is a test scheme of Stripe's and counts for nothing. */
const FORM: PairsForm = {
  header: "stripe-signature",
  separator: ",",
  timeName: "t",
  signatureName: "v1",
  timeEnd: ".",
};

export const stripe: Scheme<TimedSettings<string>> = {
  toleranceMs: 300_000,
  // The whole text `whsec_…` is the key, not what it encodes.
  keyForm: "text",
  acknowledgement: WANTS_200,

  verify: (settings, request) => verifySignaturePairs(settings, request, FORM),

  readEvent(settings, { rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    const created = body.text("created");
    return eventOf(settings, body, {
      id: body.text("id"),
      type: body.text("type"),
      // Seconds, but a time of day in events of the second version.
      time: timeOfSeconds(created) ?? timeOfRfc3339(created),
      // Counts the deliveries of the event that are still open.
      volatileMembers: ["pending_webhooks"],
    });
  },
};
