import { expect, test } from "vitest";
import { judgeStrays } from "../scenarios/many-findings.ts";

test.each([
  [0, 200, true],
  [20, 200, true],
  [21, 200, false],
  [200, 200, false],
])("%i sound endpoints of %i that went by their lane pass for few: %s", (strays, count, holds) => {
  expect(judgeStrays(strays, count).holds).toBe(holds);
});
