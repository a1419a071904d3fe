/** How a bulk replay stands and what became of each event: from `describe` and history, so that no worker is needed. */
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from "@temporalio/client";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import { bulkReplayWorkflowId, isBulkReplayId } from "../delivery/bulk-replay/order.ts";
import { advanceBulkReplay } from "../delivery/bulk-replay/progress.ts";
import { type BulkReplayReport, reportOf } from "../delivery/bulk-replay/report.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";
import { readStory, resultsIn } from "./bulk-replay-history.ts";
import { decoderOf } from "./payloads.ts";
import { type Session, withDeadline } from "./session.ts";

export interface BulkReplayStatus extends BulkReplayReport {
  /** Present when it was ended from outside in Temporal. */
  readonly endedOutside?: { readonly at: string };
}

const HISTORY_DEADLINE_MS = 30_000;

/** Exact up to what the server has recorded. Throws `not_found`, and `refused` for one whose input was refused. */
export async function showBulkReplay(session: Session, id: string): Promise<BulkReplayStatus> {
  const run = await describeBulkReplay(session, id);
  const events = await eventsOf(session, run);
  const story = await readStory(id, events, decoderOf(session.client));
  if (story === null || run.status.name === "FAILED") {
    const sentence = `Bulk replay ${id} ended at once, because what it was started with was refused; look at its run in Temporal`;
    throw new CountersignError("refused", sentence);
  }
  const report = reportOf(story.facts.reduce(advanceBulkReplay, story.begun));
  const ended = run.status.name !== "RUNNING" && run.status.name !== "COMPLETED";
  return ended ? { ...report, endedOutside: { at: (run.closeTime ?? new Date(0)).toISOString() } } : report;
}

export async function describeBulkReplay(session: Session, id: string): Promise<WorkflowExecutionDescription> {
  try {
    const handle = session.client.workflow.getHandle(bulkReplayWorkflowId(id));
    if (isBulkReplayId(id)) return await withDeadline(session, () => handle.describe());
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  const { namespace } = session.client.options;
  throw new CountersignError("not_found", `There is no bulk replay ${JSON.stringify(id)} in namespace ${namespace}`);
}

interface RunName {
  readonly workflowId: string;
  readonly runId: string;
}

async function eventsOf(session: Session, { workflowId, runId }: RunName) {
  const handle = session.client.workflow.getHandle(workflowId, runId);
  const { events } = await withDeadline(session, () => handle.fetchHistory(), HISTORY_DEADLINE_MS);
  return events ?? [];
}

export interface BulkReplayItems {
  /** False = earlier runs of its chain are past their retention, and their items are missing. */
  readonly complete: boolean;
  /** What became of each event, in the order in which they were done with. */
  readonly items: AsyncIterable<ItemResult>;
}

/** Read from the histories of its runs. Throws `not_found`. */
export async function bulkReplayItems(session: Session, id: string): Promise<BulkReplayItems> {
  const { complete, runs } = await chainOf(session, await describeBulkReplay(session, id));
  return { complete, items: itemsOf(session, id, runs) };
}

async function* itemsOf(session: Session, id: string, runs: readonly RunName[]): AsyncGenerator<ItemResult> {
  for (const run of runs) {
    const story = await readStory(id, await eventsOf(session, run), decoderOf(session.client));
    if (story !== null) yield* resultsIn(story);
  }
}

/** The runs of a chain, oldest first: each names the one before it in its first event. */
async function chainOf(session: Session, last: RunName) {
  const runs: RunName[] = [];
  const { workflowId } = last;
  for (let runId: string | null = last.runId; ;) {
    const before: string | null = await runBefore(session, { workflowId, runId });
    if (before === null) return { complete: false, runs };
    runs.unshift({ workflowId, runId });
    if (before === "") return { complete: true, runs };
    runId = before;
  }
}

/** Empty for the first run of a chain; null = it is gone itself. */
async function runBefore(session: Session, { workflowId, runId }: RunName): Promise<string | null> {
  const { namespace } = session.client.options;
  const request = { namespace, execution: { workflowId, runId }, maximumPageSize: 1 };
  try {
    const { history } = await withDeadline(session, () =>
      session.client.workflowService.getWorkflowExecutionHistory(request),
    );
    return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? "";
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.notFound) return null;
    throw error;
  }
}
