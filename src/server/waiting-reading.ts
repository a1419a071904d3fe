/** What waits for a person: read from lists while those are short, counted when they are long; and how old it is later. */
import type { Countersign } from "../client/countersign.ts";
import { type EventRow, type ListFilter, PAGE_ROWS } from "../client/list-events.ts";
import { ATTENTION_REASONS, isAttentionReason } from "../delivery/attention.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { CountersignError } from "../errors.ts";
import type { WaitingEvents, WaitingGroup, WaitingReason } from "../telemetry/metrics.ts";
import { oldestByCounting } from "./oldest-by-counting.ts";

/** A namespace has ten calls a second for lists and counts by default; people need some of them. */
const PAUSE_MS = SECOND_MS / 4;
const MAX_READ_MS = MINUTE_MS;

/** Times of birth, not ages: these are said at the moment somebody asks. */
export interface WaitingReading {
  readonly atMs: number;
  readonly needsAttention: ReadonlyMap<WaitingReason, ReadGroup>;
  readonly approvals: ReadGroup;
}

interface ReadGroup {
  readonly count: number;
  /** Null = there is none, or nobody can tell. */
  readonly oldestAtMs: number | null;
}

export interface WaitingSource {
  readonly countersign: Pick<Countersign, "listPage" | "count">;
  now(): number;
  pause(durationMs: number): Promise<void>;
}

type WaitingState = "needs-attention" | "awaiting-approval";

/**
 * Costs a count for each of the two lists, and a page where there is something; a list that is longer than a page is
 * counted instead, by some thirty calls, four a second.
 *
 * Throws what the lists throw, and `timeout` when they take more than a minute.
 */
export async function readWaiting(source: WaitingSource): Promise<WaitingReading> {
  const atMs = source.now();
  const counted = inTime(source, atMs + MAX_READ_MS);
  const [parked, asking] = await Promise.all([
    readState(source, "needs-attention"),
    readState(source, "awaiting-approval"),
  ]);
  return {
    atMs,
    needsAttention:
      parked.kind === "rows" ? byReason(parked.rows) : await countByReason(counted, { total: parked.count, atMs }),
    approvals:
      asking.kind === "rows"
        ? groupOf(asking.rows.map(askedAtMs))
        : await countGroup(counted, { state: "awaiting-approval" }, { count: asking.count, atMs }),
  };
}

type ReadState =
  | { readonly kind: "rows"; readonly rows: readonly EventRow[] }
  /** More than a page. */
  | { readonly kind: "long"; readonly count: number };

async function readState({ countersign }: WaitingSource, state: WaitingState): Promise<ReadState> {
  const count = await countersign.count({ state });
  if (count > PAGE_ROWS) return { kind: "long", count };
  if (count === 0) return { kind: "rows", rows: [] };
  const { items } = await countersign.listPage({ state }, { limit: PAGE_ROWS });
  return { kind: "rows", rows: items };
}

/** Every reason there is, those without events too. Whoever may start runs may write any word: it is `other`. */
function byReason(rows: readonly EventRow[]): ReadonlyMap<WaitingReason, ReadGroup> {
  const times = new Map<WaitingReason, number[]>(ATTENTION_REASONS.map((reason) => [reason, []]));
  for (const { reason, startedAt } of rows) {
    const shown = reason !== null && isAttentionReason(reason) ? reason : "other";
    const group = times.get(shown) ?? [];
    group.push(Date.parse(startedAt));
    times.set(shown, group);
  }
  return new Map([...times].map(([reason, started]): [WaitingReason, ReadGroup] => [reason, groupOf(started)]));
}

type Count = (filter: ListFilter) => Promise<number>;

/** Slowly, and not for ever. */
function inTime({ countersign, now, pause }: WaitingSource, endsAtMs: number): Count {
  return async (filter) => {
    await pause(PAUSE_MS);
    if (now() <= endsAtMs) return await countersign.count(filter);
    throw new CountersignError("timeout", "What waits for people could not be counted within a minute");
  };
}

interface Counted {
  readonly count: number;
  readonly atMs: number;
}

async function countByReason(
  count: Count,
  { total, atMs }: { readonly total: number; readonly atMs: number },
): Promise<ReadonlyMap<WaitingReason, ReadGroup>> {
  const groups = new Map<WaitingReason, ReadGroup>();
  let others = total;
  for (const reason of ATTENTION_REASONS) {
    const filter: ListFilter = { state: "needs-attention", reason };
    const found = await count(filter);
    others -= found;
    groups.set(reason, await countGroup(count, filter, { count: found, atMs }));
  }
  // No query finds them by what they are not, so their age is not known.
  if (others > 0) groups.set("other", { count: others, oldestAtMs: null });
  return groups;
}

/** Of a long list of proposals too the age is that of the events: no query knows when a proposal was made. */
async function countGroup(count: Count, filter: ListFilter, { count: found, atMs }: Counted): Promise<ReadGroup> {
  if (found === 0) return { count: 0, oldestAtMs: null };
  const countBefore = async (beforeMs: number): Promise<number> =>
    await count({ ...filter, startedBefore: new Date(beforeMs).toISOString() });
  return { count: found, oldestAtMs: await oldestByCounting(countBefore, atMs) };
}

/** A run that has not noted its proposal waits since it was accepted, for all we know. */
function askedAtMs({ approval, startedAt }: EventRow): number {
  return Date.parse(approval?.since ?? startedAt);
}

function groupOf(timesMs: readonly number[]): ReadGroup {
  const oldestAtMs = timesMs.reduce<number | null>((oldest, at) => Math.min(oldest ?? at, at), null);
  return { count: timesMs.length, oldestAtMs };
}

/** What a reading says at a later moment: ages go on. */
export function waitingAt({ atMs, needsAttention, approvals }: WaitingReading, nowMs: number): WaitingEvents {
  return {
    needsAttention: new Map([...needsAttention].map(([reason, group]) => [reason, agedAt(group, nowMs)])),
    approvals: agedAt(approvals, nowMs),
    readAtMs: atMs,
  };
}

function agedAt({ count, oldestAtMs }: ReadGroup, nowMs: number): WaitingGroup {
  if (count === 0) return { count, oldestAgeSeconds: 0 };
  return { count, oldestAgeSeconds: oldestAtMs === null ? null : Math.max(0, nowMs - oldestAtMs) / SECOND_MS };
}
