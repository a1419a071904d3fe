/** GitHub: docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries. */
import { singleHeader } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { headerWord } from "./header-word.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { isForm, readBody, readJson } from "./members.ts";
import type { Members } from "./members.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import type { Handshake } from "./provider-event.ts";
import { refused, TAKES_ANY_SUCCESS, verifiedWhen } from "./scheme.ts";
import type { Scheme, WebhookRequest } from "./scheme.ts";
import type { UntimedSettings } from "./settings.ts";

const PREFIX = "sha256=";

const PONG: Handshake = {
  kind: "handshake",
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: "pong",
};

export const github: Scheme<UntimedSettings<string>> = {
  toleranceMs: null,
  keyForm: "text",
  acknowledgement: TAKES_ANY_SUCCESS,

  verify({ secrets }, { headers, rawBody }) {
    // The older `x-hub-signature` is SHA-1 and is not looked at.
    const header = singleHeader(headers, "x-hub-signature-256");
    if (!header.ok) return refused(header.reason);
    if (!header.value.startsWith(PREFIX)) return refused("unknown_version");
    const signature = decodeStrictHex(header.value.slice(PREFIX.length), 32);
    if (signature === null) return refused("malformed_header");
    const parts = [rawBody];
    return verifiedWhen(hmacMatches({ algorithm: "sha256", secrets, parts, signatures: [signature] }));
  },

  readEvent(settings, request) {
    const name = headerWord(request.headers, "x-github-event");
    if (name === "ping") return PONG;
    const body = readPayload(request);
    if (body === null) return unreadable("body_malformed");
    const action = body.text("action");
    return eventOf(settings, body, {
      id: headerWord(request.headers, "x-github-delivery"),
      type: name === null || action === null ? name : `${name}.${action}`,
      idIsSigned: false,
    });
  },
};

/** As a form the JSON stands in one parameter. */
function readPayload(request: WebhookRequest): Members | null {
  const body = readBody(request);
  if (body === null || !isForm(request.headers)) return body;
  return readJson(Buffer.from(body.text("payload") ?? ""));
}
