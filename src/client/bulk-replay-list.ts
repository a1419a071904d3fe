/** The bulk replays there are, newest first, as far as lists know them. */
import type { WorkflowExecutionInfo } from "@temporalio/client";
import { bulkReplayIdOf } from "../delivery/bulk-replay/order.ts";
import type { BulkStateName } from "../delivery/bulk-replay/report.ts";
import { BULK_MEMO, type BulkReplayMemo } from "../workflows/messages-bulk-replay.ts";
import { type Session, withDeadline } from "./session.ts";

export interface BulkReplayRow {
  readonly id: string;
  /** `terminated`: ended from outside in Temporal; `refused`: what it was started with was none. */
  readonly state: BulkStateName | "terminated" | "refused";
  /** RFC 3339. */
  readonly startedAt: string;
  /** As it last noted; null = no worker has taken it up yet. `show` is exact. */
  readonly noted: BulkReplayMemo | null;
}

/** Of a chain only its latest run; `ContinuedAsNew` are the ones before. */
const QUERY = 'WorkflowType = "bulk-replay" AND ExecutionStatus != "ContinuedAsNew"';

/** Eventually consistent. */
export async function listBulkReplays(session: Session, limit: number): Promise<readonly BulkReplayRow[]> {
  const rows: BulkReplayRow[] = [];
  const runs = session.client.workflow.list({ query: QUERY, pageSize: limit })[Symbol.asyncIterator]();
  while (rows.length < limit) {
    const next = await withDeadline(session, () => runs.next());
    if (next.done === true) break;
    const row = rowOf(next.value);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function rowOf({ workflowId, status, startTime, memo }: WorkflowExecutionInfo): BulkReplayRow | null {
  const id = bulkReplayIdOf(workflowId);
  if (id === null) return null;
  const noted = (memo?.[BULK_MEMO] ?? null) as BulkReplayMemo | null; // written by the run itself
  return { id, state: stateOf(status.name, noted), startedAt: noted?.startedAt ?? startTime.toISOString(), noted };
}

function stateOf(
  status: WorkflowExecutionInfo["status"]["name"],
  noted: BulkReplayMemo | null,
): BulkReplayRow["state"] {
  switch (status) {
    case "RUNNING":
    case "COMPLETED":
      return noted?.state ?? "running";
    case "FAILED":
      return "refused";
    default:
      return "terminated";
  }
}
