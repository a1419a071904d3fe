/** Times as providers write them: judged against now, or made RFC 3339. */
import type { RefusalReason } from "../verdict.ts";

const SECOND_MS = 1000;
const LAST_YEAR_MS = Date.UTC(10_000, 0) - 1;

/** What `parseInt` would read out of `1614265330abc` is not a time. */
const UNIX_SECONDS = /^\d{1,12}$/;

export interface Clock {
  readonly nowMs: number;
  readonly toleranceMs: number;
}

/** Why a signed time in whole Unix seconds, as text, does not count; null when it does. */
export function judgeUnixSeconds(text: string, { nowMs, toleranceMs }: Clock): RefusalReason | null {
  if (!UNIX_SECONDS.test(text)) return "timestamp_malformed";
  // Now in whole seconds too: what was sent 300 s ago is not older because of our milliseconds.
  const nowSecondsMs = Math.floor(nowMs / SECOND_MS) * SECOND_MS;
  return judgeMs(Number(text) * SECOND_MS, { nowMs: nowSecondsMs, toleranceMs });
}

/** The same for milliseconds. */
export function judgeMs(signedMs: number, { nowMs, toleranceMs }: Clock): RefusalReason | null {
  const ageMs = nowMs - signedMs;
  if (ageMs >= -toleranceMs && ageMs <= toleranceMs) return null;
  // What is no number ends here too: a broken clock accepts nothing.
  return ageMs < 0 ? "timestamp_too_new" : "timestamp_too_old";
}

/** The same for an RFC 3339 time. */
export function judgeRfc3339(text: string, clock: Clock): RefusalReason | null {
  const signedMs = rfc3339Ms(text);
  return signedMs === null ? "timestamp_malformed" : judgeMs(signedMs, clock);
}

/** Seconds since 1970, as RFC 3339; null when it is none. */
export function timeOfSeconds(text: string | null): string | null {
  return text !== null && UNIX_SECONDS.test(text) ? toRfc3339(Number(text) * SECOND_MS) : null;
}

/** Milliseconds since 1970, as RFC 3339; null when it is none. */
export function timeOfMs(text: string | null): string | null {
  return text !== null && /^\d{1,15}$/.test(text) ? toRfc3339(Number(text)) : null;
}

/** An RFC 3339 time in one spelling; null when it is none. */
export function timeOfRfc3339(text: string | null): string | null {
  const ms = text === null ? null : rfc3339Ms(text);
  return ms === null ? null : toRfc3339(ms);
}

function rfc3339Ms(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

function toRfc3339(ms: number): string | null {
  return ms >= 0 && ms <= LAST_YEAR_MS ? new Date(ms).toISOString() : null;
}
