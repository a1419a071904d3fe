/** What every scheme is: one pure judgement of a request, and one reading of what it verified. */
import type { IncomingHeaders } from "../single-header.ts";
import type { RefusalReason } from "../verdict.ts";
import type { KeyForm } from "./key-form.ts";
import type { ProviderEvent } from "./provider-event.ts";
import type { IdSource } from "./settings.ts";

/** A request as it arrived. */
export interface WebhookRequest {
  readonly headers: IncomingHeaders;
  /** Before any decoding. */
  readonly rawBody: Uint8Array;
  /** The request target (RFC 9112 §3.2) as received, not normalized; only Twilio needs it, for its query. */
  readonly url?: string;
  readonly nowMs: number;
}

/** `because` names no expected value: a verifier that shows one would sign for an attacker. */
export type VerifyResult = { readonly verified: true } | { readonly verified: false; readonly because: RefusalReason };

export interface Scheme<Settings> {
  /** Default distance between the signed time and now, in both directions; null = no time is signed. */
  readonly toleranceMs: number | null;
  /** What its secrets (or certificates) look like. */
  readonly keyForm: KeyForm;
  readonly acknowledgement: Acknowledgement;
  verify(settings: Settings, request: WebhookRequest): VerifyResult;
  /** Of a request that was verified. */
  readEvent(settings: Settings & IdSource, request: WebhookRequest): ProviderEvent;
}

/** How the provider wants to hear that an event was taken. */
export interface Acknowledgement {
  readonly status: 200 | 202;
  /** `empty` = it takes a body for instructions. */
  readonly body: "receipt" | "empty";
}

export const TAKES_ANY_SUCCESS: Acknowledgement = { status: 202, body: "receipt" };
export const WANTS_200: Acknowledgement = { status: 200, body: "receipt" };
export const WANTS_EMPTY_200: Acknowledgement = { status: 200, body: "empty" };
export const WANTS_EMPTY_202: Acknowledgement = { status: 202, body: "empty" };

export const VERIFIED: VerifyResult = { verified: true };

export function refused(because: RefusalReason): VerifyResult {
  return { verified: false, because };
}

export function verifiedWhen(matches: boolean): VerifyResult {
  return matches ? VERIFIED : refused("signature_mismatch");
}
