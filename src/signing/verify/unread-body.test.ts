/** Nothing is read out of a body before it is known who sent it: only Twilio and SNS sign what they find in theirs. */
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { SIGNERS } from "../../../test/support/provider-signers.ts";
import { ALL_VECTORS, requestOf } from "../../../test/support/signature-vectors.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const NOT_READ = SIGNERS.filter(({ name, title }) => name !== "sns" && !title.startsWith("twilio, a form"));
/** Linear's time stands in the body: it is read, but only of a body that is verified. */
const NEVER_READ = NOT_READ.filter(({ name }) => name !== "linear");

/** Whatever makes text of bytes, or members of text. */
function watchReaders() {
  return [
    vi.spyOn(JSON, "parse"),
    vi.spyOn(TextDecoder.prototype, "decode"),
    vi.spyOn(globalThis, "decodeURIComponent"),
    // Signatures are decoded and encoded again; of a body it would be called with its own bytes.
    vi.spyOn(Buffer.prototype, "toString"),
  ] as const;
}

function readsOf(rawBody: Uint8Array, judge: () => void): number {
  const [parse, decode, unescape, toText] = watchReaders();
  judge();
  const ofBody = toText.mock.contexts.filter((bytes) => Buffer.from(bytes as Uint8Array).equals(rawBody)); // a Buffer's method
  const reads = parse.mock.calls.length + decode.mock.calls.length + unescape.mock.calls.length + ofBody.length;
  vi.restoreAllMocks();
  return reads;
}

afterEach(() => void vi.restoreAllMocks());

describe("a body", () => {
  test.each(NOT_READ)("of $title is not read while its signature is wrong, whatever it holds", (signer) => {
    const [scheme, good] = [signer.scheme(["right"]), signer.sign()];
    const body = fc.oneof(
      fc.uint8Array({ minLength: 1 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(body, (rawBody) => {
        fc.pre(!Buffer.from(rawBody).equals(good.rawBody));
        const judge = () =>
          expect(verifyWebhook(scheme, { ...good, rawBody })).toEqual({
            verified: false,
            because: "signature_mismatch",
          });
        expect(readsOf(rawBody, judge)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  test.each(NEVER_READ)("of $title is not read even when it is verified", (signer) => {
    const request = signer.sign();
    const judge = () => expect(verifyWebhook(signer.scheme(["right"]), request)).toEqual({ verified: true });
    expect(readsOf(request.rawBody, judge)).toBe(0);
  });

  test.each(NEVER_READ)("of $title may be any bytes: verifying them is not understanding them", (signer) => {
    fc.assert(
      fc.property(fc.uint8Array(), (rawBody) => {
        expect(verifyWebhook(signer.scheme(["right"]), signer.sign({ rawBody }))).toEqual({ verified: true });
      }),
      { numRuns: 20 },
    );
  });

  test.each(
    ALL_VECTORS.filter(({ scheme }) => scheme.scheme !== "twilio" && scheme.scheme !== "sns").map((vector) => ({
      title: `${vector.scheme.scheme}: ${vector.name}`,
      vector,
    })),
  )("with one more space is refused unread: $title", ({ vector }) => {
    const rawBody = Buffer.concat([requestOf(vector).rawBody, Buffer.from(" ")]);
    const judge = () =>
      expect(verifyWebhook(vector.scheme, { ...requestOf(vector), rawBody })).toEqual({
        verified: false,
        because: "signature_mismatch",
      });
    expect(readsOf(rawBody, judge)).toBe(0);
  });
});
