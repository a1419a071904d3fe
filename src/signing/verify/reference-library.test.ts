/** The reference library of Standard Webhooks as a second opinion. It reads bodies as text, so they are UTF-8 here. */
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { signStandardWebhook } from "../standard-webhooks.ts";
import type { VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";

type Headers = Readonly<Record<string, string>>;

const NOW_SECONDS = Math.floor(Date.now() / 1000);
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const key = fc.uint8Array({ minLength: 24, maxLength: 64 });
const text = fc.string({ unit: "grapheme" });
const offset = fc.integer({ min: -290, max: 290 });
const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString("base64")}`;

function schemeOf(secret: string): VerifyScheme {
  return { scheme: "standard-webhooks", secrets: [secret], toleranceMs: 300_000, idFrom: null };
}

/** Under both of our names for the headers. */
function weAccept(secret: string, headers: Headers, body: string): boolean {
  const request = { rawBody: Buffer.from(body), nowMs: NOW_SECONDS * 1000 + 999 };
  const svix = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]),
  );
  const ours = verifyWebhook(schemeOf(secret), { ...request, headers }).verified;
  expect(
    verifyWebhook({ ...schemeOf(secret), scheme: "svix" } as VerifyScheme, { ...request, headers: svix }),
  ).toMatchObject({ verified: ours });
  return ours;
}

function theyAccept(secret: string, headers: Headers, body: string): boolean {
  try {
    new Webhook(secret).verify(Buffer.from(body), { ...headers }, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

describe("the reference library", () => {
  test("verifies what we sign, and we verify what it signs", () => {
    fc.assert(
      fc.property(key, id, text, offset, (bytes, name, body, seconds) => {
        const secret = secretOf(bytes);
        const timestampSeconds = NOW_SECONDS + seconds;
        const ours = signStandardWebhook({ id: name, timestampSeconds, body: Buffer.from(body), secrets: [secret] });
        const theirs = new Webhook(secret).sign(name, new Date(timestampSeconds * 1000), body);
        expect(ours["webhook-signature"]).toBe(theirs);
        expect([theyAccept(secret, { ...ours }, body), weAccept(secret, { ...ours }, body)]).toEqual([true, true]);
      }),
      { numRuns: 50 },
    );
  });

  test("and we refuse the same strangers: another key, id, time or body, and lists without the right signature", () => {
    const change = fc.constantFrom("key", "id", "time", "body", "version", "signature", "none");
    fc.assert(
      fc.property(key, key, id, text, change, (bytes, otherBytes, name, body, changed) => {
        fc.pre(!Buffer.from(bytes).equals(Buffer.from(otherBytes)));
        const secret = secretOf(bytes);
        const signed = { id: name, timestampSeconds: NOW_SECONDS, body: Buffer.from(body), secrets: [secret] };
        const headers = { ...signStandardWebhook(signed) };
        const other = { ...signStandardWebhook({ ...signed, secrets: [secretOf(otherBytes)] }) };
        const cases: Readonly<Record<typeof changed, readonly [Headers, string]>> = {
          key: [other, body],
          id: [{ ...headers, "webhook-id": `${name}x` }, body],
          time: [{ ...headers, "webhook-timestamp": String(NOW_SECONDS + 1) }, body],
          body: [headers, `${body} `],
          version: [{ ...headers, "webhook-signature": headers["webhook-signature"].replace("v1", "v2") }, body],
          signature: [{ ...headers, "webhook-signature": `v1,AAAA ${other["webhook-signature"]}` }, body],
          none: [
            { ...headers, "webhook-signature": `${other["webhook-signature"]} ${headers["webhook-signature"]}` },
            body,
          ],
        };
        const [sent, content] = cases[changed];
        const accepted = changed === "none";
        expect([theyAccept(secret, sent, content), weAccept(secret, sent, content)]).toEqual([accepted, accepted]);
      }),
      { numRuns: 100 },
    );
  });

  test("accepts whatever we accept of headers that somebody tampered with", () => {
    const secret = secretOf(Buffer.alloc(24, 7));
    const headers = {
      ...signStandardWebhook({
        id: "msg_1",
        timestampSeconds: NOW_SECONDS,
        body: Buffer.from("{}"),
        secrets: [secret],
      }),
    };
    const splice = fc.tuple(
      fc.constantFrom("webhook-id", "webhook-timestamp", "webhook-signature"),
      fc.nat({ max: 60 }),
      fc.nat({ max: 2 }),
      fc.string({ unit: fc.constantFrom("v", "1", ",", " ", "=", "0", "A", "a"), maxLength: 3 }),
    );
    fc.assert(
      fc.property(splice, ([name, at, removed, inserted]) => {
        const value = headers[name];
        const place = at % (value.length + 1);
        const tampered = { ...headers, [name]: value.slice(0, place) + inserted + value.slice(place + removed) };
        if (weAccept(secret, tampered, "{}")) expect(theyAccept(secret, tampered, "{}")).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
