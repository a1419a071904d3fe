/**
 * Workflow type `gates`, ID `countersign:gates`: the registry of endpoints that are not
 * plain open or whose lane is in use. Its memo is the answer; every process reads it with
 * one `describe`, which needs no worker.
 */
import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  patched,
  upsertMemo,
  workflowInfo,
} from "@temporalio/workflow";
import type { GateMap } from "../delivery/gates/gate-entry.ts";
import { foldRegistry } from "../delivery/gates/gate-registry.ts";
import { handleInOrder } from "./handle-in-order.ts";
import { GATES_MEMO, laneIdleSignal, laneInUseSignal, putGateSignal } from "./messages.ts";

/** Messages of one run before it continues as new, well under the server's limits. */
const MAX_MESSAGES = 1000;

/** Runs of before wrote the memo once per message: many that came at once made a task too large, which ends a run. */
const ONCE_A_TASK = "registry-memo-once-a-task";

export async function gates(carried: GateMap = {}): Promise<never> {
  const onceATask = patched(ONCE_A_TASK);
  // Anybody may start a workflow: only what the run before carried over is trusted.
  const start = workflowInfo().continuedFromExecutionRunId === undefined ? {} : carried;
  let entries: GateMap = start;
  let shown: GateMap = start;
  let messages = 0;
  const show = (): void => {
    shown = entries;
    upsertMemo({ [GATES_MEMO]: entries });
  };
  const hear = (name: string, argument: unknown): void => {
    messages += 1;
    const next = foldRegistry(entries, { name, argument });
    if (next === entries) return;
    entries = next;
    if (!onceATask) show();
  };
  handleInOrder(
    [laneInUseSignal, laneIdleSignal, putGateSignal].map((definition) => ({
      definition,
      handle: (argument: unknown) => hear(definition.name, argument),
    })),
  );
  if (Object.keys(start).length > 0) show();
  const isOver = (): boolean => messages >= MAX_MESSAGES || workflowInfo().continueAsNewSuggested;
  do {
    await condition(() => entries !== shown || isOver());
    if (entries !== shown) show();
  } while (!isOver());
  await condition(allHandlersFinished);
  // The memo goes along, so that nobody reads an empty one before the next run's first task.
  return await makeContinueAsNewFunc<typeof gates>({ memo: { [GATES_MEMO]: entries } })(entries);
}
