/** What docs/bulk-replay.md lists is what there is. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { NotReplayed } from "../../src/delivery/bulk-replay/item.ts";
import { readOrder } from "../../src/delivery/bulk-replay/order.ts";
import { DEFAULT_RATE, MAX_RATE, MIN_RATE } from "../../src/delivery/bulk-replay/pace.ts";
import { MAX_TRIES, PAGE_ITEMS } from "../../src/delivery/bulk-replay/progress.ts";
import { BULK_ACTIONS, type BulkRefusal } from "../../src/delivery/bulk-replay/words.ts";

const page = await readFile("docs/bulk-replay.md", "utf8");

function firstCells(head: string): readonly string[] {
  const table = page.slice(page.indexOf(`| ${head}`));
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? row);
}

test("every reason why an event is not replayed, and every word", () => {
  // The compiler holds these to the closed sets.
  const reasons: Readonly<Record<NotReplayed, true>> = {
    "already-ended": true,
    "attempt-in-flight": true,
    "awaiting-approval": true,
    "not-parked": true,
    "outcome-uncertain": true,
    "other-reason": true,
    "unknown-delivery": true,
    "not-found": true,
    "no-answer": true,
  };
  const refusals: Readonly<Record<BulkRefusal, true>> = {
    "already-paused": true,
    "not-paused": true,
    "already-ended": true,
    malformed: true,
  };
  expect(firstCells("Not replayed because")).toEqual(Object.keys(reasons));
  expect(firstCells("Word ")).toEqual([...BULK_ACTIONS]);
  for (const refusal of Object.keys(refusals)) expect(page).toContain(`\`${refusal}\``);
});

test("its figures", () => {
  expect(page).toContain(`from ${MIN_RATE} to ${MAX_RATE}; ${DEFAULT_RATE} by default`);
  expect(page).toContain(`${PAGE_ITEMS} at a time`);
  expect([MAX_TRIES, page.includes("three times no verdict came")]).toEqual([3, true]);
});

test("its plain start is one, and the numbers of its report add up", () => {
  const input: unknown = JSON.parse(/--input '(.*)'/.exec(page)?.[1] ?? "");
  expect(readOrder(input)).toMatchObject({ rate: 20, actor: "ana@example.com", selection: { endpoint: "crm" } });
  const report = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? "") as {
    readonly done: number;
    readonly replayed: number;
    readonly notReplayed: number;
    readonly because: Readonly<Record<string, number>>;
  }; // as the page writes it
  expect(report.replayed + report.notReplayed).toBe(report.done);
  expect(Object.values(report.because).reduce((sum, count) => sum + count, 0)).toBe(report.notReplayed);
});
