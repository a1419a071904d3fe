import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { signStandardWebhook, verifyStandardWebhook } from "./standard-webhooks.ts";
import type { IncomingHeaders } from "./single-header.ts";

interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly publicKey?: string;
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
  readonly signature: string;
}
// The shape is that of the file beside it, which only tests read.
const FILE = JSON.parse(
  readFileSync(new URL("../../test/vectors/standard-webhooks.json", import.meta.url), "utf8"),
) as {
  readonly vectors: readonly Vector[];
  readonly decoys: { readonly wrongDigest: string; readonly rightDigestOtherVersion: string };
};
const [V1, V1A] = FILE.vectors as readonly [Vector, Vector, Vector];
const NOW = V1.timestampSeconds;
const bodyOf = (vector: Vector): Uint8Array => Buffer.from(vector.body);

function headersOf(vector: Vector, signature = vector.signature): Record<string, string> {
  return {
    "webhook-id": vector.id,
    "webhook-timestamp": String(vector.timestampSeconds),
    "webhook-signature": signature,
  };
}

function verdict(
  headers: IncomingHeaders,
  options: { readonly secrets?: readonly string[]; readonly body?: Uint8Array; readonly nowSeconds?: number } = {},
) {
  return verifyStandardWebhook({ headers, body: bodyOf(V1), secrets: [V1.secret], nowSeconds: NOW, ...options });
}

const refused = (reason: string) => ({ ok: false, reason });

