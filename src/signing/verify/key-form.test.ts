import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PROVIDER, vectorOf } from "../../../test/support/signature-vectors.ts";
import { isKey } from "./key-form.ts";
import type { KeyForm } from "./key-form.ts";

const secretOf = (name: Parameters<typeof vectorOf>[0]): string => {
  const { scheme } = vectorOf(name);
  return "secrets" in scheme ? (scheme.secrets[0] ?? "") : "";
};
const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
const spki = (key: typeof rsa) => key.export({ format: "der", type: "spki" }).toString("base64");
const ecCertificate = readFileSync(new URL("../../../test/vectors/tls/valid.pem", import.meta.url), "utf8");

const RIGHT: readonly (readonly [KeyForm, string])[] = [
  ["text", "It's a Secret to Everybody"],
  ["standard-webhooks", secretOf("standard-webhooks")],
  ["standard-webhooks", "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4="],
  ["ed25519-hex", secretOf("discord")],
  ["ed25519-hex", secretOf("discord").toUpperCase()],
  ["p256-spki", secretOf("sendgrid")],
  ["certificate", PROVIDER.certificate],
  ["certificate", `\n${PROVIDER.certificate.replaceAll("\n", "\r\n")}\n`],
];

const WRONG: readonly (readonly [KeyForm, string, why: string])[] = [
  ["text", "", "nothing"],
  ["text", "secret\n", "a line break that came along"],
  ["text", " secret", "a space that came along"],
  ["standard-webhooks", "whsec_AAECAw==", "too few bytes"],
  ["standard-webhooks", "secret", "no prefix"],
  ["ed25519-hex", secretOf("discord").slice(1), "63 digits"],
  ["ed25519-hex", "g".repeat(64), "other letters"],
  ["p256-spki", "AAAA", "no key"],
  ["p256-spki", secretOf("sendgrid").replace("=", ""), "no padding"],
  ["p256-spki", spki(p384), "another curve"],
  ["p256-spki", spki(rsa), "RSA"],
  ["certificate", PROVIDER.weakCertificate, "1024 bits"],
  ["certificate", ecCertificate, "an elliptic curve"],
  ["certificate", PROVIDER.privateKey, "a private key"],
  ["certificate", PROVIDER.certificate.replace(/[A-Za-z0-9+/]{20}/, ""), "broken DER"],
  ["certificate", PROVIDER.certificate.repeat(2), "two"],
  ["certificate", "", "nothing"],
];

describe("isKey", () => {
  test.each(RIGHT)("accepts a %s", (form, text) => {
    expect(isKey(form, text)).toBe(true);
  });

  test.each(WRONG)("refuses a %s: %#", (form, text, why) => {
    expect({ why, is: isKey(form, text) }).toEqual({ why, is: false });
  });
});
