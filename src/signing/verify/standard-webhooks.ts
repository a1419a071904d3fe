/** Standard Webhooks 1.0, and Svix, which came before it under names of its own. */
import type { HeaderPrefix } from "../signed-headers.ts";
import { singleHeader } from "../single-header.ts";
import { verifyStandardWebhook } from "../standard-webhooks.ts";
import { isVerifyingKey } from "./key-form.ts";
import { readBody } from "./members.ts";
import { timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { refused, TAKES_ANY_SUCCESS, VERIFIED } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";

/** The specification recommends a `type` in the body and does not demand it. */
export const UNTYPED = "untyped";

const SECOND_MS = 1000;

export const standardWebhooks = schemeWith("webhook");
export const svix = schemeWith("svix");

function schemeWith(headerPrefix: HeaderPrefix): Scheme<TimedSettings<string>> {
  return {
    // The specification gives no number; its reference libraries use five minutes.
    toleranceMs: 5 * 60 * SECOND_MS,
    keyForm: "standard-webhooks",
    acknowledgement: TAKES_ANY_SUCCESS,

    verify({ secrets, toleranceMs }, { headers, rawBody, nowMs }) {
      const result = verifyStandardWebhook({
        headers,
        body: rawBody,
        secrets: secrets.filter(isVerifyingKey),
        nowSeconds: Math.floor(nowMs / SECOND_MS),
        toleranceSeconds: toleranceMs / SECOND_MS,
        headerPrefix,
      });
      return result.ok ? VERIFIED : refused(result.reason);
    },

    readEvent(settings, request) {
      const body = readBody(request);
      if (body === null) return unreadable("body_malformed");
      const id = singleHeader(request.headers, `${headerPrefix}-id`);
      return eventOf(settings, body, {
        id: id.ok ? id.value : null,
        type: body.text("type") ?? body.text("eventType") ?? UNTYPED,
        time: timeOfRfc3339(body.text("timestamp")),
      });
    },
  };
}
