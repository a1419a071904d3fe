/** Twilio: twilio.com/docs/usage/webhooks/webhooks-security. */
import { createHash } from "node:crypto";
import { singleHeader } from "../single-header.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { parseForm } from "./form.ts";
import type { FormParameter } from "./form.ts";
import { headerWord } from "./header-word.ts";
import { equalBytes, hmacMatches } from "./hmac-matches.ts";
import { readBody } from "./members.ts";
import type { Members } from "./members.ts";
import { eventOf, joinMembers, unreadable } from "./provider-event.ts";
import { refused, verifiedWhen, WANTS_EMPTY_200 } from "./scheme.ts";
import type { Scheme, WebhookRequest } from "./scheme.ts";
import type { UrlSettings } from "./settings.ts";
import { UNTYPED } from "./standard-webhooks.ts";
import { twilioUrls } from "./twilio-url.ts";

const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

export const twilio: Scheme<UrlSettings<string>> = {
  toleranceMs: null,
  keyForm: "text",
  // A body would be read as instructions for the call or the message.
  acknowledgement: WANTS_EMPTY_200,

  verify({ secrets, publicUrl }, request) {
    const header = singleHeader(request.headers, "x-twilio-signature");
    if (!header.ok) return refused(header.reason);
    const algorithm = algorithmOf(request.headers);
    if (algorithm === null) return refused("unknown_version");
    const signature = decodeStrictBase64(header.value);
    if (signature?.byteLength !== DIGEST_BYTES[algorithm]) return refused("malformed_header");
    const urls = twilioUrls(publicUrl, request.url);
    if (urls === null) return refused("signature_mismatch");
    // With a hash of the body in the (signed) URL nothing else is signed: that is how Twilio sends JSON.
    if (urls.bodySha256 !== null && !hasHash(request.rawBody, urls.bodySha256)) return refused("signature_mismatch");
    const parameters = urls.bodySha256 === null ? parseForm(request.rawBody) : [];
    if (parameters === null) return refused("body_malformed");
    const signedParameters = sortedText(parameters);
    const matches = urls.spellings.map((url) =>
      hmacMatches({ algorithm, secrets, parts: [url, signedParameters], signatures: [signature] }),
    );
    return verifiedWhen(matches.includes(true));
  },

  readEvent(settings, request) {
    const body = readBody(request);
    if (body === null) return unreadable("body_malformed");
    return eventOf(settings, body, {
      id: headerWord(request.headers, "i-twilio-idempotency-token") ?? ownId(body),
      type: ownType(body),
      idIsSigned: headerWord(request.headers, "i-twilio-idempotency-token") === null,
    });
  },
};

/**
 * A webhook rule at Twilio makes it sign with a shared key, and say so (twilio.com/docs/usage/webhooks/webhook-shared-keys).
 *
 * Nothing is gained by writing that header: either way it takes the secret to sign. Null = an algorithm we do not know.
 */
function algorithmOf(headers: WebhookRequest["headers"]): "sha1" | "sha256" | null {
  const settings = singleHeader(headers, "x-twilio-webhooks-signature-settings");
  if (!settings.ok) return settings.reason === "missing_header" ? "sha1" : null;
  return settings.value.split(",").includes("algorithm=HMAC_SHA256") ? "sha256" : null;
}

function hasHash(body: Uint8Array, hash: string): boolean {
  const claimed = decodeStrictHex(hash, 32);
  return claimed !== null && equalBytes(claimed, createHash("sha256").update(body).digest());
}

/** Names in order, each followed by its value; equal pairs once, other values of one name in order. */
function sortedText(parameters: readonly FormParameter[]): string {
  const values = new Map<string, Set<string>>();
  for (const { name, value } of parameters) values.set(name, (values.get(name) ?? new Set<string>()).add(value));
  return [...values]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, found]) => [...found].toSorted().map((value) => name + value))
    .join("");
}

const STATUS_NAMES = [
  { sid: "MessageSid", status: "MessageStatus", word: "message" },
  { sid: "MessageSid", status: "SmsStatus", word: "message" },
  { sid: "CallSid", status: "CallStatus", word: "call" },
];

function ownId(body: Members): string | null {
  const ids = STATUS_NAMES.map(({ sid, status }) => joinMembers(body, [sid, status]));
  return ids.find((id) => id !== null) ?? null;
}

/** Twilio has no word for it in general: its own where there is one, else what changed its status. */
function ownType(body: Members): string {
  const types = STATUS_NAMES.map(({ status, word }) => {
    const value = body.text(status);
    return value === null ? null : `${word}.${value}`;
  });
  return body.text("EventType") ?? types.find((type) => type !== null) ?? UNTYPED;
}
