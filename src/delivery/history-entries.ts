/** A run's history as the fold reads it, cut at its workflow tasks. */
import type { EventIdentity } from "./event-identity.ts";
import type { Message } from "./facts.ts";
import type { EventPlan } from "./plan.ts";

/** One history event, as far as the fold reads it; `atMs` is its time, milliseconds since the epoch. */
export type HistoryEntry = { readonly atMs: number } & (
  | { readonly entry: "message"; readonly message: Message }
  | { readonly entry: "cancel-requested" }
  | { readonly entry: "timer-started"; readonly timerId: string }
  | { readonly entry: "timer-fired"; readonly timerId?: string }
  | { readonly entry: "task-started" }
  | { readonly entry: "task-completed" }
  | { readonly entry: "task-lost" }
  | {
      readonly entry: "activity-scheduled";
      readonly id: number;
      readonly activityId: string;
      readonly type: string;
      readonly input: unknown;
    }
  | { readonly entry: "activity-completed"; readonly scheduledId: number; readonly result: unknown }
  | {
      readonly entry: "activity-failed";
      readonly scheduledId: number;
      readonly timedOut: boolean;
      /** Taken back before a worker began it. */
      readonly canceled?: boolean;
    }
  | {
      readonly entry: "local-activity";
      readonly type: string;
      readonly result: unknown;
      readonly failed: boolean;
      /** With `failed`: it ran out of its time. */
      readonly timedOut?: boolean;
    }
  | { readonly entry: "update-accepted"; readonly message: Message }
);

export interface RunStart {
  readonly event: EventIdentity;
  /** Null = a plain start whose routes the worker resolves. */
  readonly plan: EventPlan | null;
  readonly fingerprint: string;
  readonly startedMs: number;
}

export interface Task {
  /** The workflow's own time while it ran. */
  readonly atMs: number;
  readonly inputs: readonly HistoryEntry[];
  readonly commands: readonly HistoryEntry[];
}

/** Cuts a history at its completed workflow tasks; `rest` is what no task has seen yet. */
export function splitByTask(entries: readonly HistoryEntry[]): {
  readonly tasks: readonly Task[];
  readonly rest: readonly HistoryEntry[];
} {
  const tasks: { atMs: number; inputs: HistoryEntry[]; commands: HistoryEntry[] }[] = [];
  let inputs: HistoryEntry[] = [];
  let startedMs = 0;
  for (const entry of entries) {
    if (entry.entry === "task-started") startedMs = entry.atMs;
    if (entry.entry === "task-completed") {
      tasks.push({ atMs: startedMs, inputs, commands: [] });
      inputs = [];
    } else if (isCommand(entry)) tasks.at(-1)?.commands.push(entry);
    else inputs.push(entry);
  }
  return { tasks, rest: inputs };
}

function isCommand({ entry }: HistoryEntry): boolean {
  return (
    entry === "activity-scheduled" ||
    entry === "local-activity" ||
    entry === "timer-started" ||
    entry === "update-accepted"
  );
}
