/** The one mutable thing of a bulk replay: its progress, fed by facts and messages and shown to the world. */
import { CancellationScope, setCurrentDetails, setHandler, upsertMemo, workflowInfo } from "@temporalio/workflow";
import { bulkReplayIdOf, markOf, readOrder } from "../delivery/bulk-replay/order.ts";
import {
  advanceBulkReplay,
  beginBulkReplay,
  type BulkFact,
  type BulkProgress,
} from "../delivery/bulk-replay/progress.ts";
import { bulkDetails, type BulkReplayReport, reportOf } from "../delivery/bulk-replay/report.ts";
import type { BulkVerdict } from "../delivery/bulk-replay/words.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import { handleInOrder } from "./handle-in-order.ts";
import {
  BULK_MEMO,
  type BulkReplayCarried,
  type BulkReplayMemo,
  cancelBulkSignal,
  pauseBulkSignal,
  progressQuery,
  resumeBulkSignal,
  steerUpdate,
} from "./messages-bulk-replay.ts";
import { refusal } from "./refusal.ts";
import { understood } from "./understood.ts";

export interface BulkRun {
  progress: BulkProgress;
  /** As the memo tells it. */
  noted: BulkReplayReport["state"] | null;
}

const SIGNALS = [
  { definition: pauseBulkSignal, description: "hold it before its next batch: { actor, note? }" },
  { definition: resumeBulkSignal, description: "go on where it stood: { actor, note? }" },
  { definition: cancelBulkSignal, description: "end it for good: { actor, note? }" },
] as const;

/** Reads the input and registers every handler before the first await. Throws a refusal for input that is none. */
export function openBulkRun(input: unknown): BulkRun {
  const run: BulkRun = { progress: progressOf(input), noted: null };
  handleInOrder(SIGNALS, (name, argument) => void hear(run, name, argument));
  setHandler(steerUpdate, (argument) => hear(run, steerUpdate.name, argument), {
    description: "the same as the signals, with a verdict: action is pause, resume or cancel",
  });
  setHandler(progressQuery, () => reportNow(run), { description: "how far it has come" });
  const root = CancellationScope.current();
  const onCancel = (): void => applyBulk(run, { fact: "cancel-requested" });
  if (root.consideredCancelled) onCancel();
  else void root.cancelRequested.catch(onCancel);
  show(run);
  return run;
}

/** What an earlier run of the chain carried over is trusted; what somebody started is judged. */
function progressOf(input: unknown): BulkProgress {
  const { workflowId, firstExecutionRunId, continuedFromExecutionRunId, startTime } = workflowInfo();
  if (continuedFromExecutionRunId !== undefined) return (input as BulkReplayCarried).carried; // written by `renew`
  const id = bulkReplayIdOf(workflowId);
  if (id === null) {
    const sentence = `A bulk replay has the workflow ID bulk-replay:<id>, its id made of lower-case letters, digits and hyphens; not ${JSON.stringify(workflowId)}`;
    throw refusal(sentence, "bad_id");
  }
  const order = readOrder(understood(input));
  if (typeof order === "string") throw refusal(order, "bad_argument");
  return beginBulkReplay({ id, order, mark: markOf(id, firstExecutionRunId), startedMs: startTime.getTime() });
}

/** Folds in a fact that happened now, and shows the new progress. */
export function applyBulk(run: BulkRun, fact: WithoutTime<BulkFact>): void {
  run.progress = advanceBulkReplay(run.progress, { ...fact, atMs: Date.now() });
  show(run);
}

function hear(run: BulkRun, name: string, argument: unknown): BulkVerdict {
  const before = run.progress.words.at(-1);
  applyBulk(run, { fact: "message", name, argument: understood(argument) });
  const word = run.progress.words.at(-1);
  if (word === undefined || word === before)
    return { counted: false, refusedBecause: "malformed", at: new Date().toISOString() };
  const { counted, refusedBecause, at } = word;
  return { counted, refusedBecause, at };
}

export function reportNow({ progress }: BulkRun): BulkReplayReport {
  return reportOf(progress);
}

/** Details cost nothing; the memo one event, so only when the standing changes. */
function show(run: BulkRun): void {
  const report = reportNow(run);
  setCurrentDetails(bulkDetails(report));
  const ended = report.endedAt !== null;
  if (report.state !== run.noted || ended) noteStanding(run);
}

/** For lists: they read memos, and no history. */
export function noteStanding(run: BulkRun): void {
  const { words: _words, lastNotReplayed: _last, ...memo } = reportNow(run);
  run.noted = memo.state;
  upsertMemo({ [BULK_MEMO]: memo satisfies BulkReplayMemo });
}
