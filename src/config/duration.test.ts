import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDurationMs } from "./duration.ts";
import { parseSizeBytes } from "./size.ts";

test.each([
  ["500ms", 500],
  ["5s", 5000],
  ["3m", 180_000],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
  ["0s", 0],
  ["3650d", 315_360_000_000],
])("reads the duration %s as %i ms", (text, durationMs) => {
  expect(parseDurationMs(text)).toBe(durationMs);
});

test.each([
  "",
  "5",
  "s",
  "5 s",
  " 5s",
  "5s ",
  "-5s",
  "+5s",
  "1.5h",
  "5S",
  "5sec",
  "1w",
  "1e3s",
  "５s",
  "3651d",
  "9999999999s",
])("refuses %j as a duration", (text) => {
  expect(parseDurationMs(text)).toBeNull();
});

test("never throws and never answers anything but null or whole milliseconds", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...Array.from("0123456789msMhd")) })),
      (text) => {
        const durationMs = parseDurationMs(text);
        expect(durationMs === null || (Number.isSafeInteger(durationMs) && durationMs >= 0)).toBe(true);
      },
    ),
  );
});

test.each([
  ["512B", 512],
  ["64KiB", 65_536],
  ["1MiB", 1_048_576],
])("reads the size %s as %i bytes", (text, bytes) => {
  expect(parseSizeBytes(text)).toBe(bytes);
});

test.each(["", "64", "64kib", "64KB", "1.5MiB", "-1B", "1GiB", " 1B"])("refuses %j as a size", (text) => {
  expect(parseSizeBytes(text)).toBeNull();
});
