/** What people write under `verify` of a source, by scheme. */
import type { TimedSchemeName, UntimedSchemeName, UrlSchemeName } from "../signing/verify/settings.ts";
import type { DurationText, RawReference } from "./raw-config.ts";

interface RawTimedVerify {
  readonly scheme: TimedSchemeName;
  /** 1–10; each is tried, so that a secret can be rotated. For Discord and SendGrid their public key. */
  readonly secrets: readonly RawReference[];
  /** How far the signed time may be from now, in both directions; absent = the provider's own figure. */
  readonly tolerance?: DurationText;
}

interface RawUntimedVerify {
  readonly scheme: UntimedSchemeName;
  readonly secrets: readonly RawReference[];
}

interface RawUrlVerify {
  readonly scheme: UrlSchemeName;
  /** For Twilio the auth token, or the secret of a shared key. */
  readonly secrets: readonly RawReference[];
  /**
   * The URL of this hook as it stands at the provider, who signs it, character by character.
   *
   * To Twilio a query here is the only one there may be; without one, callbacks may carry what they like.
   */
  readonly publicUrl: RawReference;
}

interface RawSnsVerify {
  readonly scheme: "sns";
  /** X.509 in PEM: what `SigningCertURL` of a message points to. It is never fetched. */
  readonly certificates: readonly RawReference[];
  /** The ARNs to hear from; SNS signs for everybody's topics. */
  readonly topics: readonly RawReference[];
  /** Absent = `'65m'`. */
  readonly tolerance?: DurationText;
}

interface RawPayPalVerify {
  readonly scheme: "paypal";
  /** X.509 in PEM: what the header `paypal-cert-url` points to. It is never fetched. */
  readonly certificates: readonly RawReference[];
  /** The ID PayPal gave this webhook. */
  readonly webhookId: RawReference;
  readonly tolerance?: DurationText;
}

interface RawHmacVerify {
  readonly scheme: "hmac";
  readonly secrets: readonly RawReference[];
  /** With the signature. */
  readonly header: string;
  /** Absent = `'sha256'`. */
  readonly algorithm?: "sha256" | "sha512";
  /** Absent = `'hex'`. */
  readonly encoding?: "hex" | "base64";
  /** Before the signature, such as `'sha256='`; absent = nothing. */
  readonly prefix?: string;
  /** Absent = `'{body}'`; also `'{timestamp}.{body}'` and the like. */
  readonly signed?: string;
  /** With the signed time in Unix seconds; absent = no time is signed. */
  readonly timestampHeader?: string;
  /** Only beside `timestampHeader`; absent = `'5m'`. */
  readonly tolerance?: DurationText;
  /** With the event's id; absent = `idFrom` of the source names members. */
  readonly idHeader?: string;
  readonly typeHeader?: string;
  /** Path of the member with the type; absent = `'type'`. */
  readonly typeFrom?: string;
  /** Top-level members that may change between redeliveries. */
  readonly volatile?: readonly string[];
}

export type RawVerify =
  | RawTimedVerify
  | RawUntimedVerify
  | RawUrlVerify
  | RawSnsVerify
  | RawPayPalVerify
  | RawHmacVerify;
