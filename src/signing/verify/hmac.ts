/** HMAC as many senders do it, each in its own headers: all of that is configured. */
import { singleHeader } from "../single-header.ts";
import type { IncomingHeaders } from "../single-header.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { headerWord } from "./header-word.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { readBody } from "./members.ts";
import { judgeUnixSeconds } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import { refused, TAKES_ANY_SUCCESS, verifiedWhen } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { HmacSettings } from "./settings.ts";
import { UNTYPED } from "./standard-webhooks.ts";

const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const;

export const hmac: Scheme<HmacSettings<string>> = {
  toleranceMs: 5 * 60_000,
  keyForm: "text",
  acknowledgement: TAKES_ANY_SUCCESS,

  verify(settings, { headers, rawBody, nowMs }) {
    const { algorithm, secrets, prefix, timestampHeader, toleranceMs } = settings;
    const header = singleHeader(headers, settings.signatureHeader);
    if (!header.ok) return refused(header.reason);
    if (!header.value.startsWith(prefix)) return refused("malformed_header");
    const signature = decodeSignature(settings, header.value.slice(prefix.length));
    if (signature === null) return refused("malformed_header");
    const time = timestampHeader === null ? null : singleHeader(headers, timestampHeader);
    if (time !== null && !time.ok) return refused(time.reason);
    const late = time === null ? null : judgeUnixSeconds(time.value, { nowMs, toleranceMs });
    if (late !== null) return refused(late);
    const parts = [textBeforeBody(settings.signedText, time?.value ?? ""), rawBody];
    return verifiedWhen(hmacMatches({ algorithm, secrets, parts, signatures: [signature] }));
  },

  readEvent(settings, request) {
    const body = readBody(request);
    if (body === null) return unreadable("body_malformed");
    const { idHeader, typeHeader, typeFrom, volatileMembers } = settings;
    return eventOf(settings, body, {
      id: optionalWord(request.headers, idHeader),
      type: typeHeader === null ? (body.text(typeFrom) ?? UNTYPED) : headerWord(request.headers, typeHeader),
      idIsSigned: false,
      volatileMembers,
    });
  },
};

const BODY = "{body}";

/** Whether a text says what is signed in the one form there is: `{body}` at its end, `{timestamp}` before it or not. */
export function isSignedText(text: string): boolean {
  const rest = text.slice(0, -BODY.length).replace("{timestamp}", "");
  return text.endsWith(BODY) && !/[{}]/.test(rest);
}

function textBeforeBody(signedText: string, timestamp: string): string {
  // A function, because `$` in a replacement text has a meaning.
  return signedText.slice(0, -BODY.length).replace("{timestamp}", () => timestamp);
}

function decodeSignature({ algorithm, encoding }: HmacSettings<string>, text: string): Buffer | null {
  const length = DIGEST_BYTES[algorithm];
  if (encoding === "hex") return decodeStrictHex(text, length);
  const bytes = decodeStrictBase64(text);
  return bytes?.byteLength === length ? bytes : null;
}

function optionalWord(headers: IncomingHeaders, name: string | null): string | null {
  return name === null ? null : headerWord(headers, name);
}
