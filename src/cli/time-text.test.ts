import { describe, expect, test } from "vitest";
import { ageText, clockText, leftText, longText, momentText, tookText, untilText } from "./time-text.ts";

const AT = "2026-11-29T10:00:00.123Z";
const AT_MS = Date.parse(AT);

describe("points in time", () => {
  test("are written in UTC and say so where the day stands", () => {
    expect(momentText(AT)).toBe("2026-11-29 10:00:00 UTC");
    expect(clockText(AT)).toBe("10:00:00.123");
  });
});

describe("ageText", () => {
  test.each([
    [-5, "0 s"],
    [999, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_600_000, "1 h"],
    [86_400_000 * 2 - 1, "1 d"],
  ])("%i ms is %s", (ageMs, text) => {
    expect(ageText(AT, AT_MS + ageMs)).toBe(text);
  });
});

describe("leftText", () => {
  test.each([
    [-3_600_000 * 25, "1 d"],
    [-119_999, "1 min"],
    [-1, "0 s"],
    [0, "expired 0 s ago"],
    [180_000, "expired 3 min ago"],
  ])("%i ms after it is %s", (afterMs, text) => {
    expect(leftText(AT, AT_MS + afterMs)).toBe(text);
  });
});

describe("untilText", () => {
  test("tells what is left from what is overdue", () => {
    expect(untilText(AT, AT_MS - 61_000)).toBe("in 1 min 1 s");
    expect(untilText(AT, AT_MS)).toBe("in 0 s");
    expect(untilText(AT, AT_MS + 1500)).toBe("overdue by 1.5 s");
  });
});

describe("durations", () => {
  test("are days once hours say nothing any more", () => {
    expect(longText(2 * 86_400_000)).toBe("48 h");
    expect(longText(3 * 86_400_000 + 1)).toBe("4 d");
  });

  test("of attempts are milliseconds below a second", () => {
    expect([tookText(12), tookText(2300)]).toEqual(["12 ms", "2.3 s"]);
  });
});
