/** How far a bulk replay has come: one value, folded from facts. The workflow lives them; `show` reads them from the history. */
import type { ItemResult, NotReplayed } from "./item.ts";
import type { BulkOrder } from "./order.ts";
import { paceOf } from "./pace.ts";
import { type ListedItem, type Position, positionAfter } from "./position.ts";
import { type BulkStop, type BulkWord, readWord } from "./words.ts";

export interface QueuedItem {
  readonly key: string;
  /** How often no verdict came. */
  readonly tries: number;
}

export interface BulkProgress {
  readonly id: string;
  readonly order: BulkOrder;
  /** Begins the reason of every replay. */
  readonly mark: string;
  readonly startedMs: number;
  /** Null = the list has been read to its end. */
  readonly position: Position | null;
  /** Read and not yet done with; those that gave no verdict stand at the end. */
  readonly queue: readonly QueuedItem[];
  /** Items the list counted behind the position, when it was last read. */
  readonly beyond: number;
  readonly replayed: number;
  readonly notReplayed: Readonly<Partial<Record<NotReplayed, number>>>;
  /** The last few that were not replayed; the history has them all. */
  readonly lastNotReplayed: readonly ItemResult[];
  readonly paused: BulkStop | null;
  readonly canceled: BulkStop | null;
  readonly endedMs: number | null;
  /** Before that no further batch begins. */
  readonly dueMs: number;
  readonly words: readonly BulkWord[];
}

export type BulkFact = { readonly atMs: number } & (
  | {
      readonly fact: "listed";
      readonly items: readonly ListedItem[];
      readonly more: boolean;
      /** How many the list counts behind these; approximate. */
      readonly beyond: number;
    }
  /** The list could not be read for good. */
  | { readonly fact: "list-failed" }
  | { readonly fact: "batch-begun" }
  | { readonly fact: "batch-ended"; readonly results: readonly ItemResult[] }
  /** Nothing is known of the whole batch. */
  | { readonly fact: "batch-failed" }
  /** `argument` is untrusted. */
  | { readonly fact: "message"; readonly name: string; readonly argument: unknown }
  | { readonly fact: "cancel-requested" }
  | { readonly fact: "ended" }
);

/** Items read at once, and so the most that wait in the queue, but for as many that gave no verdict. */
export const PAGE_ITEMS = 200;
/** Then the item is given up as `no-answer`. */
export const MAX_TRIES = 3;
const MAX_WORDS = 50;
const MAX_SHOWN = 20;

export function beginBulkReplay({
  id,
  order,
  mark,
  startedMs,
}: Pick<BulkProgress, "id" | "order" | "mark" | "startedMs">): BulkProgress {
  const { until } = order.selection;
  // What is accepted from now on was not there to be selected.
  const untilMs = until === null ? startedMs : Math.min(Date.parse(until), startedMs);
  return {
    id,
    order,
    mark,
    startedMs,
    position: { untilMs, taken: [] },
    queue: [],
    beyond: 0,
    replayed: 0,
    notReplayed: {},
    lastNotReplayed: [],
    paused: null,
    canceled: null,
    endedMs: null,
    dueMs: startedMs,
    words: [],
  };
}

/** The items of the batch that is due. */
export function batchOf({ queue, order }: BulkProgress): readonly QueuedItem[] {
  return queue.slice(0, paceOf(order.rate).batch);
}

/** Items done with, whatever became of them. */
export function doneItems({ replayed, notReplayed }: BulkProgress): number {
  return Object.values(notReplayed).reduce((sum, count) => sum + count, replayed);
}

export function advanceBulkReplay(progress: BulkProgress, fact: BulkFact): BulkProgress {
  switch (fact.fact) {
    case "listed":
      return listed(progress, fact);
    case "list-failed":
      return progress.paused === null ? { ...progress, paused: unreadable(fact.atMs) } : progress;
    case "batch-begun":
      return { ...progress, dueMs: fact.atMs + paceOf(progress.order.rate).intervalMs };
    case "batch-ended":
    case "batch-failed":
      return resultsOf(progress, fact).reduce(settle, progress);
    case "message":
      return heard(progress, fact);
    case "cancel-requested":
      return progress.canceled === null ? { ...progress, canceled: byTemporal(fact.atMs) } : progress;
    case "ended":
      return { ...progress, endedMs: fact.atMs };
  }
}

function listed(progress: BulkProgress, page: Extract<BulkFact, { fact: "listed" }>): BulkProgress {
  const { position, queue } = progress;
  if (position === null) return progress;
  const items = page.items.map(({ key }) => ({ key, tries: 0 }));
  return {
    ...progress,
    position: page.more ? positionAfter(position, page.items) : null,
    queue: [...items, ...queue],
    beyond: page.more ? page.beyond : 0,
  };
}

/** What the fact makes final, item by item; what gave no verdict is asked again first. */
export function settledBy(progress: BulkProgress, fact: BulkFact): readonly ItemResult[] {
  return resultsOf(progress, fact).filter((result) => {
    const item = progress.queue.find(({ key }) => key === result.key);
    return item !== undefined && isFinal(result, item);
  });
}

function resultsOf(progress: BulkProgress, fact: BulkFact): readonly ItemResult[] {
  if (fact.fact === "batch-ended") return fact.results;
  if (fact.fact !== "batch-failed") return [];
  return batchOf(progress).map(({ key }) => ({ key, replayed: 0, because: "no-answer" }));
}

function isFinal({ because }: ItemResult, { tries }: QueuedItem): boolean {
  return because !== "no-answer" || tries + 1 >= MAX_TRIES;
}

/** One result of a batch: done with, or asked again at the end. */
function settle(progress: BulkProgress, result: ItemResult): BulkProgress {
  const item = progress.queue.find(({ key }) => key === result.key);
  if (item === undefined) return progress;
  const queue = progress.queue.filter((other) => other !== item);
  if (!isFinal(result, item)) return { ...progress, queue: [...queue, { ...item, tries: item.tries + 1 }] };
  const { because } = result;
  if (because === null) return { ...progress, queue, replayed: progress.replayed + 1 };
  const notReplayed = { ...progress.notReplayed, [because]: (progress.notReplayed[because] ?? 0) + 1 };
  const lastNotReplayed = [...progress.lastNotReplayed, result].slice(-MAX_SHOWN);
  return { ...progress, queue, notReplayed, lastNotReplayed };
}

function heard(progress: BulkProgress, { atMs, name, argument }: Extract<BulkFact, { fact: "message" }>): BulkProgress {
  const { paused, canceled, endedMs } = progress;
  const word = readWord({ name, argument }, { paused, canceled, ended: endedMs !== null }, atMs);
  if (word === null) return progress;
  const said = { ...progress, words: [...progress.words, word].slice(-MAX_WORDS) };
  if (!word.counted) return said;
  const stop: BulkStop = { actor: word.actor, note: word.note, at: word.at };
  switch (word.action) {
    case "pause":
      return { ...said, paused: stop };
    case "resume":
      return { ...said, paused: null };
    case "cancel":
      return { ...said, canceled: stop };
  }
}

/** A person can mend what is wrong and resume: nothing is lost by waiting. */
function unreadable(atMs: number): BulkStop {
  const note = "the list of events cannot be read; a worker's log says why";
  return { actor: "countersign", note, at: new Date(atMs).toISOString() };
}

function byTemporal(atMs: number): BulkStop {
  return { actor: "temporal", note: "canceled in Temporal", at: new Date(atMs).toISOString() };
}
