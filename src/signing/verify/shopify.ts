/** Shopify: shopify.dev/docs/apps/build/webhooks and, under names without `x-`, Events (a preview). */
import { verifyBodySignature } from "./body-signature.ts";
import { headerWord } from "./header-word.ts";
import { readJson } from "./members.ts";
import { timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { UntimedSettings } from "./settings.ts";

export const shopify = schemeWith("x-shopify");
export const shopifyEvents = schemeWith("shopify");

function schemeWith(prefix: string): Scheme<UntimedSettings<string>> {
  return {
    // `…-triggered-at` is outside the signature, so it tells nothing.
    toleranceMs: null,
    keyForm: "text",
    acknowledgement: WANTS_200,

    verify: ({ secrets }, request) =>
      verifyBodySignature(request, { header: `${prefix}-hmac-sha256`, secrets, parts: [request.rawBody] }),

    readEvent(settings, { headers, rawBody }) {
      const body = readJson(rawBody);
      if (body === null) return unreadable("body_malformed");
      const word = (name: string) => headerWord(headers, `${prefix}-${name}`);
      const topic = word("topic");
      const action = word("action");
      return eventOf(settings, body, {
        // `…-webhook-id` names the delivery: two subscriptions give two of them for one event.
        id: word("event-id"),
        type: topic === null || action === null ? topic : `${topic}.${action}`,
        time: timeOfRfc3339(word("triggered-at")),
        idIsSigned: false,
      });
    },
  };
}
