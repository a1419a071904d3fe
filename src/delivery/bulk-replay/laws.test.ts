/** A bulk replay over a list that changes under it, with words at any time, lost answers and equal times. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ItemResult, NotReplayed } from "./item.ts";
import { nextBulkStep } from "./next-step.ts";
import type { BulkOrder } from "./order.ts";
import { paceOf } from "./pace.ts";
import type { ListedItem, Position } from "./position.ts";
import {
  advanceBulkReplay,
  beginBulkReplay,
  type BulkFact,
  type BulkProgress,
  doneItems,
  MAX_TRIES,
  PAGE_ITEMS,
  settledBy,
} from "./progress.ts";
import { reportOf } from "./report.ts";

const START_MS = Date.parse("2026-11-29T12:00:00Z");

const selection = {
  state: "needs-attention",
  endpoint: null,
  source: null,
  type: null,
  reason: null,
  since: null,
  until: null,
} as const;

interface World {
  /** Offsets before the start, milliseconds: few values, so that many are equal. */
  readonly ages: readonly number[];
  readonly pageItems: number;
  readonly rate: number;
  /** One per question put to an event, over and over: null = replayed. */
  readonly fates: readonly (NotReplayed | null)[];
  /** Before which step which word comes. */
  readonly words: readonly { readonly step: number; readonly name: "pause" | "resume" | "cancel" }[];
  /** Which items are gone from the list before which read. */
  readonly leaving: readonly number[];
  /** Batches of which nothing is known. */
  readonly lostBatches: readonly number[];
}

const world: fc.Arbitrary<World> = fc.record({
  ages: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 }),
  pageItems: fc.integer({ min: 1, max: 8 }),
  rate: fc.constantFrom(0.5, 1, 2.5, 3, 20),
  fates: fc.array(fc.constantFrom<NotReplayed | null>(null, null, null, "no-answer", "already-ended", "not-parked"), {
    minLength: 1,
    maxLength: 20,
  }),
  words: fc.array(
    fc.record({ step: fc.nat(60), name: fc.constantFrom("pause" as const, "resume" as const, "cancel" as const) }),
    { maxLength: 4 },
  ),
  leaving: fc.array(fc.nat(59), { maxLength: 20 }),
  lostBatches: fc.array(fc.nat(10), { maxLength: 2 }),
});

interface Played {
  readonly progress: BulkProgress;
  /** In the order in which they were asked. */
  readonly asked: readonly { readonly key: string; readonly atMs: number }[];
  readonly settled: readonly ItemResult[];
  readonly batchesMs: readonly number[];
  readonly canceledMs: number | null;
  readonly stayed: ReadonlySet<string>;
}

function play(given: World): Played {
  const { ages, pageItems, fates, words, lostBatches } = given;
  const items = ages.map((age, index): ListedItem => ({ key: `shop/${index}`, acceptedMs: START_MS - age }));
  const gone = new Set<string>();
  const order: BulkOrder = { selection, rate: given.rate, actor: "ana", note: "" };
  let progress = beginBulkReplay({ id: "law", order, mark: "mark", startedMs: START_MS });
  let nowMs = START_MS;
  let reads = 0;
  let questions = 0;
  const asked: { key: string; atMs: number }[] = [];
  const settled: ItemResult[] = [];
  const batchesMs: number[] = [];
  let canceledMs: number | null = null;
  const live = (fact: BulkFact): void => {
    settled.push(...settledBy(progress, fact));
    progress = advanceBulkReplay(progress, fact);
    const { expected, done, replayed, notReplayed, because } = reportOf(progress);
    expect(done).toBe(replayed + notReplayed);
    expect(Object.values(because).reduce((sum, count) => sum + count, 0)).toBe(notReplayed);
    expect(expected).toBeGreaterThanOrEqual(done);
    expect(settled).toHaveLength(done);
  };
  for (let step = 0; step < 2000; step += 1) {
    for (const { name } of words.filter((word) => word.step === step)) {
      const before = progress.canceled;
      live({ fact: "message", name, argument: { actor: "ana" }, atMs: nowMs });
      if (before === null && progress.canceled !== null) canceledMs = nowMs;
    }
    const next = nextBulkStep(progress, nowMs);
    if (next.do === "finish") break;
    if (next.do === "hold") live({ fact: "message", name: "resume", argument: { actor: "bo" }, atMs: nowMs });
    else if (next.do === "wait")
      // In pieces: it must not go on before the whole of it is over.
      nowMs += Math.min(next.delayMs, 300);
    else if (next.do === "read") {
      const leaves = given.leaving[reads];
      if (leaves !== undefined) gone.add(`shop/${leaves}`);
      reads += 1;
      live({
        fact: "listed",
        atMs: nowMs,
        ...pageOf(
          items.filter(({ key }) => !gone.has(key)),
          next.position,
          pageItems,
        ),
      });
    } else {
      batchesMs.push(nowMs);
      asked.push(...next.items.map(({ key }) => ({ key, atMs: nowMs })));
      live({ fact: "batch-begun", atMs: nowMs });
      if (lostBatches.includes(batchesMs.length)) {
        live({ fact: "batch-failed", atMs: nowMs });
        continue;
      }
      const results = next.items.map(({ key }): ItemResult => {
        const because = fates[questions++ % fates.length] ?? null;
        return { key, replayed: because === null ? 1 : 0, because };
      });
      live({ fact: "batch-ended", results, atMs: nowMs });
    }
  }
  live({ fact: "ended", atMs: nowMs });
  const stayed = new Set(items.map(({ key }) => key).filter((key) => !gone.has(key)));
  return { progress, asked, settled, batchesMs, canceledMs, stayed };
}