describe("signStandardWebhook", () => {
  test.each(FILE.vectors)("makes the published signature: $name", (vector) => {
    expect(signStandardWebhook({ ...vector, body: bodyOf(vector), secrets: [vector.secret] })).toEqual(
      headersOf(vector),
    );
  });

  test("signs with every secret during a rotation, so a receiver with either one verifies", () => {
    const secrets = [V1.secret, `whsec_${randomBytes(32).toString("base64")}`, V1A.secret];
    const headers = signStandardWebhook({ ...V1, body: bodyOf(V1), secrets });
    expect(headers["webhook-signature"].split(" ")).toHaveLength(3);
    for (const secret of [...secrets, V1A.publicKey ?? ""])
      expect(verdict({ ...headers }, { secrets: [secret] })).toEqual({ ok: true });
    const after = signStandardWebhook({ ...V1, body: bodyOf(V1), secrets: secrets.slice(1, 2) });
    expect(verdict({ ...after }, { secrets: [V1.secret] })).toEqual(refused("signature_mismatch"));
  });

  test("keeps the id and signs anew on each attempt, each valid at its own time", () => {
    const attempts = [NOW, NOW + 400, NOW + 90_000].map((timestampSeconds) => ({
      timestampSeconds,
      headers: signStandardWebhook({ ...V1, body: bodyOf(V1), secrets: [V1.secret], timestampSeconds }),
    }));
    expect(new Set(attempts.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(attempts.map(({ headers }) => headers["webhook-signature"])).size).toBe(3);
    for (const { headers, timestampSeconds } of attempts)
      expect(verdict({ ...headers }, { nowSeconds: timestampSeconds })).toEqual({ ok: true });
  });

  test("agrees with the reference library, both ways", () => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.string({ unit: "grapheme" }), (key, text) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`;
        const body = Buffer.from(text);
        const headers = signStandardWebhook({ id: "cs1_abc-_", timestampSeconds: nowSeconds, body, secrets: [secret] });
        new Webhook(secret).verify(body, { ...headers }, { jsonParse: false });
        const theirs = new Webhook(secret).sign("cs1_abc-_", new Date(nowSeconds * 1000), text);
        expect(headers["webhook-signature"]).toBe(theirs);
        expect(verifyStandardWebhook({ headers: { ...headers }, body, secrets: [secret], nowSeconds })).toEqual({
          ok: true,
        });
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a body that is not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
    ["an empty body", Buffer.alloc(0)],
    [
      "numbers, line separators and emoji as written",
      Buffer.from('{"b":1e400,"a":12345678901234567890,"t":"\u2028😀"}'),
    ],
  ])("signs the exact bytes of %s", (_what, body) => {
    const headers = signStandardWebhook({ ...V1, body, secrets: [V1.secret] });
    expect(verdict({ ...headers }, { body })).toEqual({ ok: true });
    expect(verdict({ ...headers }, { body: Buffer.concat([body, Buffer.from(" ")]) })).toEqual(
      refused("signature_mismatch"),
    );
  });

  test.each(["a.b", "", "café", "evt 1", "a\nb", "evt-苗-1"])("refuses to sign under the id %j", (id) => {
    expect(() => signStandardWebhook({ ...V1, id, body: bodyOf(V1), secrets: [V1.secret] })).toThrow("visible ASCII");
  });

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses to sign at the time %d", (timestampSeconds) => {
    expect(() => signStandardWebhook({ ...V1, timestampSeconds, body: bodyOf(V1), secrets: [V1.secret] })).toThrow(
      "whole Unix seconds",
    );
  });

  test.each([0, 11])("refuses %i secrets", (count) => {
    const secrets = Array.from({ length: count }, () => V1.secret);
    expect(() => signStandardWebhook({ ...V1, body: bodyOf(V1), secrets })).toThrow("1 to 10");
  });
});

describe("verifyStandardWebhook", () => {
  test.each(FILE.vectors)("accepts the published message: $name", (vector) => {
    expect(verdict(headersOf(vector), { secrets: [vector.publicKey ?? vector.secret] })).toEqual({ ok: true });
  });

  test("accepts the right signature in any place of the list", () => {
    const { wrongDigest } = FILE.decoys;
    expect(verdict(headersOf(V1, `${wrongDigest} ${V1.signature}`))).toEqual({ ok: true });
    expect(verdict(headersOf(V1, `${V1.signature} ${wrongDigest}`))).toEqual({ ok: true });
    expect(verdict(headersOf(V1, `v9,??? ${V1.signature}`))).toEqual({ ok: true });
  });

  test("accepts any active secret", () => {
    const other = `whsec_${randomBytes(24).toString("base64")}`;
    expect(verdict(headersOf(V1), { secrets: [other, V1.secret] })).toEqual({ ok: true });
    expect(verdict(headersOf(V1), { secrets: [other] })).toEqual(refused("signature_mismatch"));
  });

  test("takes header names in any case", () => {
    const upper = Object.fromEntries(Object.entries(headersOf(V1)).map(([name, value]) => [name.toUpperCase(), value]));
    expect(verdict(upper)).toEqual({ ok: true });
  });

  test("refuses a changed byte of the body", () => {
    expect(verdict(headersOf(V1), { body: Buffer.from(V1.body.replace("4", "5")) })).toEqual(
      refused("signature_mismatch"),
    );
  });

  test("refuses the right digest under another version", () => {
    expect(verdict(headersOf(V1, FILE.decoys.rightDigestOtherVersion))).toEqual(refused("unknown_version"));
    expect(verdict(headersOf(V1, V1.signature.replace("v1,", "v1a,")))).toEqual(refused("signature_mismatch"));
  });

  test.each([
    ["is 300 s old", 300, { ok: true }],
    ["is 301 s old", 301, refused("timestamp_too_old")],
    ["lies 300 s ahead", -300, { ok: true }],
    ["lies 301 s ahead", -301, refused("timestamp_too_new")],
  ])("judges a message that %s", (_what, ageSeconds, expected) => {
    expect(verdict(headersOf(V1), { nowSeconds: NOW + ageSeconds })).toEqual(expected);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "refuses at the time %d: a broken clock accepts nothing",
    (nowSeconds) => {
      expect(verdict(headersOf(V1), { nowSeconds })).toMatchObject({ ok: false });
    },
  );

  test.each(["1614265330abc", "-1", "1.5", "1e9", " 1614265330", "٣", "1".repeat(13)])(
    "refuses the timestamp %j",
    (timestamp) => {
      expect(verdict({ ...headersOf(V1), "webhook-timestamp": timestamp })).toEqual(refused("timestamp_malformed"));
    },
  );

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "refuses an absent, empty, doubled or array-valued %s",
    (name) => {
      const headers = headersOf(V1);
      const value = headers[name] ?? "";
      expect(verdict({ ...headers, [name]: undefined })).toEqual(refused("missing_header"));
      expect(verdict({ ...headers, [name]: "" })).toEqual(refused("missing_header"));
      expect(verdict({ ...headers, [name]: [value] })).toEqual(refused("malformed_header"));
      expect(verdict({ ...headers, [name]: [value, value] })).toEqual(refused("malformed_header"));
      expect(verdict({ ...headers, [name.toUpperCase()]: value })).toEqual(refused("malformed_header"));
      expect(verdict({ ...headers, [name]: `${value}, ${value}` })).toMatchObject({ ok: false });
    },
  );

  test.each([
    ["no comma", "v1"],
    ["an empty version", ",AAAA"],
    ["an empty signature", "v1,"],
    ["base64url", V1.signature.replaceAll("+", "-").replaceAll("/", "_")],
    ["trailing garbage", `${V1.signature}!`],
    ["missing padding", V1.signature.replace(/=$/, "")],
    ["stray bits", V1.signature.replace("OE=", "OF=")],
    ["eleven entries", Array.from({ length: 11 }, () => V1.signature).join(" ")],
    ["more than 4 KiB", `v1,${"A".repeat(4096)}`],
  ])("refuses a signature header with %s", (_what, signature) => {
    expect(verdict(headersOf(V1, signature))).toEqual(refused("malformed_header"));
  });

  test("refuses signatures of another length as no match", () => {
    for (const scheme of ["v1", "v1a"]) {
      expect(verdict(headersOf(V1, `${scheme},AAAA`), { secrets: [V1.secret, V1A.secret] })).toEqual(
        refused("signature_mismatch"),
      );
    }
  });

  test("says so when no secret is active", () => {
    expect(verdict(headersOf(V1), { secrets: [] })).toEqual(refused("no_active_secret"));
  });

  test("never throws, whatever the headers are", () => {
    const value = fc.oneof(
      fc.string(),
      fc.array(fc.string()),
      fc.constant(undefined),
      fc.constant(String(NOW)),
      fc.constant(V1.signature),
    );
    const names = fc.constantFrom("webhook-id", "Webhook-Id", "webhook-timestamp", "webhook-signature", "__proto__");
    fc.assert(
      fc.property(fc.dictionary(names, value), (headers) => {
        expect(verdict(headers).ok).toBeTypeOf("boolean");
      }),
    );
  });
});
