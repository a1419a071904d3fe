import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ALL_VECTORS, requestOf, vectorOf } from "../../../test/support/signature-vectors.ts";
import type { SignatureVector } from "../../../test/support/signature-vectors.ts";
import { parseForm } from "./form.ts";
import type { WebhookRequest } from "./scheme.ts";
import { SCHEME_NAMES, schemeOf } from "./schemes.ts";
import type { VerifyScheme } from "./settings.ts";
import { readSnsMessage } from "./sns-message.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const MAX_FULL_BYTES = 300;

const titled = (vectors: readonly SignatureVector[]) =>
  vectors.map((vector) => ({ title: `${vector.scheme.scheme}: ${vector.name}`, vector }));
const ALL = titled(ALL_VECTORS);
const ONE_EACH = titled(SCHEME_NAMES.map(vectorOf));

const verdictOf = (vector: SignatureVector, change: Partial<WebhookRequest> = {}) =>
  verifyWebhook(vector.scheme, { ...requestOf(vector), ...change });

/** Outside what their schemes sign, so they may be anything. */
const UNSIGNED_HEADERS = new Set(["content-type", "paypal-cert-url", "x-event-id"]);
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

/** Twilio and SNS sign what they find in the body, so two spellings of it are one message to them. */
function isSameMessage({ scheme }: SignatureVector, before: Uint8Array, after: Uint8Array): boolean {
  const [read, changed] = [before, after].map((bytes) =>
    scheme.scheme === "twilio" ? parseForm(bytes) : readSnsMessage(bytes)?.signedText,
  );
  return read !== undefined && JSON.stringify(read) === JSON.stringify(changed);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("verifyWebhook", () => {
  test("has a vector of each scheme", () => {
    expect(new Set(ALL_VECTORS.map(({ scheme }) => scheme.scheme))).toEqual(new Set(SCHEME_NAMES));
  });

  test.each(ALL)("accepts the vector of $title", ({ vector }) => {
    expect(verdictOf(vector)).toEqual({ verified: true });
  });

  test.each(ALL)("refuses every flipped bit of the body of $title", ({ vector }) => {
    const { rawBody } = requestOf(vector);
    const accepted = [...flippedBodies(rawBody)].filter((flipped) => verdictOf(vector, { rawBody: flipped }).verified);
    expect(accepted.filter((flipped) => !isSameMessage(vector, rawBody, flipped))).toEqual([]);
    const signsMembers = vector.scheme.scheme === "twilio" || vector.scheme.scheme === "sns";
    expect(signsMembers || accepted.length === 0).toBe(true);
  });

  test.each(ALL)("refuses every flipped bit of a signed header of $title", ({ vector }) => {
    for (const [name, value] of signedHeaders(vector)) {
      const accepted = [...flippedTexts(value)].filter(
        (flipped) => verdictOf(vector, { headers: { ...vector.headers, [name]: flipped } }).verified,
      );
      expect(accepted).toEqual([]);
    }
  });

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

  test.each(ONE_EACH)("refuses an absent, empty, doubled, listed or endless header: $title", ({ vector }) => {
    for (const [name, value] of signedHeaders(vector)) {
      const values = [undefined, "", `${value}, ${value}`, [value], [value, value], "1".repeat(5000)];
      for (const wrong of values)
        expect(verdictOf(vector, { headers: { ...vector.headers, [name]: wrong } }).verified).toBe(false);
      const twice = { ...vector.headers, [name.toUpperCase()]: value };
      expect(verdictOf(vector, { headers: twice }).verified).toBe(false);
    }
  });

  test.each(ONE_EACH)("takes header names in any case: $title", ({ vector }) => {
    const upper = Object.entries(vector.headers).map(([name, value]) => [name.toUpperCase(), value] as const);
    expect(verdictOf(vector, { headers: Object.fromEntries(upper) })).toEqual({ verified: true });
  });

  test.each(ONE_EACH)("refuses a truncated signature and one in capitals: $title", ({ vector }) => {
    for (const [name, value] of signedHeaders(vector).filter(([header]) => /sig(?!.*timestamp)|hmac/.test(header))) {
      for (const wrong of [value.slice(0, -1), value.slice(0, -2), value.toUpperCase()])
        expect(verdictOf(vector, { headers: { ...vector.headers, [name]: wrong } }).verified).toBe(false);
    }
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

  test.each(titled(ALL_VECTORS.filter(({ scheme }) => scheme.scheme !== "twilio" && scheme.scheme !== "sns")))(
    "reads nothing out of a body before it is verified: $title",
    ({ vector }) => {
      const spies = [
        vi.spyOn(JSON, "parse"),
        vi.spyOn(TextDecoder.prototype, "decode"),
        vi.spyOn(globalThis, "decodeURIComponent"),
      ];
      const changed = Buffer.concat([requestOf(vector).rawBody, Buffer.from(" ")]);
      expect(verdictOf(vector, { rawBody: changed })).toEqual({ verified: false, because: "signature_mismatch" });
      for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    },
  );

  test("agrees with the reference library of Standard Webhooks", () => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        id,
        fc.string({ unit: "grapheme" }),
        (key, name, text) => {
          const secret = `whsec_${Buffer.from(key).toString("base64")}`;
          const signature = new Webhook(secret).sign(name, new Date(nowSeconds * 1000), text);
          const headers = {
            "webhook-id": name,
            "webhook-timestamp": String(nowSeconds),
            "webhook-signature": signature,
          };
          const scheme: VerifyScheme = {
            scheme: "standard-webhooks",
            secrets: [secret],
            toleranceMs: 300_000,
            idFrom: null,
          };
          const request = { headers, rawBody: Buffer.from(text), nowMs: nowSeconds * 1000 + 999 };
          expect(verifyWebhook(scheme, request)).toEqual({ verified: true });
          expect(verifyWebhook(scheme, { ...request, rawBody: Buffer.from(`${text} `) }).verified).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each(ONE_EACH)("never throws, whatever arrives: $title", ({ vector }) => {
    const names = fc.constantFrom(...Object.keys(vector.headers), "__proto__", "constructor");
    const value = fc.oneof(
      fc.constantFrom(...Object.values(vector.headers)),
      fc.string({ unit: "binary" }),
      fc.array(fc.string()),
      fc.constant(undefined),
    );
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => Buffer.from(text)),
      fc.constant(requestOf(vector).rawBody),
    );
    const url = fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true }));
    fc.assert(
      fc.property(fc.dictionary(names, value), body, url, (headers, rawBody, requestUrl) => {
        const merged = { ...vector.headers, ...headers };
        for (const given of [headers, merged])
          expect(verdictOf(vector, { headers: given, rawBody, url: requestUrl }).verified).toBeTypeOf("boolean");
      }),
    );
  });
});

const OTHER_KEYS = {
  text: "another secret",
  "standard-webhooks": `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  "ed25519-hex": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "p256-spki":
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQ4LIFtWztlsF7skFqOncjD1lun4H5w8XOhyOArHW9RcIx/FfEzx6cikC/yPfUvwaX/JScE7Fc9CJD2afQ9Ok3Q==",
  certificate: "no certificate at all",
} as const;
