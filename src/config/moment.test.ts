import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMomentMs } from "./moment.ts";

test.each([
  ["2026-11-29T10:00:00Z", Date.UTC(2026, 10, 29, 10)],
  ["2026-11-29t10:00:00z", Date.UTC(2026, 10, 29, 10)],
  ["2026-11-29T10:00:00.5+02:00", Date.UTC(2026, 10, 29, 8, 0, 0, 500)],
  ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ["2026-02-29T00:00:00Z", null],
  ["2026-11-31T00:00:00Z", null],
  ["2016-12-31T23:59:60Z", null],
  ["2026-11-29", null],
  ["2026-11-29T10:00:00", null],
  ["Sun, 29 Nov 2026 10:00:00 GMT", null],
  ["90d", null],
  ["", null],
])("%j is %j", (text, ms) => {
  expect(parseMomentMs(text)).toBe(ms);
});

test("reads back every time that Date writes", () => {
  const date = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
  fc.assert(fc.property(date, (moment) => parseMomentMs(moment.toISOString()) === moment.getTime()));
});
