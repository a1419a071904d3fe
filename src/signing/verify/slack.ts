/** Slack: docs.slack.dev/authentication/verifying-requests-from-slack. */
import { isForm, isJson, membersOfJson, readForm, readJson } from "./members.ts";
import type { Members } from "./members.ts";
import { timeOfSeconds } from "./moments.ts";
import { eventOf, joinMembers, unreadable } from "./provider-event.ts";
import type { Handshake, ProviderEvent } from "./provider-event.ts";
import { WANTS_EMPTY_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { IdSource, TimedSettings } from "./settings.ts";
import { verifyVersioned } from "./versioned-signature.ts";

const HEADERS = { signature: "x-slack-signature", timestamp: "x-slack-request-timestamp" };
const MAX_CHALLENGE_CHARS = 1000;

export const slack: Scheme<TimedSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "text",
  // The answer to a command or a button is shown to the person, so there is none.
  acknowledgement: WANTS_EMPTY_200,

  verify: (settings, request) => verifyVersioned(settings, request, HEADERS),

  readEvent(settings, { headers, rawBody }) {
    if (isForm(headers)) return readInteraction(settings, readForm(rawBody));
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    if (body.text("type") === "url_verification") return answerChallenge(body.text("challenge"));
    return eventOf(settings, body, {
      id: body.text("event_id") ?? rateLimitId(body),
      type: body.text("event.type") ?? body.text("type"),
      time: timeOfSeconds(body.text("event_time")),
    });
  },
};

function answerChallenge(challenge: string | null): ProviderEvent {
  if (challenge === null || challenge.length > MAX_CHALLENGE_CHARS) return unreadable("handshake_malformed");
  return plain(challenge);
}

function plain(body: string): Handshake {
  return { kind: "handshake", status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The one kind of event without an id of its own. */
function rateLimitId(body: Members): string | null {
  if (body.text("type") !== "app_rate_limited") return null;
  return joinMembers(body, ["type", "team_id", "minute_rate_limited"]);
}

/** Commands are the form itself; buttons, menus and dialogs are JSON in one parameter. Slack repeats neither. */
function readInteraction(settings: IdSource, form: Members | null): ProviderEvent {
  if (form === null) return unreadable("body_malformed");
  if (form.text("ssl_check") === "1") return plain("");
  const payload = form.text("payload");
  if (payload === null) {
    const type = form.text("command") === null ? null : "command";
    return eventOf(settings, form, { id: form.text("trigger_id"), type });
  }
  if (!isJson(payload)) return unreadable("body_malformed");
  const members = membersOfJson(payload);
  return eventOf(settings, members, { id: members.text("trigger_id"), type: members.text("type") });
}
