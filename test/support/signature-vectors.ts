/** The vectors of `test/vectors/signatures/`, and requests made of them. */
import { readFileSync } from "node:fs";
import { parseForm } from "../../src/signing/verify/form.ts";
import type { WebhookRequest } from "../../src/signing/verify/scheme.ts";
import type { VerifyScheme } from "../../src/signing/verify/settings.ts";
import { readSnsMessage } from "../../src/signing/verify/sns-message.ts";

export interface SignatureVector {
  readonly name: string;
  /** Where it is public, or how it was made. */
  readonly source: string;
  readonly scheme: VerifyScheme;
  readonly nowMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Exactly one of the two. */
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly url?: string;
}

const FOLDER = new URL("../vectors/signatures/", import.meta.url);

/** `name` is that of a file there, without `.json`; its shape is for the caller to know: only tests read these. */
export function readVectorFile(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf8"));
}

/** A certificate of RSA 2048, valid from 2010 to 2110, with its key, another such without, and one with a key that is too small. */
export const PROVIDER = readVectorFile("certificate") as {
  readonly certificate: string;
  readonly privateKey: string;
  readonly otherCertificate: string;
  readonly weakCertificate: string;
};

export function vectorsOf(name: string): readonly SignatureVector[] {
  const file = readVectorFile(name) as { readonly vectors: readonly SignatureVector[] };
  return file.vectors.map(withCertificate);
}

/** The files name the certificate instead of holding it. */
function withCertificate(vector: SignatureVector): SignatureVector {
  if (!("certificates" in vector.scheme)) return vector;
  return { ...vector, scheme: { ...vector.scheme, certificates: [PROVIDER.certificate] } };
}

const FILES = [
  "svix",
  "standard-webhooks-bodies",
  "stripe",
  "github",
  "slack",
  "shopify",
  "twilio",
  "square",
  "paddle",
  "linear",
  "zoom",
  "discord",
  "sendgrid",
  "paypal",
  "sns",
  "hmac",
];

export const ALL_VECTORS: readonly SignatureVector[] = [...standardWebhooks(), ...FILES.flatMap(vectorsOf)];

/** The first of each scheme, by the scheme's name. */
export function vectorOf(scheme: VerifyScheme["scheme"]): SignatureVector {
  const found = ALL_VECTORS.find((vector) => vector.scheme.scheme === scheme);
  if (found === undefined) throw new Error(`There is no vector of ${scheme}.`);
  return found;
}

export function requestOf(vector: SignatureVector): WebhookRequest {
  const { headers, nowMs, url, body = "", bodyBase64 } = vector;
  return {
    headers,
    rawBody: bodyBase64 === undefined ? Buffer.from(body) : Buffer.from(bodyBase64, "base64"),
    nowMs,
    ...(url === undefined ? {} : { url }),
  };
}

/** Twilio and SNS sign what they find in the body, so two spellings of it are one message to them. */
export function isSameMessage({ scheme }: SignatureVector, before: Uint8Array, after: Uint8Array): boolean {
  const [read, changed] = [before, after].map((bytes) =>
    scheme.scheme === "twilio" ? parseForm(bytes) : readSnsMessage(bytes)?.signedText,
  );
  return read !== undefined && JSON.stringify(read) === JSON.stringify(changed);
}

/** What `src/signing/standard-webhooks.test.ts` signs, as messages to verify. */
function standardWebhooks(): readonly SignatureVector[] {
  const { vectors } = readVectorFile("../standard-webhooks") as {
    readonly vectors: readonly {
      readonly name: string;
      readonly source: string;
      readonly secret: string;
      readonly publicKey?: string;
      readonly id: string;
      readonly timestampSeconds: number;
      readonly body: string;
      readonly signature: string;
    }[];
  };
  return vectors.map(({ name, source, secret, publicKey = secret, id, timestampSeconds, body, signature }) => ({
    name,
    source,
    scheme: { scheme: "standard-webhooks", secrets: [publicKey], toleranceMs: 300_000, idFrom: null },
    nowMs: timestampSeconds * 1000,
    headers: { "webhook-id": id, "webhook-timestamp": String(timestampSeconds), "webhook-signature": signature },
    body,
  }));
}
