/** Discord: docs.discord.com, Interactions and Webhook Events. */
import { verify } from "node:crypto";
import { singleHeader } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { readEd25519Hex } from "./key-form.ts";
import { readJson } from "./members.ts";
import type { Members } from "./members.ts";
import { judgeUnixSeconds, timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import type { ProviderEvent } from "./provider-event.ts";
import { refused, verifiedWhen, WANTS_EMPTY_202 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { IdSource, TimedSettings } from "./settings.ts";

const JSON_HEADERS = { "content-type": "application/json" };

/** Discord numbers interactions; these are its own names for the numbers. */
const INTERACTION_NAMES: Readonly<Record<string, string>> = {
  "2": "APPLICATION_COMMAND",
  "3": "MESSAGE_COMPONENT",
  "4": "APPLICATION_COMMAND_AUTOCOMPLETE",
  "5": "MODAL_SUBMIT",
};

export const discord: Scheme<TimedSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "ed25519-hex",
  // What an interaction is to show follows over Discord's API.
  acknowledgement: WANTS_EMPTY_202,

  verify({ secrets, toleranceMs }, { headers, rawBody, nowMs }) {
    const header = singleHeader(headers, "x-signature-ed25519");
    if (!header.ok) return refused(header.reason);
    const time = singleHeader(headers, "x-signature-timestamp");
    if (!time.ok) return refused(time.reason);
    const signature = decodeStrictHex(header.value, 64);
    if (signature === null) return refused("malformed_header");
    const late = judgeUnixSeconds(time.value, { nowMs, toleranceMs });
    if (late !== null) return refused(late);
    const keys = secrets.map(readEd25519Hex).filter((key) => key !== null);
    if (keys.length === 0) return refused("no_active_secret");
    const bytes = Buffer.concat([Buffer.from(time.value), rawBody]);
    return verifiedWhen(keys.map((key) => verify(null, bytes, key, signature)).includes(true));
  },

  readEvent(settings, { rawBody }) {
    const body = readJson(rawBody);
    if (body === null) return unreadable("body_malformed");
    const type = body.text("type");
    const eventType = body.text("event.type");
    if (type === "0") return { kind: "handshake", status: 204, headers: JSON_HEADERS, body: "" };
    if (eventType !== null) return readWebhookEvent(settings, body, eventType);
    if (type === "1") return { kind: "handshake", status: 200, headers: JSON_HEADERS, body: '{"type":1}' };
    const name = type === null ? null : (INTERACTION_NAMES[type] ?? type);
    return eventOf(settings, body, { id: body.text("id"), type: name });
  },
};

/** These have no id of their own, so the source has to name members with `idFrom`. */
function readWebhookEvent(settings: IdSource, body: Members, type: string): ProviderEvent {
  return eventOf(settings, body, { id: null, type, time: timeOfRfc3339(body.text("event.timestamp")) });
}
