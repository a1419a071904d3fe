/** One table over all schemes: what a request looks like, and the verdict. Exceptions name the scheme and say why. */
import { describe, expect, test } from "vitest";
import { NOW_MS, type Signer } from "../../../test/support/provider-signer.ts";
import { SIGNERS } from "../../../test/support/provider-signers.ts";
import type { WebhookRequest } from "./scheme.ts";
import { SCHEME_NAMES } from "./schemes.ts";
import type { VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";
import { REFUSAL_REASONS } from "../verdict.ts";

const VERIFIED = "verified";
/** For some reason of the list. */
const REFUSED = "refused";

interface Sent {
  readonly scheme: VerifyScheme;
  readonly request: WebhookRequest;
}

interface Row {
  readonly row: string;
  /** Each of them meets the verdict. */
  sent(signer: Signer): readonly Sent[];
  readonly verdict: string | ((signer: Signer) => string);
}

const right = (signer: Signer, request: WebhookRequest): Sent => ({ scheme: signer.scheme(["right"]), request });

/** Outside what is signed. */
const UNSIGNED = new Set(["content-type", "x-twilio-webhooks-signature-settings"]);

/** The request with each signed header changed, one at a time. */
function eachHeader(
  signer: Signer,
  change: (value: string) => string | readonly string[] | undefined,
): readonly Sent[] {
  const request = signer.sign();
  return Object.entries(request.headers)
    .filter(([name]) => !UNSIGNED.has(name))
    .map(([name, value]) =>
      right(signer, { ...request, headers: { ...request.headers, [name]: change(String(value)) } }),
    );
}

function signatureAs(signer: Signer, change: (value: string) => string): readonly Sent[] {
  const { signatureHeader } = signer;
  const request = signer.sign();
  if (signatureHeader !== null) {
    const value = change(String(request.headers[signatureHeader]));
    return [right(signer, { ...request, headers: { ...request.headers, [signatureHeader]: value } })];
  }
  const members = JSON.parse(Buffer.from(request.rawBody).toString()) as { readonly Signature: string };
  const body = JSON.stringify({ ...members, Signature: change(members.Signature) });
  return [right(signer, { ...request, rawBody: Buffer.from(body) })];
}

function bodyAs(signer: Signer, from: string, to: string): readonly Sent[] {
  const request = signer.sign();
  const text = Buffer.from(request.rawBody).toString("latin1");
  expect(text.split(from)).toHaveLength(2);
  return [right(signer, { ...request, rawBody: Buffer.from(text.replace(from, to), "latin1") })];
}

const NOT_UTF8 = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);

/** Where the body has to be read, it has to be readable: for what is signed in it, or for Linear's time once it is verified. */
function verdictOfBody(signer: Signer): string {
  if (signer.name === "sns") return "body_malformed";
  return signer.name === "linear" ? "timestamp_missing" : VERIFIED;
}

const ofTime = (reason: string) => (signer: Signer) => (signer.toleranceMs === null ? VERIFIED : reason);
const aged = (signer: Signer, offsetMs: number): readonly Sent[] => [
  right(signer, signer.sign({ timeMs: NOW_MS + offsetMs })),
];

