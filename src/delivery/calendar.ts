/**
 * The Gregorian calendar in UTC, as arithmetic.
 *
 * `Date.parse` and `Date.UTC` roll impossible dates over (31 November becomes
 * 1 December) and read two-digit years as 19xx; protocols want neither.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";

export interface Moment {
  readonly year: number;
  /** 1 = January. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 60 is a leap second. */
  readonly second: number;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Milliseconds since 1970 of a moment in UTC; null when no such day or time exists. */
export function momentMs(moment: Moment): number | null {
  const { year, month, day, hour, minute, second } = moment;
  if (day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  return daysSince1970(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
}

/** 0 for a month that does not exist. */
function daysInMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTH_LENGTHS[month - 1] ?? 0) + (month === 2 && isLeapYear ? 1 : 0);
}

/** Counts years from March, so that a leap day is the last day of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const fromMarch = month > 2 ? year : year - 1;
  const leapDays = Math.floor(fromMarch / 4) - Math.floor(fromMarch / 100) + Math.floor(fromMarch / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const DAYS_FROM_YEAR_0_TO_1970 = 719_468;
  return 365 * fromMarch + leapDays + dayOfYear - DAYS_FROM_YEAR_0_TO_1970;
}
