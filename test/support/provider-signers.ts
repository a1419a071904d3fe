/** Requests signed the way each provider signs, written apart from the code that verifies them: `node:crypto` and nothing of ours. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { crc32 } from "node:zlib";
import {
  base64,
  type Headers,
  hex,
  type KeyName,
  mac,
  seconds,
  type Signer,
  signerOf,
  TEXT_KEYS,
} from "./provider-signer.ts";
import { PROVIDER } from "./signature-vectors.ts";

const WHSEC = { right: Buffer.alloc(32, 1), other: Buffer.alloc(32, 2) };
const whsec = (key: KeyName): string => `whsec_${WHSEC[key].toString("base64")}`;
const ED25519 = { right: ed25519Key(1), other: ed25519Key(2) };
const rawPublic = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
const EC = { right: ecKey(1), other: ecKey(2) };
const spkiOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
const CERTIFICATES = { right: PROVIDER.certificate, other: PROVIDER.otherCertificate };
const rsa = (algorithm: string, text: string): string =>
  sign(algorithm, Buffer.from(text), PROVIDER.privateKey).toString("base64");

/** RFC 8410 §7: PKCS #8 of the seed. */
function ed25519Key(byte: number): KeyObject {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, byte)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

/** RFC 5915: P-256 of a private number of 32 equal bytes. */
function ecKey(byte: number): KeyObject {
  const der = Buffer.concat([
    Buffer.from("30310201010420", "hex"),
    Buffer.alloc(32, byte),
    Buffer.from("a00a06082a8648ce3d030107", "hex"),
  ]);
  return createPrivateKey({ key: der, format: "der", type: "sec1" });
}

function standardWebhooks(
  name: "standard-webhooks" | "svix",
  title: string,
  entryOf: (bytes: Buffer) => string,
): Signer {
  const prefix = name === "svix" ? "svix" : "webhook";
  const isV1a = title.endsWith("v1a");
  const whpk = (key: KeyName) => `whpk_${rawPublic(ED25519[key]).toString("base64")}`;
  return signerOf(name, {
    title,
    keys: isV1a ? { right: whpk("right"), other: whpk("other") } : { right: whsec("right"), other: whsec("other") },
    toleranceMs: 300_000,
    signatureHeader: `${prefix}-signature`,
    headers: (rawBody, timeMs) => ({
      [`${prefix}-id`]: "msg_1",
      [`${prefix}-timestamp`]: seconds(timeMs),
      [`${prefix}-signature`]: entryOf(Buffer.concat([Buffer.from(`msg_1.${seconds(timeMs)}.`), rawBody])),
    }),
  });
}

const v1 = (bytes: Buffer): string => `v1,${mac("sha256", WHSEC.right, bytes).toString("base64")}`;
const v1a = (bytes: Buffer): string => `v1a,${sign(null, bytes, ED25519.right).toString("base64")}`;

const versioned = (name: "slack" | "zoom", signatureHeader: string, timeHeader: string): Signer =>
  signerOf(name, {
    toleranceMs: 300_000,
    isHex: true,
    signatureHeader,
    headers: (rawBody, timeMs) => ({
      [signatureHeader]: `v0=${hex(`v0:${seconds(timeMs)}:`, rawBody)}`,
      [timeHeader]: seconds(timeMs),
    }),
  });

const PUBLIC_URL = "https://hooks.example/v1/hooks/source";
const SETTINGS_HEADER = "x-twilio-webhooks-signature-settings";

function twilio(kind: "a form" | "JSON", algorithm: "sha1" | "sha256"): Signer {
  const settings: Headers = algorithm === "sha1" ? {} : { [SETTINGS_HEADER]: "key=SK1,algorithm=HMAC_SHA256" };
  const queryOf = (rawBody: Buffer): string =>
    kind === "JSON" ? `?bodySHA256=${createHash("sha256").update(rawBody).digest("hex")}` : "";
  // Twilio's order is that of the names.
  const parametersOf = (rawBody: Buffer): string =>
    kind === "JSON" || rawBody.byteLength === 0
      ? ""
      : [...new URLSearchParams(rawBody.toString())]
          .toSorted(([left], [right]) => (left < right ? -1 : 1))
          .flat()
          .join("");
  return signerOf("twilio", {
    title: `twilio, ${kind}, ${algorithm}`,
    settings: { publicUrl: PUBLIC_URL },
    signatureHeader: "x-twilio-signature",
    ...(kind === "JSON" ? {} : { body: (word: string) => `Word=${word}&CallSid=CA1&To=%2B1` }),
    headers: (rawBody) => ({
      "x-twilio-signature": mac(
        algorithm,
        TEXT_KEYS.right,
        PUBLIC_URL + queryOf(rawBody) + parametersOf(rawBody),
      ).toString("base64"),
      ...settings,
    }),
    url: (rawBody) => `/v1/hooks/source${queryOf(rawBody)}`,
  });
}

const TOPIC = "arn:aws:sns:us-east-2:123456789012:MyTopic";

function snsBody(version: "1" | "2", word: string, timeMs: number): string {
  const signed = {
    Message: word,
    MessageId: "m-1",
    Timestamp: new Date(timeMs).toISOString(),
    TopicArn: TOPIC,
    Type: "Notification",
  };
  const text = Object.entries(signed).flat().join("\n");
  return JSON.stringify({
    ...signed,
    SignatureVersion: version,
    Signature: rsa(version === "1" ? "sha1" : "sha256", `${text}\n`),
    SigningCertURL: `https://sns.us-east-2.amazonaws.com/SimpleNotificationService-${"0".repeat(32)}.pem`,
  });
}

