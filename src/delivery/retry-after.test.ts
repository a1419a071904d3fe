import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import { MAX_RETRY_AFTER_MS, parseHttpDate, parseRetryAfter } from "./retry-after.ts";

const NOW = "Sun, 29 Nov 2026 12:00:00 GMT";
const nowMs = Date.UTC(2026, 10, 29, 12);

/** The floor for one field, or the kind when there is none. */
function floorOf(value: string, responseDate: string | null = NOW): number | string {
  const result = parseRetryAfter({ values: [value], responseDate, nowMs });
  return result.kind === "wait" ? result.delayMs : result.kind;
}

describe("parseRetryAfter", () => {
  test("finds nothing in an answer without the field", () => {
    expect(parseRetryAfter({ values: [], responseDate: NOW, nowMs })).toEqual({ kind: "none" });
  });

  // Grammar: RFC 9110 §10.2.3 and §5.6.7.
  test.each([
    ["120", 120 * SECOND_MS],
    ["007", 7 * SECOND_MS],
    ["3600", HOUR_MS],
    ["0", 0],
    ["86400", DAY_MS],
    ["86401", DAY_MS + SECOND_MS],
    ["1500", 1500 * SECOND_MS],
    ["1000000000", 1_000_000_000 * SECOND_MS],
    [" 120\t", 120 * SECOND_MS],
    ["Sun, 29 Nov 2026 12:02:00 GMT", 2 * MINUTE_MS],
    ["Sunday, 29-Nov-26 12:02:00 GMT", 2 * MINUTE_MS],
    ["Sun Nov 29 12:02:00 2026", 2 * MINUTE_MS],
    ["Tue Dec  1 11:00:00 2026", 47 * HOUR_MS],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Sun Nov  6 08:49:37 1994", 0],
    ["Sunday, 06-Nov-77 08:49:37 GMT", 0],
    ["Friday, 06-Nov-76 08:49:37 GMT", Date.UTC(2076, 10, 6, 8, 49, 37) - nowMs],
  ])("waits as asked by %j", (value, delayMs) => {
    expect(floorOf(value)).toBe(delayMs);
  });

  test.each(["99999999999999999999999", "9".repeat(10_000), "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "holds %j to a finite bound",
    (value) => {
      expect(floorOf(value)).toBe(MAX_RETRY_AFTER_MS);
    },
  );

  test.each([
    "",
    " ",
    "-5",
    "+5",
    "1.5",
    "1e3",
    "0x10",
    "120abc",
    "NaN",
    "Infinity",
    "1,2",
    "120, 60",
    "12:00",
    "foo 7",
    "soon",
    "٣",
    "120\n",
    "\u00a0120",
    "Wed, 31 Nov 2026 00:00:00 GMT",
    "Wed, 32 Oct 2026 07:28:00 GMT",
    "Sun, 29 Nov 2026 24:00:00 GMT",
    "Sun, 29 Nov 2026 14:02:00 +0200",
    "Sun, 29 Nov 2026 12:02:00 UTC",
    "sun, 29 nov 2026 12:02:00 gmt",
    "Sun, 29 Foo 2026 12:02:00 GMT",
    "Foo, 29 Nov 2026 12:02:00 GMT",
    "Sun, 9 Nov 2026 12:02:00 GMT",
    "Sun Nov 29 12:02:00 2026 GMT",
    "2026-11-29T12:02:00Z",
    "06 Nov 1994",
  ])("ignores %j and keeps it for the record", (value) => {
    expect(parseRetryAfter({ values: [value], responseDate: NOW, nowMs })).toEqual({
      kind: "ignored",
      raw: value,
    });
  });

  test("lets a wrong weekday pass, because the date says when", () => {
    expect(floorOf("Fri, 29 Nov 2026 12:02:00 GMT")).toBe(2 * MINUTE_MS);
  });

  test.each([
    ["5 minutes ahead", "Sun, 29 Nov 2026 12:05:00 GMT", "Sun, 29 Nov 2026 12:07:00 GMT"],
    ["90 seconds behind", "Sun, 29 Nov 2026 11:58:30 GMT", "Sun, 29 Nov 2026 12:00:30 GMT"],
  ])("cancels the skew of a peer whose clock is %s", (_skew, responseDate, value) => {
    expect(floorOf(value, responseDate)).toBe(2 * MINUTE_MS);
  });

  test.each([null, "yesterday"])("measures a date against our clock when the Date field is %j", (responseDate) => {
    expect(floorOf("Sun, 29 Nov 2026 12:02:00 GMT", responseDate)).toBe(2 * MINUTE_MS);
  });

  test.each([
    [["120", "60"], 120 * SECOND_MS],
    [["60", "120"], 120 * SECOND_MS],
    [["Sun, 29 Nov 2026 12:02:00 GMT", "60"], 120 * SECOND_MS],
    [["soon", "60"], 60 * SECOND_MS],
    [["0", "-5"], 0],
  ])("takes the latest valid one of the fields %j", (values, delayMs) => {
    const raw = values.join(", ");
    expect(parseRetryAfter({ values, responseDate: NOW, nowMs })).toEqual({
      kind: "wait",
      delayMs,
      raw,
    });
  });

  test("keeps at most 100 characters of what came", () => {
    expect(parseRetryAfter({ values: ["x".repeat(101)], responseDate: NOW, nowMs })).toEqual({
      kind: "ignored",
      raw: "x".repeat(100),
    });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("ignores a date when our clock shows %d", (brokenMs) => {
    const values = ["Sun, 29 Nov 2026 12:02:00 GMT"];
    expect(parseRetryAfter({ values, responseDate: null, nowMs: brokenMs }).kind).toBe("ignored");
  });

  test("is total: any fields, any Date, any clock give none, ignored or a finite integer", () => {
    const field = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.bigInt().map(String),
      fc.date().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(fc.array(field), fc.option(field), fc.double(), (values, responseDate, clockMs) => {
        const result = parseRetryAfter({ values, responseDate, nowMs: clockMs });
        if (result.kind !== "wait") return;
        expect(Number.isSafeInteger(result.delayMs)).toBe(true);
        expect(result.delayMs).toBeGreaterThanOrEqual(0);
        expect(result.delayMs).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
      }),
    );
  });
});

describe("parseHttpDate", () => {
  const seconds = fc.date({
    min: new Date("0100-01-01"),
    max: new Date("9999-12-31"),
    noInvalidDate: true,
  });
  const twoDigits = (value: number): string => String(value).padStart(2, "0");
  const timeOf = (date: Date): string => date.toUTCString().slice(-12, -4);
  const FULL_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const dayMonth = (date: Date): readonly [string, string] => [
    date.toUTCString().slice(0, 3),
    date.toUTCString().slice(8, 11),
  ];
  const wholeSecondsMs = (date: Date): number => Math.floor(date.getTime() / SECOND_MS) * SECOND_MS;

  test("reads back every IMF-fixdate that the platform writes", () => {
    fc.assert(
      fc.property(seconds, (date) => {
        expect(parseHttpDate(date.toUTCString(), nowMs)).toBe(wholeSecondsMs(date));
      }),
    );
  });

  test("reads back every asctime-date, its day padded with a space, as UTC", () => {
    fc.assert(
      fc.property(seconds, (date) => {
        const [weekday, month] = dayMonth(date);
        const day = String(date.getUTCDate()).padStart(2, " ");
        const text = `${weekday} ${month} ${day} ${timeOf(date)} ${String(date.getUTCFullYear()).padStart(4, "0")}`;
        expect(parseHttpDate(text, nowMs)).toBe(wholeSecondsMs(date));
      }),
    );
  });

  test("reads back every rfc850-date from 49 years ago to 49 years ahead of any clock", () => {
    const clock = fc.date({
      min: new Date("1970-01-01"),
      max: new Date("2400-01-01"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(clock, fc.integer({ min: -49 * 365, max: 49 * 365 }), (now, days) => {
        const date = new Date(now.getTime() + days * DAY_MS);
        const [, month] = dayMonth(date);
        const day = `${FULL_DAYS[date.getUTCDay()]}, ${twoDigits(date.getUTCDate())}`;
        const text = `${day}-${month}-${twoDigits(date.getUTCFullYear() % 100)} ${timeOf(date)} GMT`;
        expect(parseHttpDate(text, now.getTime())).toBe(wholeSecondsMs(date));
      }),
    );
  });

  test.each(["America/New_York", "Asia/Kolkata"])("reads asctime as UTC although the process lives in %s", (zone) => {
    const before = process.env["TZ"];
    process.env["TZ"] = zone;
    try {
      expect(new Date(0).getTimezoneOffset()).not.toBe(0);
      expect(parseHttpDate("Sun Nov  6 08:49:37 1994", nowMs)).toBe(784_111_777_000);
      expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", nowMs)).toBe(784_111_777_000);
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
    }
  });

  test("knows 29 February only in a leap year", () => {
    expect(parseHttpDate("Thu, 29 Feb 2024 00:00:00 GMT", nowMs)).toBe(Date.UTC(2024, 1, 29));
    expect(parseHttpDate("Sat, 29 Feb 2025 00:00:00 GMT", nowMs)).toBeNull();
    expect(parseHttpDate("Friday, 29-Feb-25 00:00:00 GMT", nowMs)).toBeNull();
  });

  test("reads a leap second as the second after it", () => {
    expect(parseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT", nowMs)).toBe(Date.UTC(2017, 0, 1));
  });

  test("does not guess a century without a clock", () => {
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", Number.NaN)).toBeNull();
  });
});
