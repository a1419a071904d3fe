/** The oldest of a list, without reading the list. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../delivery/durations.ts";
import { oldestByCounting } from "./oldest-by-counting.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00.000Z");

function counting(agesMs: readonly number[]) {
  const asked: number[] = [];
  const countBefore = async (atMs: number): Promise<number> => {
    asked.push(atMs);
    return await Promise.resolve(agesMs.filter((ageMs) => NOW_MS - ageMs < atMs).length);
  };
  return { asked, countBefore };
}

test("is found to a twentieth of its age, and never said to be older than it is", async () => {
  const age = fc.integer({ min: 1, max: 10 * 365 * DAY_MS });
  await fc.assert(
    fc.asyncProperty(fc.array(age, { minLength: 1, maxLength: 20 }), async (agesMs) => {
      const { asked, countBefore } = counting(agesMs);
      const foundMs = NOW_MS - (await oldestByCounting(countBefore, NOW_MS));
      const oldestMs = Math.max(...agesMs);
      expect(foundMs).toBeLessThanOrEqual(oldestMs);
      expect(oldestMs - foundMs).toBeLessThanOrEqual(Math.max(SECOND_MS, oldestMs / 20));
      expect(asked.length).toBeLessThanOrEqual(20);
    }),
  );
});

test.each([
  [30 * SECOND_MS, 7],
  [HOUR_MS, 9],
  [DAY_MS, 13],
  [365 * DAY_MS, 16],
])("of %i ms costs at most %i counts", async (ageMs, counts) => {
  const { asked, countBefore } = counting([ageMs, ageMs / 2]);
  await oldestByCounting(countBefore, NOW_MS);
  expect(asked.length).toBeLessThanOrEqual(counts);
});

test("comes to an end when the server counts whatever it is asked", async () => {
  let asked = 0;
  const foundMs = await oldestByCounting(async () => await Promise.resolve((asked += 1)), NOW_MS);
  expect(foundMs).toBeLessThan(NOW_MS);
  expect(asked).toBeLessThan(30);
});
