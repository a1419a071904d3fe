import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test.each([
  [0, "0 events"],
  [1, "1 event"],
  [2, "2 events"],
])("%d is %s", (count, words) => {
  expect(counted(count, "event")).toBe(words);
});
