import { expect, test } from "vitest";
import { countPollers } from "./pollers.ts";

const NOW_MS = Date.parse("2026-11-29T10:00:00Z");
const seenAgo = (seconds: number) => ({ lastAccessTime: { seconds: NOW_MS / 1000 - seconds } });

test("counts the pollers that were seen within 75 seconds, whatever else the server lists", () => {
  expect(countPollers([seenAgo(0), seenAgo(75), seenAgo(76), seenAgo(3600), {}], NOW_MS)).toBe(2);
  expect([countPollers([], NOW_MS), countPollers(null, NOW_MS), countPollers(undefined, NOW_MS)]).toEqual([0, 0, 0]);
});
