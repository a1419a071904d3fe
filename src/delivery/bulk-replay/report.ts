/** A bulk replay as people and programs read it: `show`, HTTP, the query and the result of the workflow. */
import { durationText } from "../summaries.ts";
import type { ItemResult, NotReplayed } from "./item.ts";
import type { BulkSelection } from "./selection.ts";
import { leastMs } from "./pace.ts";
import { type BulkProgress, doneItems } from "./progress.ts";
import type { BulkStop, BulkWord } from "./words.ts";

export type BulkStateName = "running" | "paused" | "canceled" | "finished";

export interface BulkReplayReport {
  readonly v: 1;
  readonly id: string;
  readonly state: BulkStateName;
  readonly selection: BulkSelection;
  /** Events a second. */
  readonly rate: number;
  readonly actor: string;
  readonly note: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Events in all: exact at the end; before, what the list counted when it was last read. */
  readonly expected: number;
  /** `replayed` and `notReplayed` together. */
  readonly done: number;
  /** Events that were told to go on: what came of it stands in each of them. */
  readonly replayed: number;
  readonly notReplayed: number;
  /** `notReplayed` by reason; a reason that never came is absent. */
  readonly because: Readonly<Partial<Record<NotReplayed, number>>>;
  /** The last few of them. */
  readonly lastNotReplayed: readonly Pick<ItemResult, "key" | "because">[];
  readonly paused: BulkStop | null;
  readonly canceled: BulkStop | null;
  /** What people said to it, oldest first; the last 50. */
  readonly words: readonly BulkWord[];
}

export function reportOf(progress: BulkProgress): BulkReplayReport {
  const { id, order, startedMs, endedMs, replayed, notReplayed, paused, canceled, words } = progress;
  const done = doneItems(progress);
  return {
    v: 1,
    id,
    state: stateOf(progress),
    ...order,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: endedMs === null ? null : new Date(endedMs).toISOString(),
    expected: done + progress.queue.length + progress.beyond,
    done,
    replayed,
    notReplayed: done - replayed,
    because: notReplayed,
    lastNotReplayed: progress.lastNotReplayed.map(({ key, because }) => ({ key, because })),
    paused,
    canceled,
    words,
  };
}

function stateOf({ paused, canceled, endedMs }: BulkProgress): BulkStateName {
  if (canceled !== null) return "canceled";
  if (endedMs !== null) return "finished";
  return paused === null ? "running" : "paused";
}

/** The current details of its run in the Temporal UI. */
export function bulkDetails(report: BulkReplayReport): string {
  const { id, state, done, expected, replayed, notReplayed, rate } = report;
  const left = state === "running" ? `, ${durationText(leastMs(expected - done, rate))} left at least` : "";
  return [
    `**bulk replay** \`${id}\`: ${state}, ${done} of about ${expected} events at ${rate} a second${left}`,
    `${replayed} replayed, ${notReplayed} not${reasonsText(report)}`,
    'Signals `pause`, `resume`, `cancel` take {"actor":"you@example.com","note":"why"}.',
  ].join("\n\n");
}

/** ` (3 already-ended, 1 awaiting-approval)`, or nothing. */
export function reasonsText({ because }: Pick<BulkReplayReport, "because">): string {
  const parts = Object.entries(because).map(([reason, count]) => `${count} ${reason}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