const sns = (version: "1" | "2"): Signer =>
  signerOf("sns", {
    title: `sns, version ${version}`,
    keys: CERTIFICATES,
    settings: { topics: [TOPIC] },
    toleranceMs: 3_900_000,
    signatureHeader: null,
    body: (word, timeMs) => snsBody(version, word, timeMs),
    headers: () => ({ "content-type": "text/plain; charset=UTF-8" }),
  });

const HMAC_SETTINGS = {
  signatureHeader: "x-signature",
  algorithm: "sha256",
  idHeader: null,
  typeHeader: null,
  typeFrom: "type",
  volatileMembers: [],
};

/** At least one of every scheme. */
export const SIGNERS: readonly Signer[] = [
  standardWebhooks("standard-webhooks", "standard-webhooks, v1", v1),
  standardWebhooks("standard-webhooks", "standard-webhooks, v1a", v1a),
  standardWebhooks("svix", "svix", v1),
  signerOf("stripe", {
    toleranceMs: 300_000,
    isHex: true,
    signatureHeader: "stripe-signature",
    headers: (rawBody, timeMs) => ({
      "stripe-signature": `t=${seconds(timeMs)},v1=${hex(`${seconds(timeMs)}.`, rawBody)}`,
    }),
  }),
  signerOf("github", {
    isHex: true,
    signatureHeader: "x-hub-signature-256",
    headers: (rawBody) => ({ "x-hub-signature-256": `sha256=${hex(rawBody)}` }),
  }),
  versioned("slack", "x-slack-signature", "x-slack-request-timestamp"),
  signerOf("shopify", {
    signatureHeader: "x-shopify-hmac-sha256",
    headers: (rawBody) => ({ "x-shopify-hmac-sha256": base64(rawBody) }),
  }),
  signerOf("shopify-events", {
    signatureHeader: "shopify-hmac-sha256",
    headers: (rawBody) => ({ "shopify-hmac-sha256": base64(rawBody) }),
  }),
  twilio("a form", "sha1"),
  twilio("JSON", "sha1"),
  twilio("a form", "sha256"),
  twilio("JSON", "sha256"),
  signerOf("paypal", {
    keys: CERTIFICATES,
    settings: { webhookId: "3TR748995U920805P" },
    toleranceMs: 300_000,
    signatureHeader: "paypal-transmission-sig",
    headers(rawBody, timeMs) {
      const time = new Date(timeMs).toISOString();
      return {
        "paypal-auth-algo": "SHA256withRSA",
        "paypal-transmission-id": "103e3700",
        "paypal-transmission-time": time,
        "paypal-transmission-sig": rsa("sha256", `103e3700|${time}|3TR748995U920805P|${crc32(rawBody)}`),
      };
    },
  }),
  signerOf("square", {
    settings: { publicUrl: PUBLIC_URL },
    signatureHeader: "x-square-hmacsha256-signature",
    headers: (rawBody) => ({ "x-square-hmacsha256-signature": base64(PUBLIC_URL, rawBody) }),
  }),
  signerOf("paddle", {
    toleranceMs: 5000,
    isHex: true,
    signatureHeader: "paddle-signature",
    headers: (rawBody, timeMs) => ({
      "paddle-signature": `ts=${seconds(timeMs)};h1=${hex(`${seconds(timeMs)}:`, rawBody)}`,
    }),
  }),
  signerOf("linear", {
    toleranceMs: 60_000,
    isHex: true,
    signatureHeader: "linear-signature",
    body: (word, timeMs) => JSON.stringify({ word, webhookTimestamp: timeMs }),
    headers: (rawBody) => ({ "linear-signature": hex(rawBody) }),
  }),
  versioned("zoom", "x-zm-signature", "x-zm-request-timestamp"),
  signerOf("discord", {
    keys: { right: rawPublic(ED25519.right).toString("hex"), other: rawPublic(ED25519.other).toString("hex") },
    toleranceMs: 300_000,
    isHex: true,
    signatureHeader: "x-signature-ed25519",
    headers: (rawBody, timeMs) => ({
      "x-signature-ed25519": sign(null, Buffer.concat([Buffer.from(seconds(timeMs)), rawBody]), ED25519.right).toString(
        "hex",
      ),
      "x-signature-timestamp": seconds(timeMs),
    }),
  }),
  signerOf("sendgrid", {
    keys: { right: spkiOf(EC.right), other: spkiOf(EC.other) },
    toleranceMs: 300_000,
    signatureHeader: "x-twilio-email-event-webhook-signature",
    headers: (rawBody, timeMs) => ({
      "x-twilio-email-event-webhook-signature": sign(
        "sha256",
        Buffer.concat([Buffer.from(seconds(timeMs)), rawBody]),
        EC.right,
      ).toString("base64"),
      "x-twilio-email-event-webhook-timestamp": seconds(timeMs),
    }),
  }),
  sns("1"),
  sns("2"),
  signerOf("hmac", {
    title: "hmac, the body alone",
    settings: {
      ...HMAC_SETTINGS,
      encoding: "hex",
      prefix: "sha256=",
      signedText: "{body}",
      timestampHeader: null,
      toleranceMs: 300_000,
    },
    isHex: true,
    signatureHeader: "x-signature",
    headers: (rawBody) => ({ "x-signature": `sha256=${hex(rawBody)}` }),
  }),
  signerOf("hmac", {
    title: "hmac, with a time",
    settings: {
      ...HMAC_SETTINGS,
      encoding: "base64",
      prefix: "",
      signedText: "{timestamp}.{body}",
      timestampHeader: "x-time",
    },
    toleranceMs: 300_000,
    signatureHeader: "x-signature",
    headers: (rawBody, timeMs) => ({
      "x-signature": base64(`${seconds(timeMs)}.`, rawBody),
      "x-time": seconds(timeMs),
    }),
  }),
];
