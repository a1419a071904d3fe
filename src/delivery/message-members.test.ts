import { expect, test } from "vitest";
import { isKnownVersion } from "./message-members.ts";

test.each([
  [undefined, true],
  [null, true],
  [1, true],
  [2, false],
  [0, false],
  ["1", false],
  [1n, false],
  [true, false],
])("v %s is known: %s", (v, expected) => {
  expect(isKnownVersion({ v })).toBe(expected);
});

test("no v is version 1", () => {
  expect(isKnownVersion({})).toBe(true);
});
