/** Points in time and distances between them, as people read them. All times are UTC, and say so. */
import { durationText } from "../delivery/summaries.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";

/** `2026-11-29 10:00:00 UTC`. */
export function momentText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

/** `10:00:00.123`: for lines whose day is said above. */
export function clockText(at: string): string {
  return at.slice(11, 23);
}

/** `in 4 min 12 s`, `overdue by 3 s`; never reads nearer than it is. */
export function untilText(at: string, nowMs: number): string {
  const leftMs = Date.parse(at) - nowMs;
  return leftMs >= 0 ? `in ${longText(leftMs)}` : `overdue by ${longText(-leftMs)}`;
}

/** `3 s`, `5 min`, `2 h`, `4 d`: one unit, rounded down, for tables and "ago". */
export function ageText(at: string, nowMs: number): string {
  return unitText(Math.max(0, nowMs - Date.parse(at)));
}

function unitText(durationMs: number): string {
  if (durationMs >= DAY_MS) return `${Math.floor(durationMs / DAY_MS)} d`;
  if (durationMs >= HOUR_MS) return `${Math.floor(durationMs / HOUR_MS)} h`;
  if (durationMs >= MINUTE_MS) return `${Math.floor(durationMs / MINUTE_MS)} min`;
  return `${Math.floor(durationMs / SECOND_MS)} s`;
}

/** As in the Temporal UI, but whole days once hours say nothing any more. */
export function longText(durationMs: number): string {
  return durationMs >= 3 * DAY_MS ? `${Math.ceil(durationMs / DAY_MS)} d` : durationText(durationMs);
}

/** `12 ms`, `2.3 s`: how long an attempt took. */
export function tookText(durationMs: number): string {
  return durationMs < SECOND_MS ? `${durationMs} ms` : durationText(durationMs);
}

/** `3 h`, or `expired 5 min ago`: one unit, rounded down, so it never reads longer than it is. */
export function leftText(until: string, nowMs: number): string {
  const leftMs = Date.parse(until) - nowMs;
  return leftMs > 0 ? unitText(leftMs) : `expired ${unitText(-leftMs)} ago`;
}
