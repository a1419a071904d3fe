import { createPublicKey, generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCountersignError } from "../errors.ts";
import { generateKeyPair, signDecision, verifyDecision } from "./decision-signature.ts";

const ana = generateKeyPair();
const ben = generateKeyPair();
const bytes = Buffer.from("decision");

/** RFC 8032 section 7.1, TEST 3; the key in PKCS #8 (RFC 8410 section 7). */
const RFC = {
  seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
  publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
  message: "af82",
  signature:
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
};
const base64 = (hex: string): string => Buffer.from(hex, "hex").toString("base64");
const pemOf = (seed: string): string =>
  `-----BEGIN PRIVATE KEY-----\n${base64(`302e020100300506032b657004220420${seed}`)}\n-----END PRIVATE KEY-----\n`;

describe("a signed decision", () => {
  test("verifies with the key that signed it, over the same bytes, and with nothing else", () => {
    const signature = signDecision(ana.privateKeyPem, bytes);
    expect(verifyDecision(ana.publicKey, bytes, signature)).toBe(true);
    expect(verifyDecision(ben.publicKey, bytes, signature)).toBe(false);
    expect(verifyDecision(ana.publicKey, Buffer.from("decisioN"), signature)).toBe(false);
    expect(verifyDecision(ana.publicKey, bytes, signDecision(ben.privateKeyPem, bytes))).toBe(false);
  });

  test("is plain Ed25519, as other programs make and check it", () => {
    const message = Buffer.from(RFC.message, "hex");
    expect(signDecision(pemOf(RFC.seed), message)).toBe(base64(RFC.signature));
    expect(verifyDecision(base64(RFC.publicKey), message, base64(RFC.signature))).toBe(true);
  });

  test("does not verify once a single bit is changed", () => {
    const signature = signDecision(ana.privateKeyPem, bytes);
    fc.assert(
      fc.property(fc.nat(511), (bit) => {
        const forged = Buffer.from(signature, "base64");
        forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(verifyDecision(ana.publicKey, bytes, forged.toString("base64"))).toBe(false);
      }),
    );
  });
});

describe("generateKeyPair", () => {
  test("gives the raw public key in base64, that of the private key, and another pair each time", () => {
    expect(Buffer.from(ana.publicKey, "base64")).toHaveLength(32);
    const jwk = createPublicKey(ana.privateKeyPem).export({ format: "jwk" });
    expect(Buffer.from(ana.publicKey, "base64").toString("base64url")).toBe(jwk.x);
    expect(ana.publicKey).not.toBe(ben.publicKey);
  });
});

describe("verifyDecision", () => {
  const signature = signDecision(ana.privateKeyPem, bytes);
  const raw = Buffer.from(signature, "base64");

  test.each([
    ["nothing", ""],
    ["base64url", raw.toString("base64url")],
    ["no padding", signature.replace(/=+$/u, "")],
    ["white space", `${signature}\n`],
    ["a byte less", raw.subarray(1).toString("base64")],
    ["a byte more", Buffer.concat([raw, Buffer.alloc(1)]).toString("base64")],
    ["hex", raw.toString("hex")],
  ])("takes a signature in one form only, not %s", (_what, text) => {
    expect(verifyDecision(ana.publicKey, bytes, text)).toBe(false);
  });

  test.each([
    ["nothing", ""],
    ["base64url", Buffer.from(ana.publicKey, "base64").toString("base64url")],
    ["31 bytes", Buffer.alloc(31).toString("base64")],
    ["PEM", ana.privateKeyPem],
  ])("takes a key in one form only, not %s", (_what, key) => {
    expect(verifyDecision(key, bytes, signature)).toBe(false);
  });

  test("answers no, and throws nothing, whatever it is given", () => {
    const key = fc.oneof(fc.string({ unit: "binary" }), bytesAsBase64(32));
    const claim = fc.oneof(fc.string({ unit: "binary" }), bytesAsBase64(64));
    fc.assert(
      fc.property(key, claim, fc.uint8Array(), (publicKey, text, message) => {
        expect(verifyDecision(publicKey, message, text)).toBe(false);
      }),
    );
  });

  function bytesAsBase64(length: number): fc.Arbitrary<string> {
    return fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((value) => Buffer.from(value).toString("base64"));
  }
});

describe("signDecision", () => {
  const rsa = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { format: "pem", type: "spki" },
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
  });

  test.each([
    ["no key", "hello s3cr3t", "no private key in PEM"],
    ["a public key", rsa.publicKey, "no private key in PEM"],
    ["a raw key", ana.publicKey, "no private key in PEM"],
    ["a key of another kind", rsa.privateKey, "of type rsa"],
  ])("refuses %s, and does not show it", (_what, key, words) => {
    let refusal: unknown;
    try {
      signDecision(key, bytes);
    } catch (error) {
      refusal = error;
    }
    expect(isCountersignError(refusal) && refusal.code).toBe("bad_argument");
    expect(String(refusal)).toContain(words);
    expect(refusal).not.toHaveProperty("cause");
    for (const line of key.split("\n").filter((text) => text.length > 8)) expect(String(refusal)).not.toContain(line);
  });
});
