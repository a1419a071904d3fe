import { describe, expect, test } from "vitest";
import { ALL_VECTORS, isSameMessage, requestOf, vectorOf } from "../../../test/support/signature-vectors.ts";
import type { SignatureVector } from "../../../test/support/signature-vectors.ts";
import type { WebhookRequest } from "./scheme.ts";
import { SCHEME_NAMES, schemeOf } from "./schemes.ts";
import type { VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";
import { REFUSAL_REASONS } from "../verdict.ts";

const MAX_FULL_BYTES = 300;

const titled = (vectors: readonly SignatureVector[]) =>
  vectors.map((vector) => ({ title: `${vector.scheme.scheme}: ${vector.name}`, vector }));
const ALL = titled(ALL_VECTORS);
const ONE_EACH = titled(SCHEME_NAMES.map(vectorOf));

const verdictOf = (vector: SignatureVector, change: Partial<WebhookRequest> = {}) =>
  verifyWebhook(vector.scheme, { ...requestOf(vector), ...change });

/** False for a refusal, whose reason has to be of the list. */
function accepts(vector: SignatureVector, change: Partial<WebhookRequest>): boolean {
  const verdict = verdictOf(vector, change);
  // Asked tens of thousands of times: `expect` would take most of the time.
  if (!verdict.verified && !REFUSAL_REASONS.includes(verdict.because)) expect.fail(`${verdict.because} is no reason`);
  return verdict.verified;
}

/** Outside what their schemes sign, so they may be anything. */
const UNSIGNED_HEADERS = new Set([
  "content-type",
  "paypal-cert-url",
  "x-event-id",
  "x-twilio-webhooks-signature-settings",
]);
const signedHeaders = ({ headers }: SignatureVector) =>
  Object.entries(headers).filter(([name]) => !UNSIGNED_HEADERS.has(name));

/** Texts that differ in one bit. */
function* flippedTexts(text: string): Generator<string> {
  for (const bytes of flippedBodies(Buffer.from(text, "latin1"))) yield Buffer.from(bytes).toString("latin1");
}

/** Of a long body one bit of each byte. */
function* flippedBodies(bytes: Uint8Array): Generator<Uint8Array> {
  for (const [index, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit += 1) {
      if (bytes.byteLength > MAX_FULL_BYTES && bit !== index % 8) continue;
      const flipped = Uint8Array.from(bytes);
      flipped[index] = byte ^ (1 << bit);
      yield flipped;
    }
  }
}

describe("verifyWebhook", () => {
  test("has a vector of each scheme", () => {
    expect(new Set(ALL_VECTORS.map(({ scheme }) => scheme.scheme))).toEqual(new Set(SCHEME_NAMES));
  });

  test.each(ALL)("accepts the vector of $title", ({ vector }) => {
    expect(verdictOf(vector)).toEqual({ verified: true });
  });

  test.each(ALL)("refuses every flipped bit of the body of $title", ({ vector }) => {
    const { rawBody } = requestOf(vector);
    const accepted = [...flippedBodies(rawBody)].filter((flipped) => accepts(vector, { rawBody: flipped }));
    expect(accepted.filter((flipped) => !isSameMessage(vector, rawBody, flipped))).toEqual([]);
    const signsMembers = vector.scheme.scheme === "twilio" || vector.scheme.scheme === "sns";
    expect(signsMembers || accepted.length === 0).toBe(true);
  });

  test.each(ALL)("refuses every flipped bit of a signed header of $title", ({ vector }) => {
    for (const [name, value] of signedHeaders(vector)) {
      const accepted = [...flippedTexts(value)].filter((flipped) =>
        accepts(vector, { headers: { ...vector.headers, [name]: flipped } }),
      );
      expect(accepted).toEqual([]);
    }
  });

  test.each(titled(ALL_VECTORS.filter(({ url }) => url !== undefined)))(
    "refuses every flipped bit of the query that was signed: $title",
    ({ vector }) => {
      const [path = "", query = ""] = (vector.url ?? "").split("?");
      const accepted = [...flippedTexts(query)].filter((flipped) => accepts(vector, { url: `${path}?${flipped}` }));
      expect(accepted).toEqual([]);
      // Scheme, host and path are those of the configuration, whatever a proxy made of them.
      expect(accepts(vector, { url: `/elsewhere?${query}` })).toBe(true);
    },
  );

  test.each(ALL)("refuses every flipped bit of the secret or URL of $title", ({ vector: { scheme, ...rest } }) => {
    // Public keys have several spellings; what they verify is flipped above.
    if ("certificates" in scheme || scheme.scheme === "discord" || scheme.scheme === "sendgrid") return;
    const [secret = ""] = scheme.secrets;
    const changed = [...flippedTexts(secret)].map((text): VerifyScheme => ({ ...scheme, secrets: [text] }));
    if ("publicUrl" in scheme && rest.url === undefined && !rest.name.includes("left out"))
      for (const text of flippedTexts(scheme.publicUrl)) changed.push({ ...scheme, publicUrl: text });
    const accepted = changed.filter((other) => verifyWebhook(other, requestOf({ ...rest, scheme })).verified);
    expect(accepted).toEqual([]);
  });

  test.each(ONE_EACH)("refuses another body, no body and one more byte: $title", ({ vector }) => {
    const { rawBody } = requestOf(vector);
    for (const other of [Buffer.alloc(0), Buffer.concat([rawBody, Buffer.from(".")]), rawBody.subarray(1)])
      expect(verdictOf(vector, { rawBody: other }).verified).toBe(false);
  });

  test.each(ONE_EACH)("takes header names in any case: $title", ({ vector }) => {
    const upper = Object.entries(vector.headers).map(([name, value]) => [name.toUpperCase(), value] as const);
    expect(verdictOf(vector, { headers: Object.fromEntries(upper) })).toEqual({ verified: true });
  });

  test.each(
    titled(ALL_VECTORS.filter(({ scheme }) => schemeOf(scheme.scheme).toleranceMs !== null && "toleranceMs" in scheme)),
  )("accepts up to its tolerance, in both directions, and no second more: $title", ({ vector }) => {
    const signsTime = vector.scheme.scheme !== "hmac" || vector.scheme.timestampHeader !== null;
    if (!("toleranceMs" in vector.scheme) || !signsTime) return;
    const { toleranceMs } = vector.scheme;
    const at = (offsetMs: number) => verdictOf(vector, { nowMs: vector.nowMs + offsetMs });
    for (const offsetMs of [toleranceMs, -toleranceMs]) expect(at(offsetMs)).toEqual({ verified: true });
    expect(at(toleranceMs + 1000)).toEqual({ verified: false, because: "timestamp_too_old" });
    expect(at(-toleranceMs - 1000)).toEqual({ verified: false, because: "timestamp_too_new" });
    expect(at(24 * 3_600_000)).toMatchObject({ verified: false });
    expect(at(-24 * 3_600_000)).toMatchObject({ verified: false });
  });

  test.each(ONE_EACH)(
    "accepts any of ten secrets, and throws for eleven: $title",
    ({ vector: { scheme, ...rest } }) => {
      const request = requestOf({ ...rest, scheme });
      const keys = "certificates" in scheme ? scheme.certificates : scheme.secrets;
      const withKeys = (texts: readonly string[]): VerifyScheme =>
        "certificates" in scheme ? { ...scheme, certificates: texts } : { ...scheme, secrets: texts };
      const others = Array.from({ length: 9 }, () => OTHER_KEYS[schemeOf(scheme.scheme).keyForm]);
      expect(verifyWebhook(withKeys([...others, ...keys]), request)).toEqual({ verified: true });
      expect(verifyWebhook(withKeys([...keys, ...others]), request)).toEqual({ verified: true });
      expect(verifyWebhook(withKeys(others), request).verified).toBe(false);
      expect(verifyWebhook(withKeys([]), request)).toEqual({ verified: false, because: "no_active_secret" });
      const tooMany = withKeys([...keys, ...others, ...keys]);
      expect(() => verifyWebhook(tooMany, request)).toThrow("1 to 10 secrets");
    },
  );
});

const OTHER_KEYS = {
  text: "another secret",
  "standard-webhooks": `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  "ed25519-hex": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "p256-spki":
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQ4LIFtWztlsF7skFqOncjD1lun4H5w8XOhyOArHW9RcIx/FfEzx6cikC/yPfUvwaX/JScE7Fc9CJD2afQ9Ok3Q==",
  certificate: "no certificate at all",
} as const;
