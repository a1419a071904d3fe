/** Retry-After (RFC 9110 §10.2.3) and HTTP dates (§5.6.7), parsed by hand. */
import { momentMs } from "./calendar.ts";
import { DAY_MS, SECOND_MS } from "./durations.ts";

/**
 * What an endpoint asked for.
 *
 * `ignored`: a field came but none was valid, so the own backoff applies.
 * `wait`: `delayMs` is a floor for the next attempt, 0 when the moment is past.
 * `raw` shows all fields as received, joined by ", ", at most 100 characters.
 */
export type RetryAfter =
  | { readonly kind: "none" }
  | { readonly kind: "ignored"; readonly raw: string }
  | { readonly kind: "wait"; readonly delayMs: number; readonly raw: string };

export interface RetryAfterInput {
  /** One entry per field line; empty = the field was absent. */
  readonly values: readonly string[];
  /** The response's own `Date` field; null = absent. */
  readonly responseDate: string | null;
  readonly nowMs: number;
}

/** A hundred years: beyond every sensible limit, and harmless in sums and timers. */
export const MAX_RETRY_AFTER_MS = 100 * 365 * DAY_MS;

const MAX_RAW_LENGTH = 100;

/**
 * Reads the field; never throws, and `delayMs` is always a finite integer from 0 to `MAX_RETRY_AFTER_MS`.
 *
 * A date is measured against the response's `Date` where that parses, so a
 * wrong clock on either side cancels. Several fields are outside the grammar;
 * the latest valid one wins, because calling late is safe and early is not.
 */
export function parseRetryAfter({ values, responseDate, nowMs }: RetryAfterInput): RetryAfter {
  if (values.length === 0) return { kind: "none" };
  const raw = values.join(", ").slice(0, MAX_RAW_LENGTH);
  const peerNowMs = responseDate === null ? null : parseHttpDate(responseDate, nowMs);
  const delaysMs = values
    .map((value) => parseValue(trimSpace(value), peerNowMs ?? nowMs, nowMs))
    .filter((delayMs) => delayMs !== null);
  if (delaysMs.length === 0) return { kind: "ignored", raw };
  return {
    kind: "wait",
    delayMs: delaysMs.reduce((latest, delayMs) => Math.max(latest, delayMs)),
    raw,
  };
}

function parseValue(value: string, peerNowMs: number, nowMs: number): number | null {
  if (/^\d+$/.test(value)) return Math.min(Number(value) * SECOND_MS, MAX_RETRY_AFTER_MS);
  const untilMs = parseHttpDate(value, nowMs);
  if (untilMs === null || !Number.isFinite(peerNowMs)) return null;
  return Math.min(Math.max(0, Math.ceil(untilMs - peerNowMs)), MAX_RETRY_AFTER_MS);
}

/** Optional white space of RFC 9110 §5.6.3, and no more: `trim` would also take line breaks and U+00A0. */
function trimSpace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isSpace(value.charCodeAt(start))) start += 1;
  while (end > start && isSpace(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const FULL_DAY = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";

const IMF_FIXDATE = new RegExp(`^${DAY}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`);
const RFC850_DATE = new RegExp(`^${FULL_DAY}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT$`);
const ASCTIME_DATE = new RegExp(`^${DAY} ${MONTH} (?<day>\\d{2}| \\d) ${TIME} (?<year>\\d{4})$`);

/**
 * Milliseconds since 1970 of an HTTP date in any of its three forms; null for anything else.
 *
 * The form is case-sensitive and always GMT. A weekday that does not fit the
 * date is let pass: the date says when, and a recipient should be robust.
 * `nowMs` is read only for the two-digit year of the rfc850 form.
 */
export function parseHttpDate(text: string, nowMs: number): number | null {
  const full = IMF_FIXDATE.exec(text) ?? ASCTIME_DATE.exec(text);
  if (full?.groups !== undefined) return dateMs(full.groups, Number(full.groups["year"]));
  const short = RFC850_DATE.exec(text);
  return short?.groups === undefined ? null : shortYearMs(short.groups, nowMs);
}

type DateParts = Readonly<Record<string, string>>;

function dateMs(parts: DateParts, year: number): number | null {
  return momentMs({
    year,
    month: MONTHS.indexOf(String(parts["month"])) + 1,
    day: Number(parts["day"]),
    hour: Number(parts["hour"]),
    minute: Number(parts["minute"]),
    second: Number(parts["second"]),
  });
}

/** The latest year with these digits that lies at most 50 years ahead (RFC 9110 §5.6.7). */
function shortYearMs(parts: DateParts, nowMs: number): number | null {
  const limit = new Date(nowMs);
  limit.setUTCFullYear(limit.getUTCFullYear() + 50);
  const limitYear = limit.getUTCFullYear();
  if (Number.isNaN(limitYear)) return null;
  const year = limitYear - (limitYear % 100) + Number(parts["year"]);
  const aheadMs = dateMs(parts, year);
  return aheadMs !== null && aheadMs <= limit.getTime() ? aheadMs : dateMs(parts, year - 100);
}