/** As the server lists: newest first, nothing after the position, and those taken passed over. */
function pageOf(items: readonly ListedItem[], { untilMs, taken }: Position, most: number) {
  const behind = items
    .filter(({ key, acceptedMs }) => acceptedMs <= untilMs && !taken.includes(key))
    .toSorted((left, right) => right.acceptedMs - left.acceptedMs);
  const page = behind.slice(0, most);
  return { items: page, more: behind.length > most, beyond: behind.length - page.length };
}

describe("whatever happens", () => {
  test("each event is done with once, and asked again only where no verdict came", () => {
    fc.assert(
      fc.property(world, (given) => {
        const { settled, asked } = play(given);
        expect(new Set(settled.map(({ key }) => key)).size).toBe(settled.length);
        for (const key of new Set(asked.map((one) => one.key)))
          expect(asked.filter((one) => one.key === key).length).toBeLessThanOrEqual(MAX_TRIES);
        if (!given.fates.includes("no-answer") && given.lostBatches.length === 0)
          expect(new Set(asked.map(({ key }) => key)).size).toBe(asked.length);
      }),
    );
  });

  test("nothing that stays in the list is left out, unless somebody cancels", () => {
    fc.assert(
      fc.property(world, (given) => {
        const { settled, canceledMs, stayed, progress } = play(given);
        if (canceledMs !== null) return;
        const keys = new Set(settled.map(({ key }) => key));
        expect([...stayed].filter((key) => !keys.has(key))).toEqual([]);
        expect(reportOf(progress)).toMatchObject({ state: "finished", expected: doneItems(progress) });
      }),
    );
  });

  test("no batch begins before its time, and none once it is canceled", () => {
    fc.assert(
      fc.property(world, (given) => {
        const { batchesMs, canceledMs, asked, progress } = play(given);
        const { intervalMs, batch } = paceOf(given.rate);
        for (const [index, ms] of batchesMs.entries())
          if (index > 0) expect(ms - Number(batchesMs[index - 1])).toBeGreaterThanOrEqual(intervalMs);
        for (const ms of batchesMs) expect(asked.filter(({ atMs }) => atMs === ms).length).toBeLessThanOrEqual(batch);
        // Words come between steps here, so at most the batch of that very moment was in hand.
        if (canceledMs !== null) expect(batchesMs.at(-1) ?? 0).toBeLessThanOrEqual(canceledMs);
        expect(progress.endedMs).not.toBeNull();
      }),
    );
  });
});

test("a hundred thousand events, and words without end, leave it as small as a few", () => {
  const order: BulkOrder = { selection, rate: 100, actor: "ana", note: "x".repeat(1000) };
  let progress = beginBulkReplay({ id: "many", order, mark: "mark", startedMs: START_MS });
  const key = (number: number): string => `shop/${String(number).padStart(159, "e")}`;
  let largest = 0;
  const live = (fact: BulkFact): void => void (progress = advanceBulkReplay(progress, fact));
  for (let nowMs = START_MS, read = 0; ; nowMs += 1000) {
    const next = nextBulkStep(progress, nowMs);
    if (next.do === "finish") break;
    if (next.do === "read") {
      const items = Array.from({ length: PAGE_ITEMS }, (_, index) => ({
        key: key(read + index),
        acceptedMs: START_MS - read - index,
      }));
      read += PAGE_ITEMS;
      live({ fact: "listed", items, more: read < 100_000, beyond: 100_000 - read, atMs: nowMs });
    } else if (next.do === "replay") {
      const results = next.items.map((item): ItemResult => ({ key: item.key, replayed: 0, because: "not-parked" }));
      live({ fact: "batch-begun", atMs: nowMs });
      live({ fact: "batch-ended", results, atMs: nowMs });
      live({
        fact: "message",
        name: "resume",
        argument: { actor: "a".repeat(300), note: "n".repeat(2000) },
        atMs: nowMs,
      });
      largest = Math.max(largest, JSON.stringify(progress).length);
    }
  }
  expect(reportOf(progress)).toMatchObject({ expected: 100_000, done: 100_000, because: { "not-parked": 100_000 } });
  expect(largest).toBeLessThan(128 * 1024);
});

test("a queue of unanswered events is asked again before more of the list is read", () => {
  const order: BulkOrder = { selection, rate: 100, actor: "ana", note: "" };
  let progress = beginBulkReplay({ id: "deaf", order, mark: "mark", startedMs: START_MS });
  let read = 0;
  for (let nowMs = START_MS; read < 2000; nowMs += 1000) {
    const next = nextBulkStep(progress, nowMs);
    if (next.do === "read") {
      const items = Array.from({ length: PAGE_ITEMS }, (_, index) => ({
        key: `k/${read + index}`,
        acceptedMs: START_MS - read - index,
      }));
      read += PAGE_ITEMS;
      progress = advanceBulkReplay(progress, { fact: "listed", items, more: true, beyond: 1, atMs: nowMs });
    } else if (next.do === "replay") progress = advanceBulkReplay(progress, { fact: "batch-failed", atMs: nowMs });
    expect(progress.queue.length).toBeLessThan(2 * PAGE_ITEMS);
  }
  expect(progress.notReplayed["no-answer"]).toBeGreaterThan(1000);
});
