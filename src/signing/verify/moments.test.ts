import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeMs, judgeRfc3339, judgeUnixSeconds, timeOfMs, timeOfRfc3339, timeOfSeconds } from "./moments.ts";

const NOW = 1_760_000_000_000;
const clock = { nowMs: NOW, toleranceMs: 300_000 };
const seconds = (offset: number) => String(NOW / 1000 + offset);

describe("a signed time", () => {
  test.each([
    [-300, null],
    [300, null],
    [-301, "timestamp_too_old"],
    [301, "timestamp_too_new"],
    [86_400, "timestamp_too_new"],
  ])("%i s from now is judged in both directions", (offset, expected) => {
    expect(judgeUnixSeconds(seconds(offset), clock)).toBe(expected);
    expect(judgeMs(NOW + offset * 1000, clock)).toBe(expected);
    expect(judgeRfc3339(new Date(NOW + offset * 1000).toISOString(), clock)).toBe(expected);
  });

  test("in whole seconds is not older because of our milliseconds", () => {
    expect(judgeUnixSeconds(seconds(-300), { ...clock, nowMs: NOW + 999 })).toBeNull();
    expect(judgeUnixSeconds(seconds(-300), { ...clock, nowMs: NOW + 1000 })).toBe("timestamp_too_old");
  });

  test.each([
    [Number.NaN, 300_000],
    [NOW, Number.NaN],
    [Number.POSITIVE_INFINITY, 300_000],
    [Number.NEGATIVE_INFINITY, 300_000],
  ])("is refused at %d with a tolerance of %d ms: a broken clock accepts nothing", (nowMs, toleranceMs) => {
    for (const verdict of [
      judgeUnixSeconds(seconds(0), { nowMs, toleranceMs }),
      judgeMs(NOW, { nowMs, toleranceMs }),
      judgeRfc3339(new Date(NOW).toISOString(), { nowMs, toleranceMs }),
    ])
      expect(verdict).toMatch(/^timestamp_too_(?:old|new)$/u);
  });

  test.each(["", "1614265330abc", "-1", "1.5", "1e9", " 1", "٣", "1".repeat(13)])("refuses %j as seconds", (text) => {
    expect(judgeUnixSeconds(text, clock)).toBe("timestamp_malformed");
  });

  test.each(["", "2026", "2026-11-29", "2026-11-29T10:00:00", "2026-13-01T10:00:00Z", "Sun, 29 Nov 2026 10:00:00 GMT"])(
    "refuses %j as RFC 3339",
    (text) => {
      expect(judgeRfc3339(text, clock)).toBe("timestamp_malformed");
    },
  );
});

describe("a time that is told", () => {
  test("becomes RFC 3339 in UTC", () => {
    expect(timeOfSeconds("1614265330")).toBe("2021-02-25T15:02:10.000Z");
    expect(timeOfMs("1614265330123")).toBe("2021-02-25T15:02:10.123Z");
    expect(timeOfRfc3339("2021-02-25T16:02:10.1234567+01:00")).toBe("2021-02-25T15:02:10.123Z");
  });

  test("is left out when it is none, or beyond the year 9999", () => {
    for (const time of [timeOfSeconds, timeOfMs, timeOfRfc3339])
      for (const text of [null, "", "soon", "-1"]) expect(time(text)).toBeNull();
    expect(timeOfSeconds("253402300800")).toBeNull();
    expect(timeOfMs("253402300799999")).toBe("9999-12-31T23:59:59.999Z");
  });

  test("keeps its moment, whatever the spelling", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
        const text = new Date(ms).toISOString();
        expect([timeOfMs(String(ms)), timeOfRfc3339(text)]).toEqual([text, text]);
      }),
    );
  });
});
