/**
 * What each scheme is told by the configuration.
 *
 * `Text` is `string` in the process that verifies, and a reference to one
 * before that: only that process needs the secrets.
 */

/** They sign the time of sending, so what is too old or too new is refused. */
export type TimedSchemeName =
  | "standard-webhooks"
  | "svix"
  | "stripe"
  | "slack"
  | "paddle"
  | "linear"
  | "zoom"
  | "discord"
  | "sendgrid";

/** They sign the body alone. */
export type UntimedSchemeName = "github" | "shopify" | "shopify-events";

/** They sign the URL as it is written at the provider. */
export type UrlSchemeName = "square" | "twilio";

export interface TimedSettings<Text> {
  readonly scheme: TimedSchemeName;
  /** 1–10; each is tried. */
  readonly secrets: readonly Text[];
  /** Into the past and into the future. */
  readonly toleranceMs: number;
}

export interface UntimedSettings<Text> {
  readonly scheme: UntimedSchemeName;
  /** 1–10; each is tried. */
  readonly secrets: readonly Text[];
}

export interface UrlSettings<Text> {
  readonly scheme: UrlSchemeName;
  /** 1–10; each is tried. */
  readonly secrets: readonly Text[];
  /** Character by character as it stands at the provider; of Twilio without its query where that varies. */
  readonly publicUrl: Text;
}

export interface SnsSettings<Text> {
  readonly scheme: "sns";
  /** X.509 in PEM, 1–10; each is tried. Nothing is ever fetched. */
  readonly certificates: readonly Text[];
  /** The ARNs this source may hear from: SNS signs for everybody's topics. */
  readonly topics: readonly Text[];
  readonly toleranceMs: number;
}

export interface PayPalSettings<Text> {
  readonly scheme: "paypal";
  /** X.509 in PEM, 1–10; each is tried. Nothing is ever fetched. */
  readonly certificates: readonly Text[];
  /** What PayPal calls this webhook; part of what is signed. */
  readonly webhookId: Text;
  readonly toleranceMs: number;
}

/** For senders that sign with HMAC in a way of their own. */
export interface HmacSettings<Text> {
  readonly scheme: "hmac";
  /** 1–10; each is tried. */
  readonly secrets: readonly Text[];
  /** Lower-case name. */
  readonly signatureHeader: string;
  readonly algorithm: "sha256" | "sha512";
  readonly encoding: "hex" | "base64";
  /** What stands before the signature in its header; may be empty. */
  readonly prefix: string;
  /** Ends with `{body}`, and may hold `{timestamp}` before it. */
  readonly signedText: string;
  /** Lower-case name; null = no time is signed. */
  readonly timestampHeader: string | null;
  readonly toleranceMs: number;
  /** Lower-case name of the header with the id; null = `idFrom` names members. */
  readonly idHeader: string | null;
  /** Lower-case name of the header with the type; null = `typeFrom`. */
  readonly typeHeader: string | null;
  /** Path of the member with the type. */
  readonly typeFrom: string;
  /** Members that may change between redeliveries. */
  readonly volatileMembers: readonly string[];
}

export type VerifySettings<Text> =
  | TimedSettings<Text>
  | UntimedSettings<Text>
  | UrlSettings<Text>
  | SnsSettings<Text>
  | PayPalSettings<Text>
  | HmacSettings<Text>;

export type SchemeName = VerifySettings<unknown>["scheme"];

/** Paths of members in the body that make the id, such as `data.id`; null = the provider's own id. */
export interface IdSource {
  readonly idFrom: readonly string[] | null;
}

/** A scheme with its secrets. Must not be logged and never enters a workflow. */
export type VerifyScheme = VerifySettings<string> & IdSource;
