/** Zoom: developers.zoom.us/docs/api/webhooks. */
import { createHmac } from "node:crypto";
import { readJson } from "./members.ts";
import type { Members } from "./members.ts";
import { timeOfMs } from "./moments.ts";
import { eventOf, joinMembers, unreadable } from "./provider-event.ts";
import type { ProviderEvent } from "./provider-event.ts";
import { WANTS_200 } from "./scheme.ts";
import type { Scheme, WebhookRequest } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";
import { verifyVersioned } from "./versioned-signature.ts";

const HEADERS = { signature: "x-zm-signature", timestamp: "x-zm-request-timestamp" };

/** Without a colon, so that what we sign for Zoom is never what Zoom signs for us (`v0:…`). */
const PLAIN_TOKEN = /^[A-Za-z0-9_-]{1,200}$/;

export const zoom: Scheme<TimedSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "text",
  acknowledgement: WANTS_200,

  verify: (settings, request) => verifyVersioned(settings, request, HEADERS),

  readEvent(settings, request) {
    const body = readJson(request.rawBody);
    if (body === null) return unreadable("body_malformed");
    const event = body.text("event");
    if (event === "endpoint.url_validation") return answerValidation(settings, request, body);
    return eventOf(settings, body, { id: ownId(body), type: event, time: timeOfMs(body.text("event_ts")) });
  },
};

/**
 * Zoom gives events no id; what, when and on which object is what it repeats unchanged.
 *
 * And who: the end of a meeting is the same moment for all who are in it, and each of them is an event.
 */
function ownId(body: Members): string | null {
  const object = ["payload.object.uuid", "payload.object.id"].find((path) => body.text(path) !== null);
  const person = [PARTICIPANT].filter((path) => body.text(path) !== null);
  return object === undefined ? null : joinMembers(body, ["event", "event_ts", object, ...person]);
}

const PARTICIPANT = "payload.object.participant.user_id";

/** Under the secret that signed the question: during a rotation Zoom knows only one of ours. */
function answerValidation(settings: TimedSettings<string>, request: WebhookRequest, body: Members): ProviderEvent {
  const plainToken = body.text("payload.plainToken");
  const secret = settings.secrets.find(
    (candidate) => verifyVersioned({ ...settings, secrets: [candidate] }, request, HEADERS).verified,
  );
  if (plainToken === null || !PLAIN_TOKEN.test(plainToken) || secret === undefined)
    return unreadable("handshake_malformed");
  return {
    kind: "handshake",
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ plainToken, encryptedToken: encryptToken(plainToken, secret) }),
  };
}

/** What Zoom calls encrypting. */
function encryptToken(plainToken: string, secret: string): string {
  return createHmac("sha256", secret).update(plainToken).digest("hex");
}
