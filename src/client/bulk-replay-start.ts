/** Starting a bulk replay, and looking at what it would do. */
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from "@temporalio/client";
import { bulkReplayWorkflowId } from "../delivery/bulk-replay/order.ts";
import { leastMs } from "../delivery/bulk-replay/pace.ts";
import { CountersignError } from "../errors.ts";
import { BULK_SELECTION_MEMO, type BulkReplayInput } from "../workflows/messages-bulk-replay.ts";
import { type BulkReplayOrder, exactOrder, type ExactOrder, madeId } from "./bulk-replay-order.ts";
import { countRuns, type EventRow } from "./list-events.ts";
import { readRows } from "./list-page.ts";
import { parkedQuery } from "./parked-events.ts";
import { type Session, withDeadline } from "./session.ts";

export interface BulkReplayReceipt {
  readonly id: string;
  /** It had been started before; nothing was started again. */
  readonly duplicate: boolean;
  readonly workflowId: string;
  readonly runId: string;
}

export interface BulkReplayPreview {
  /** Events the list finds now; eventually consistent. */
  readonly count: number;
  /** Of those, events whose last attempt may have taken effect: left alone unless the selection names `outcome-uncertain`. */
  readonly uncertain: number;
  /** The newest few. */
  readonly sample: readonly EventRow[];
  readonly rate: number;
  /** At that rate, milliseconds. */
  readonly leastMs: number;
  readonly asOf: string;
  readonly exact: false;
}

const SAMPLE_ROWS = 10;

/** Starts nothing. Throws `bad_argument`, `unknown_endpoint`. */
export async function previewBulkReplay(session: Session, wish: BulkReplayOrder): Promise<BulkReplayPreview> {
  const nowMs = Date.now();
  const { selection, rate } = exactOrder(session, wish, nowMs).order;
  const query = parkedQuery(selection, selection.until === null ? nowMs : Date.parse(selection.until));
  const { rows } = await readRows(session, { query, pageSize: SAMPLE_ROWS, token: new Uint8Array() });
  const count = await countRuns(session, query);
  const uncertain =
    selection.reason === null ? await countRuns(session, `${query} AND CountersignReason = "outcome-uncertain"`) : 0;
  const asOf = new Date(nowMs).toISOString();
  return { count, uncertain, sample: rows, rate, leastMs: leastMs(count, rate), asOf, exact: false };
}

/**
 * Starts it, unless it runs already. With an id of one's own it is the same one for ever; without,
 * it is the one of this selection until that has ended.
 *
 * Throws `bad_argument`, `unknown_endpoint`, and `conflict` for an id that stands for another selection.
 */
export async function startBulkReplay(session: Session, wish: BulkReplayOrder): Promise<BulkReplayReceipt> {
  const exact = exactOrder(session, wish, Date.now());
  await session.ready();
  if (exact.id !== null) return (await begin(session, exact.id, exact)) ?? (await sameAs(session, exact.id, exact));
  for (let nth = 1; ; nth += 1) {
    const id = madeId(exact, nth);
    const begun = await begin(session, id, exact);
    if (begun !== null) return begun;
    const before = await describe(session, id);
    if (before?.status.name === "RUNNING") return receiptOf(id, before);
  }
}

/** Null = there is one with that id. */
async function begin(session: Session, id: string, { order, digest }: ExactOrder): Promise<BulkReplayReceipt | null> {
  const workflowId = bulkReplayWorkflowId(id);
  const input: BulkReplayInput = { v: 1, ...order };
  try {
    const { firstExecutionRunId: runId } = await withDeadline(session, () =>
      session.client.workflow.start("bulk-replay", {
        workflowId,
        taskQueue: session.config.temporal.taskQueue,
        args: [input],
        workflowIdReusePolicy: "REJECT_DUPLICATE",
        workflowIdConflictPolicy: "FAIL",
        memo: { [BULK_SELECTION_MEMO]: digest },
        staticSummary: "many parked events told to go on, at a pace",
      }),
    );
    return { id, duplicate: false, workflowId, runId };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

type Described = Awaited<ReturnType<typeof describe>>;

async function describe(session: Session, id: string) {
  try {
    const handle = session.client.workflow.getHandle(bulkReplayWorkflowId(id));
    return await withDeadline(session, () => handle.describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function receiptOf(id: string, { workflowId, runId }: NonNullable<Described>): BulkReplayReceipt {
  return { id, duplicate: true, workflowId, runId };
}

async function sameAs(session: Session, id: string, { digest }: ExactOrder): Promise<BulkReplayReceipt> {
  const before = await describe(session, id);
  if (before === null) throw new CountersignError("timeout", `Bulk replay ${id} came and went just now; try again`);
  const noted = before.memo?.[BULK_SELECTION_MEMO];
  if (noted === undefined || noted === digest) return receiptOf(id, before);
  throw new CountersignError("conflict", `There is a bulk replay ${id} with another selection; take another id`);
}
