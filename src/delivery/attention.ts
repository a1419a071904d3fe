/** Why a delivery waits for a person, and what that person is told. */
import { certaintyOf, phraseOf, printable } from "./attempt-phrases.ts";
import type { AttemptRecord } from "./attempt.ts";
import { isCertificateCode, type CertificateCode } from "./classify-status.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import type { LookupRecord } from "./lookup.ts";
import { howFarItGot, lookupClause } from "./uncertain-words.ts";

export const ATTENTION_REASONS = [
  "attempts-exhausted",
  "window-exceeded",
  "refused",
  "credentials-refused",
  "endpoint-gone",
  "approval-expired",
  "retry-after-too-long",
  "outcome-uncertain",
  "blocked-address",
  "tls-invalid",
  "misconfigured",
  "handler-refused",
] as const;
export type AttentionReason = (typeof ATTENTION_REASONS)[number];

export function isAttentionReason(word: string): word is AttentionReason {
  return ATTENTION_REASONS.some((reason) => reason === word);
}

/** The reason that belongs to a refused attempt. */
export function attentionFor({ code, status }: AttemptRecord): AttentionReason {
  if (isCertificateCode(code)) return "tls-invalid";
  if (code === "blocked_address") return "blocked-address";
  if (code === "request_invalid") return "misconfigured";
  if (code === "handler_refused") return "handler-refused";
  if (status === 401 || status === 403 || status === 407) return "credentials-refused";
  return status === 410 ? "endpoint-gone" : "refused";
}

export interface AdviceInput {
  readonly reason: AttentionReason;
  readonly endpoint: string;
  /** null = nothing was ever tried. */
  readonly lastAttempt: AttemptRecord | null;
  /** What was looked up about it; absent = nothing was. */
  readonly lookup?: LookupRecord;
}

/**
 * Two plain sentences for somebody woken at night: what happened and what is certain, then what to do.
 *
 * Holds no body and no secret; of the endpoint's own words only `Location` and
 * `Retry-After`, printable and shortened.
 */
export function adviceFor(input: AdviceInput): string {
  const { endpoint, lastAttempt } = input;
  switch (input.reason) {
    case "attempts-exhausted":
      return `All attempts are used up: ${lastly(input)}. ${goOn(input)}`;
    case "window-exceeded":
      return `The time for retries is over: ${lastly(input)}. ${goOn(input)}`;
    case "refused":
      return refusedAdvice(input);
    case "credentials-refused":
      return `${story(input)}: it does not accept our credentials. Correct them in the configuration, then replay; or discard.`;
    case "endpoint-gone":
      return `${story(input)}: it is gone for good and wants no more events. Give the endpoint another URL, then replay; or discard, and take it out of the routes.`;
    case "approval-expired":
      return lastAttempt === null
        ? `The time for approval ran out, and nothing was sent to ${endpoint}. Replay to ask for approval again, amend it to ask for something else; or discard.`
        : `The time for approval ran out: ${lastly(input)}. ${askAgain(input)}`;
    case "retry-after-too-long":
      return `${story(input)} and asked to wait longer than retryAfterMax allows${retryAfterShown(lastAttempt)}. Replay when that time has come, or earlier if ${endpoint} agrees; or discard.`;
    case "outcome-uncertain":
      return `${story(input)}${uncertainty(input)}. Look at ${endpoint} whether it took effect: if so mark-delivered, if not replay; or discard.`;
    case "blocked-address":
      return `${story(input)}. Correct the URL, or list the address in allowPrivate if it is meant to be called, then replay; or discard.`;
    case "tls-invalid":
      return tlsAdvice(input);
    case "misconfigured":
      return `${story(input)}: the configuration does not fit this event. Correct the endpoint or its route, then replay; or discard.`;
    case "handler-refused":
      return `${story(input)} and wants no retry. The worker's log has its message: mend the cause, then replay; or discard.`;
  }
}

function story({ endpoint, lastAttempt, lookup }: AdviceInput): string {
  if (lastAttempt === null) return `${endpoint} was not called, nothing was sent`;
  const certainty = lookup?.found === "absent" ? lookupClause(lookup) : certaintyOf(lastAttempt);
  return `${endpoint} ${phraseOf(lastAttempt)}${certainty === null ? "" : `, ${certainty}`}`;
}

