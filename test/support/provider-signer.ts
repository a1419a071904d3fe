/** What all signers have in common: a message by a provider, signed rightly, whatever is in it. */
import { createHmac } from "node:crypto";
import type { WebhookRequest } from "../../src/signing/verify/scheme.ts";
import type { SchemeName, VerifyScheme } from "../../src/signing/verify/settings.ts";

export const NOW_MS = Date.UTC(2026, 0, 1);

/** `right` signs; `other` is a good key that signed nothing. */
export type KeyName = "right" | "other";

export interface Contents {
  /** Stands in the body. Default `hello`. */
  readonly word?: string;
  /** Of signing. Default `NOW_MS`. */
  readonly timeMs?: number;
  /** Signed instead of the provider's own kind of body, rightly as far as its way of signing allows. */
  readonly rawBody?: Uint8Array;
}

export interface Signer {
  readonly title: string;
  readonly name: SchemeName;
  /** What verifies with these keys, in this order. */
  scheme(keys: readonly KeyName[]): VerifyScheme;
  /** Arrives at `NOW_MS`. */
  sign(contents?: Contents): WebhookRequest;
  /** Header with the signature; null = it is a member of the body. */
  readonly signatureHeader: string | null;
  readonly isHex: boolean;
  /** Null = no time is signed. */
  readonly toleranceMs: number | null;
}

export type Headers = Readonly<Record<string, string>>;
export type Part = string | Uint8Array;

export interface Spec {
  readonly title?: string;
  readonly keys?: Readonly<Record<KeyName, string>>;
  readonly settings?: object;
  readonly signatureHeader: string | null;
  readonly isHex?: boolean;
  readonly toleranceMs?: number;
  /** Default: JSON with the word. */
  body?(word: string, timeMs: number): string;
  headers(rawBody: Buffer, timeMs: number): Headers;
  url?(rawBody: Buffer): string;
}

export const TEXT_KEYS = { right: "right secret", other: "another secret" } as const;
export const mac = (algorithm: string, key: Part, ...parts: readonly Part[]): Buffer =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, key)).digest();
export const hex = (...parts: readonly Part[]): string => mac("sha256", TEXT_KEYS.right, ...parts).toString("hex");
export const base64 = (...parts: readonly Part[]): string =>
  mac("sha256", TEXT_KEYS.right, ...parts).toString("base64");
export const seconds = (timeMs: number): string => String(Math.floor(timeMs / 1000));

export function signerOf(name: SchemeName, spec: Spec): Signer {
  const {
    keys = TEXT_KEYS,
    settings = {},
    toleranceMs = null,
    body = (word: string) => JSON.stringify({ word }),
  } = spec;
  const keysName = name === "sns" || name === "paypal" ? "certificates" : "secrets";
  return {
    title: spec.title ?? name,
    name,
    signatureHeader: spec.signatureHeader,
    isHex: spec.isHex ?? false,
    toleranceMs,
    scheme(names) {
      const times = toleranceMs === null ? {} : { toleranceMs };
      // Whole by the table of signers: a missing member would fail the first test of its scheme.
      return {
        scheme: name,
        ...times,
        ...settings,
        [keysName]: names.map((key) => keys[key]),
        idFrom: null,
      } as unknown as VerifyScheme;
    },
    sign({ word = "hello", timeMs = NOW_MS, rawBody: given } = {}) {
      const rawBody = Buffer.from(given ?? Buffer.from(body(word, timeMs)));
      const url = spec.url === undefined ? {} : { url: spec.url(rawBody) };
      return { headers: spec.headers(rawBody, timeMs), rawBody, nowMs: NOW_MS, ...url };
    },
  };
}
