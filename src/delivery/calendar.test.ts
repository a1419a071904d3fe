import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { momentMs } from "./calendar.ts";

const noon = { hour: 12, minute: 0, second: 0 };

describe("momentMs", () => {
  test.each([
    [{ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 }, 0],
    [{ year: 1994, month: 11, day: 6, hour: 8, minute: 49, second: 37 }, 784_111_777_000],
    [{ year: 2024, month: 2, day: 29, ...noon }, 1_709_208_000_000],
    [{ year: 2000, month: 2, day: 29, ...noon }, 951_825_600_000],
    [{ year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60 }, 1_483_228_800_000],
  ])("counts milliseconds since 1970 for %o", (moment, expected) => {
    expect(momentMs(moment)).toBe(expected);
  });

  test.each([
    { year: 2026, month: 11, day: 31, ...noon },
    { year: 2026, month: 2, day: 29, ...noon },
    { year: 2100, month: 2, day: 29, ...noon },
    { year: 2026, month: 0, day: 1, ...noon },
    { year: 2026, month: 13, day: 1, ...noon },
    { year: 2026, month: 1, day: 0, ...noon },
    { year: 2026, month: 1, day: 1, hour: 24, minute: 0, second: 0 },
    { year: 2026, month: 1, day: 1, hour: 0, minute: 60, second: 0 },
    { year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 61 },
  ])("does not know %o", (moment) => {
    expect(momentMs(moment)).toBeNull();
  });

  test("agrees with the platform on every day from year 0 to 9999", () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date("0000-01-01T00:00:00Z"),
          max: new Date("9999-12-31T23:59:59Z"),
          noInvalidDate: true,
        }),
        (date) => {
          const moment = {
            year: date.getUTCFullYear(),
            month: date.getUTCMonth() + 1,
            day: date.getUTCDate(),
            hour: date.getUTCHours(),
            minute: date.getUTCMinutes(),
            second: date.getUTCSeconds(),
          };
          expect(momentMs(moment)).toBe(Math.floor(date.getTime() / 1000) * 1000);
        },
      ),
    );
  });
});