/** How far the request got, and why a lookup was of no help. */
function uncertainty({ lastAttempt, lookup }: AdviceInput): string {
  const howFar = lastAttempt === null ? null : howFarItGot(lastAttempt);
  const inBrackets = howFar === null ? "" : ` (${howFar})`;
  return lookup === undefined ? inBrackets : `${inBrackets}; ${lookupClause(lookup)}`;
}

function lastly(input: AdviceInput): string {
  return input.lastAttempt === null ? story(input) : `at the last, number ${input.lastAttempt.number}, ${story(input)}`;
}

function mayHaveTakenEffect({ lastAttempt, lookup }: AdviceInput): boolean {
  if (lookup?.found === "absent") return false;
  return lastAttempt?.certainty === "unknown" || lastAttempt?.outcome === "uncertain";
}

function askAgain(input: AdviceInput): string {
  return mayHaveTakenEffect(input)
    ? `Look at ${input.endpoint} whether it took effect: if so mark-delivered, if not replay to ask for approval again; or discard.`
    : "Replay to ask for approval again; or discard.";
}

function goOn(input: AdviceInput): string {
  const { endpoint } = input;
  return mayHaveTakenEffect(input)
    ? `Look at ${endpoint} whether it took effect: if so mark-delivered, if not replay once it works again; or discard.`
    : `Replay once ${endpoint} works again (the key stays the same); or discard.`;
}

function refusedAdvice(input: AdviceInput): string {
  const status = input.lastAttempt?.status ?? 0;
  if (status >= 300 && status < 400) return redirectAdvice(input);
  if (status === 511) {
    return `${story(input)}: something between us and it demands a login, so it was not reached. Mend our own network, then replay; or discard.`;
  }
  if (status === 451) {
    return `${story(input)}: it is blocked for legal reasons. Clear that up with the owner of the endpoint, then replay; or discard.`;
  }
  if (status === 507) {
    return `${story(input)}: it has no storage left. Replay once it has; or discard.`;
  }
  return `${story(input)}: it does not take this event as it is. Mend the event's producer, the endpoint or its configuration, then replay; or discard.`;
}

function redirectAdvice(input: AdviceInput): string {
  const location = input.lastAttempt?.location;
  const target = location === undefined ? "" : `, pointing to ${printable(location)}`;
  return `${story(input)}${target}; redirects are never followed. If the new place is right, make it the endpoint's URL, then replay; or discard.`;
}

function retryAfterShown(lastAttempt: AttemptRecord | null): string {
  const raw = lastAttempt?.retryAfterRaw;
  const delayMs = lastAttempt?.retryAfterMs;
  const shown = raw === undefined ? "" : ` (Retry-After: ${printable(raw)})`;
  return delayMs === undefined ? shown : `: about ${roughDuration(delayMs)}${shown}`;
}

function roughDuration(durationMs: number): string {
  if (durationMs >= 2 * DAY_MS) return `${Math.round(durationMs / DAY_MS)} days`;
  if (durationMs >= 2 * HOUR_MS) return `${Math.round(durationMs / HOUR_MS)} hours`;
  if (durationMs >= 2 * MINUTE_MS) return `${Math.round(durationMs / MINUTE_MS)} minutes`;
  return `${Math.round(durationMs / SECOND_MS)} seconds`;
}

const TLS_ADVICE: Readonly<Record<CertificateCode, string>> = {
  tls_expired: "Have the endpoint's certificate renewed",
  tls_not_yet_valid: "Check the dates of the certificate and our own clock",
  tls_wrong_host: "Check the URL's host against the names in the certificate",
  tls_self_signed: "Have it use a public certificate authority, or let our workers trust its own (NODE_EXTRA_CA_CERTS)",
  tls_unknown_ca:
    "Have it send the missing intermediate certificate, or let our workers trust its private authority (NODE_EXTRA_CA_CERTS)",
  tls_revoked: "Have the certificate replaced",
};

function tlsAdvice(input: AdviceInput): string {
  const code = input.lastAttempt?.code;
  const remedy =
    code !== undefined && isCertificateCode(code) ? TLS_ADVICE[code] : "Have the endpoint's certificate put right";
  return `${story(input)}; a certificate is never accepted unverified. ${remedy}, then replay; or discard.`;
}
