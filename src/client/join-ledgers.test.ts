import { expect, test } from "vitest";
import { entered, type Ledger, type LedgerEvent } from "../delivery/gates/ledger.ts";
import { joinLedgers } from "./join-ledgers.ts";

/** `count` changes of one workflow, a second apart, as its memo shows them after each. */
function copiesOf(count: number, fromMs: number): readonly Ledger[] {
  const copies: Ledger[] = [];
  for (let index = 0; index < count; index += 1) {
    const what: LedgerEvent = index % 2 === 0 ? "tripped" : "opened";
    copies.push(entered(copies.at(-1) ?? [], { atMs: fromMs + index * 1000, what, who: "workers", why: "w" }));
  }
  return copies;
}

const last = <Item>(items: readonly Item[]): Item => items.at(-1) as Item; // there is one in every test

test("joins what copies of one ledger have in common, each change once, oldest first", () => {
  const copies = copiesOf(30, 0);
  const { entries, gapsBefore } = joinLedgers(copies);
  expect(entries.map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  expect(gapsBefore.size).toBe(0);
  expect(joinLedgers(copies.toReversed()).entries).toEqual(entries);
});

test("says before which change some are missing, as long as they are", () => {
  const copies = copiesOf(30, 0);
  const { entries, gapsBefore } = joinLedgers([last(copies)]);
  expect([entries.length, [...gapsBefore]]).toEqual([20, [entries[0]?.at]]);
  expect(joinLedgers([...copies.slice(0, 12), last(copies)]).gapsBefore.size).toBe(0);
});

test("keeps apart what begins at 1 again, also within one millisecond of time", () => {
  const [first, second] = [copiesOf(3, 0), copiesOf(2, 60_000)];
  expect(joinLedgers([last(first), last(second)]).entries.map(({ n }) => n)).toEqual([1, 2, 3, 1, 2]);
  const same = [1, 2, 3].map((n) => ({ ...last(last(first)), n }));
  expect(joinLedgers([same.toReversed()]).entries.map(({ n }) => n)).toEqual([1, 2, 3]);
});

test("takes the later word on a change that was extended", () => {
  const ledger = last(copiesOf(1, 0));
  const longer = ledger.map((entry) => ({ ...entry, until: "2026-11-29T10:00:00.000Z" }));
  expect(joinLedgers([ledger, longer]).entries).toEqual(longer);
});

test("nothing is nothing", () => {
  expect(joinLedgers([[], []])).toEqual({ entries: [], gapsBefore: new Set() });
});