const ROWS: readonly Row[] = [
  { row: "as it was signed", sent: (signer) => [right(signer, signer.sign())], verdict: VERIFIED },
  {
    row: "one byte of the body flipped",
    sent: (signer) => bodyAs(signer, "hello", "hellm"),
    verdict: "signature_mismatch",
  },
  {
    row: "another secret",
    sent: (signer) => [{ scheme: signer.scheme(["other"]), request: signer.sign() }],
    verdict: "signature_mismatch",
  },
  {
    row: "the old secret during a rotation, whichever stands first",
    sent: (signer) => [
      { scheme: signer.scheme(["other", "right"]), request: signer.sign() },
      { scheme: signer.scheme(["right", "other"]), request: signer.sign() },
    ],
    verdict: VERIFIED,
  },
  {
    row: "no secret",
    sent: (signer) => [{ scheme: signer.scheme([]), request: signer.sign() }],
    verdict: "no_active_secret",
  },
  {
    row: "as old and as new as may be",
    sent: (signer) => [...aged(signer, -(signer.toleranceMs ?? 0)), ...aged(signer, signer.toleranceMs ?? 0)],
    verdict: VERIFIED,
  },
  {
    row: "too old",
    sent: (signer) => aged(signer, -(signer.toleranceMs ?? 0) - 1000),
    verdict: ofTime("timestamp_too_old"),
  },
  {
    row: "too new",
    sent: (signer) => aged(signer, (signer.toleranceMs ?? 0) + 1000),
    verdict: ofTime("timestamp_too_new"),
  },
  { row: "a day ahead", sent: (signer) => aged(signer, 86_400_000), verdict: ofTime("timestamp_too_new") },
  { row: "a header missing", sent: (signer) => eachHeader(signer, () => undefined), verdict: "missing_header" },
  { row: "a header empty", sent: (signer) => eachHeader(signer, () => ""), verdict: "missing_header" },
  {
    row: "a header doubled",
    sent: (signer) => eachHeader(signer, (value) => [value, value]),
    verdict: "malformed_header",
  },
  {
    row: "a header in a list of one",
    sent: (signer) => eachHeader(signer, (value) => [value]),
    verdict: "malformed_header",
  },
  {
    row: "a header doubled and joined",
    sent: (signer) => eachHeader(signer, (value) => `${value}, ${value}`),
    verdict: REFUSED,
  },
  {
    row: "a header of 5,000 characters",
    sent: (signer) => eachHeader(signer, () => "1".repeat(5000)),
    verdict: "malformed_header",
  },
  {
    row: "the signature in capitals",
    sent: (signer) => signatureAs(signer, (value) => value.replace(/[^=,]{20,}/u, (digits) => digits.toUpperCase())),
    verdict: (signer) => (signer.isHex ? "malformed_header" : REFUSED),
  },
  {
    row: "the signature cut by a character",
    sent: (signer) => signatureAs(signer, (value) => value.slice(0, -1)),
    verdict: (signer) => (signer.name === "sns" ? "body_malformed" : "malformed_header"),
  },
  {
    row: "the signature cut by four",
    sent: (signer) => signatureAs(signer, (value) => value.slice(0, -4)),
    verdict: REFUSED,
  },
  {
    row: "a body that is not UTF-8, rightly signed",
    sent: (signer) => [right(signer, signer.sign({ rawBody: NOT_UTF8 }))],
    verdict: (signer) => (signer.title.startsWith("twilio, a form") ? "body_malformed" : verdictOfBody(signer)),
  },
  {
    row: "an empty body, rightly signed",
    sent: (signer) => [right(signer, signer.sign({ rawBody: new Uint8Array() }))],
    verdict: verdictOfBody,
  },
];

/** SNS has no header that counts; its members are in `schemes.test.ts`. */
const CELLS = SIGNERS.flatMap((signer) =>
  ROWS.filter(({ row }) => signer.name !== "sns" || !row.startsWith("a header")).map((row) => ({
    title: `${signer.title}: ${row.row}`,
    signer,
    row,
  })),
);

describe("every scheme", () => {
  test("is in the table", () => {
    expect(new Set(SIGNERS.map(({ name }) => name))).toEqual(new Set(SCHEME_NAMES));
  });

  test.each(CELLS)("judges $title", ({ signer, row: { sent, verdict } }) => {
    const expected = typeof verdict === "string" ? verdict : verdict(signer);
    const found = sent(signer).map(({ scheme, request }) => {
      const result = verifyWebhook(scheme, request);
      if (result.verified) return VERIFIED;
      expect(REFUSAL_REASONS).toContain(result.because);
      return expected === REFUSED ? REFUSED : result.because;
    });
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found)).toEqual(new Set([expected]));
  });
});
