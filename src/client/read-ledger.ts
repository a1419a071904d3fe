/** Every change of an endpoint's gate that the server still knows: who, what, why, when and until when. */
import { type WorkflowExecutionInfo, WorkflowNotFoundError } from "@temporalio/client";
import type { Ledger, LedgerEntry } from "../delivery/gates/ledger.ts";
import { endpointWorkflowId } from "../delivery/names.ts";
import { ENDPOINT_MEMO, type EndpointMemo } from "../workflows/messages.ts";
import { requireEndpoint } from "./endpoint-words.ts";
import { joinLedgers } from "./join-ledgers.ts";
import { decoderOf } from "./payloads.ts";
import { type Session, withDeadline } from "./session.ts";

export interface EndpointLedger {
  readonly endpoint: string;
  /** Oldest first; may be empty. `n` begins at 1 again where nothing had held the endpoint for a while. */
  readonly entries: readonly LedgerEntry[];
  /** False = earlier changes are past their retention, or in more runs than are read. */
  readonly complete: boolean;
}

/** Its workflow ends when it has nothing more to say, so a quiet endpoint has few runs. */
const MAX_RUNS = 500;
const HISTORY_DEADLINE_MS = 30_000;

/**
 * Needs no worker. What happened before the present run comes from a list, which is eventually
 * consistent. Throws `unknown_endpoint`.
 */
export async function readLedger(session: Session, endpoint: string): Promise<EndpointLedger> {
  requireEndpoint(session, endpoint);
  const { runs, partial } = await runsOf(session, endpoint);
  let joined = joinLedgers(runs.map(({ memo }) => ledgerIn(memo?.[ENDPOINT_MEMO])));
  // A memo shows the last 20 changes; those before stand in the history, one memo after the other.
  for (const run of runs) {
    if (!joined.gapsBefore.has(ledgerIn(run.memo?.[ENDPOINT_MEMO])[0]?.at ?? "")) continue;
    joined = joinLedgers([...(await ledgersInHistory(session, run)), joined.entries]);
  }
  return { endpoint, entries: joined.entries, complete: !partial && joined.gapsBefore.size === 0 };
}

type Run = Pick<WorkflowExecutionInfo, "workflowId" | "runId" | "startTime" | "memo">;

interface Runs {
  /** Oldest first. */
  readonly runs: readonly Run[];
  readonly partial: boolean;
}

async function runsOf(session: Session, endpoint: string): Promise<Runs> {
  const found = new Map<string, Run>();
  const query = `WorkflowId = "${endpointWorkflowId(endpoint)}"`;
  const listed = session.client.workflow.list({ query })[Symbol.asyncIterator]();
  let isWhole = false;
  while (!isWhole && found.size < MAX_RUNS) {
    const next = await withDeadline(session, () => listed.next());
    if (next.done === true) isWhole = true;
    else found.set(next.value.runId, next.value);
  }
  const newest = await newestRun(session, endpoint);
  if (newest !== null) found.set(newest.runId, newest);
  const runs = [...found.values()].toSorted((left, right) => left.startTime.getTime() - right.startTime.getTime());
  return { runs, partial: !isWhole };
}

/** Exact, other than the list. */
async function newestRun(session: Session, endpoint: string): Promise<Run | null> {
  try {
    return await withDeadline(session, () =>
      session.client.workflow.getHandle(endpointWorkflowId(endpoint)).describe(),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function ledgersInHistory(session: Session, { workflowId, runId }: Run): Promise<readonly Ledger[]> {
  const handle = session.client.workflow.getHandle(workflowId, runId);
  const { events } = await withDeadline(session, () => handle.fetchHistory(), HISTORY_DEADLINE_MS);
  const decode = decoderOf(session.client);
  const memos = (events ?? []).flatMap(
    ({ workflowPropertiesModifiedEventAttributes: changed }) => changed?.upsertedMemo?.fields?.[ENDPOINT_MEMO] ?? [],
  );
  return await Promise.all(memos.map(async (payload) => ledgerIn(await decode(payload))));
}

function ledgerIn(memo: unknown): Ledger {
  const { ledger } = (memo ?? {}) as Partial<EndpointMemo>; // written by the endpoint's workflow alone
  return Array.isArray(ledger) ? ledger : [];
}
