/** What a lookup finds out about an attempt whose outcome is uncertain: rules, verdict, record. */
import type { AttemptCode } from "./attempt.ts";
import { MINUTE_MS, SECOND_MS } from "./durations.ts";
import type { JsonValue } from "./event.ts";
import { holdsAt } from "./json-path.ts";

/** An answer that means something; `json` = values that must stand at these paths, all of them. */
export interface LookupAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, JsonValue>>;
}

export interface LookupRules {
  readonly delivered: LookupAnswer;
  readonly absent: LookupAnswer;
}

/** `unclear` = cannot tell. */
export type LookupFinding = "delivered" | "absent" | "unclear";

/** One lookup as it stands in the event state: never a body, never a secret. */
export interface LookupRecord {
  /** Number of the attempt it is about. */
  readonly attempt: number;
  /** Of the last time it was asked, RFC 3339. */
  readonly at: string;
  readonly durationMs: number;
  /** How often it was asked, from 1. */
  readonly tries: number;
  readonly by: "url" | "handler";
  readonly found: LookupFinding;
  /** `not_configured`: the worker's configuration has no lookup for this delivery any more, nothing was asked. */
  readonly code: AttemptCode | "not_configured";
  readonly status?: number;
  /** What the answer had to hold, and held, as the configuration says it; absent = only the status counted. */
  readonly matched?: Readonly<Record<string, JsonValue>>;
  /** Of a handler, at most 200 visible ASCII characters. */
  readonly reference?: string;
}

export interface LookupVerdict {
  readonly found: LookupFinding;
  readonly matched: Readonly<Record<string, JsonValue>>;
}

/** `body` is undefined where it is not JSON, or too large. An answer that fits both rules tells nothing. */
export function judgeLookup(
  { status, body }: { readonly status: number; readonly body: JsonValue | undefined },
  { delivered, absent }: LookupRules,
): LookupVerdict {
  const isDelivered = fits(delivered, status, body);
  if (isDelivered === fits(absent, status, body)) return { found: "unclear", matched: {} };
  return isDelivered ? { found: "delivered", matched: delivered.json } : { found: "absent", matched: absent.json };
}

function fits(rule: LookupAnswer, status: number, body: JsonValue | undefined): boolean {
  return rule.status === status && Object.entries(rule.json).every(([path, expected]) => holdsAt(body, path, expected));
}

/** What came of asking once without finding out. */
export interface UnclearAnswer {
  readonly code: LookupRecord["code"];
  /** Null = there was no answer, or not over HTTP. */
  readonly status: number | null;
  /** What the other side asked for; null = nothing. */
  readonly retryAfterMs: number | null;
}

/** An answer may become another one in seconds; a side that does not answer may need minutes to come back. */
const TRIES_ANSWERED = 4;
const TRIES_UNANSWERED = 10;
const LONGEST_BACKOFF_MS = MINUTE_MS;
/** Beyond it a person hears of the uncertainty first. */
const LONGEST_RETRY_AFTER_MS = 10 * MINUTE_MS;

/** These may be answered otherwise in a moment; redirects and all other refusals stay what they are. */
const PASSING_REFUSALS: readonly number[] = [408, 409, 423, 424, 425, 429];

/** When to ask once more, milliseconds from now; null = not again, a person must look. `tries` counts from 1. */
export function askAgainAfterMs({ code, status, retryAfterMs }: UnclearAnswer, tries: number): number | null {
  if (NEVER_ANSWERED_OTHERWISE.includes(code) || (status !== null && !maySoonDiffer(status))) return null;
  if (retryAfterMs !== null && retryAfterMs > LONGEST_RETRY_AFTER_MS) return null;
  const isAnswered = status !== null || code === "handler_done";
  // A worker that has to stop in the middle of a lookup has found out nothing.
  if (code !== "canceled" && tries >= (isAnswered ? TRIES_ANSWERED : TRIES_UNANSWERED)) return null;
  return Math.max(retryAfterMs ?? 0, lookupBackoffMs(tries));
}

const NEVER_ANSWERED_OTHERWISE: readonly LookupRecord["code"][] = [
  "blocked_address",
  "request_invalid",
  "handler_refused",
  "not_configured",
];

function maySoonDiffer(status: number): boolean {
  return (status >= 200 && status < 300) || status >= 500 || PASSING_REFUSALS.includes(status);
}

/** 1 s, 2 s, 4 s … 1 min. */
function lookupBackoffMs(tries: number): number {
  return Math.min(LONGEST_BACKOFF_MS, SECOND_MS * 2 ** (tries - 1));
}
