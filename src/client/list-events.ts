/** Lists: what visibility holds, in its order. Eventually consistent, and said so. */
import type { WorkflowExecutionInfo } from "@temporalio/client";
import { CountersignError } from "../errors.ts";
import { ENDPOINTS_ATTRIBUTE, REASON_ATTRIBUTE, TYPE_ATTRIBUTE } from "../temporal/search-attributes.ts";
import { APPROVAL_MEMO } from "../workflows/messages.ts";
import { type ListedApproval, listedApproval } from "./listed-approval.ts";
import { LISTED_STATES, listedState, type ListedState } from "./listed-state.ts";
import { type Session, withDeadline } from "./session.ts";

export interface ListFilter {
  readonly state?: (typeof LISTED_STATES)[number];
  readonly endpoint?: string;
  readonly source?: string;
  readonly type?: string;
  /** Of the first parked delivery. */
  readonly reason?: string;
  /** RFC 3339; events accepted before that moment. */
  readonly startedBefore?: string;
}

export interface EventRow {
  readonly key: string;
  readonly state: ListedState;
  /** Of the first parked delivery; null unless the state is `needs-attention`. */
  readonly reason: string | null;
  readonly type: string;
  readonly endpoints: readonly string[];
  /** RFC 3339. */
  readonly startedAt: string;
  /** Of the proposal that waits; null in every other state, and where the run has not noted it. */
  readonly approval: ListedApproval | null;
}

/** The most a server gives at once, unless it is set lower. */
export const PAGE_ROWS = 1000;

/**
 * Yields rows: those that have not ended by their start, then the others by their end, newest first, as every server
 * sorts them. A fresh change may show seconds later. Throws `bad_argument` for an unknown state.
 */
export async function* listEvents(session: Session, filter: ListFilter): AsyncGenerator<EventRow> {
  const query = queryOf(filter);
  await session.prepared();
  const runs = session.client.workflow.list({ query, pageSize: PAGE_ROWS })[Symbol.asyncIterator]();
  for (let yielded = 0; await mayHoldMore(session, query, yielded); yielded += 1) {
    const next = await withDeadline(session, () => runs.next());
    if (next.done === true) return;
    yield rowOf(next.value);
  }
}

/** A full page does not tell whether another follows, and asking for that one would read up to 1,000 rows to find out. */
async function mayHoldMore(session: Session, query: string, yielded: number): Promise<boolean> {
  if (yielded === 0 || yielded % PAGE_ROWS !== 0) return true;
  return (await countRuns(session, query)) > yielded;
}

/** How many there are; eventually consistent. Throws as `listEvents` does. */
export async function countEvents(session: Session, filter: ListFilter): Promise<number> {
  const query = queryOf(filter);
  await session.prepared();
  return await countRuns(session, query);
}

export async function countRuns(session: Session, query: string): Promise<number> {
  const { count } = await withDeadline(session, () => session.client.workflow.count(query));
  return count;
}

/** What a row is made of. */
export interface RunInList extends Pick<
  WorkflowExecutionInfo,
  "workflowId" | "typedSearchAttributes" | "startTime" | "memo"
> {
  readonly status: Pick<WorkflowExecutionInfo["status"], "name">;
}

export function rowOf(run: RunInList): EventRow {
  const state = listedState(run);
  return {
    key: run.workflowId,
    state,
    reason: run.typedSearchAttributes.get(REASON_ATTRIBUTE) ?? null,
    type: run.typedSearchAttributes.get(TYPE_ATTRIBUTE) ?? "",
    endpoints: run.typedSearchAttributes.get(ENDPOINTS_ATTRIBUTE) ?? [],
    startedAt: run.startTime.toISOString(),
    approval: state === "awaiting-approval" ? listedApproval(run.memo?.[APPROVAL_MEMO]) : null,
  };
}

/** The visibility query of a filter. */
export function queryOf(filter: ListFilter): string {
  const terms = [
    'WorkflowType = "event"',
    ...stateTerms(filter.state),
    ...(filter.endpoint === undefined ? [] : [`CountersignEndpoints = ${quoted(filter.endpoint)}`]),
    ...(filter.type === undefined ? [] : [`CountersignType = ${quoted(filter.type)}`]),
    ...(filter.reason === undefined ? [] : [`CountersignReason = ${quoted(filter.reason)}`]),
    ...(filter.startedBefore === undefined ? [] : [`StartTime < ${quoted(filter.startedBefore)}`]),
    ...(filter.source === undefined ? [] : [`WorkflowId STARTS_WITH ${quoted(`${filter.source}/`)}`]),
  ];
  return terms.join(" AND ");
}

function stateTerms(state: ListFilter["state"]): readonly string[] {
  if (state === undefined) return [];
  if (!LISTED_STATES.includes(state)) {
    throw new CountersignError(
      "bad_argument",
      `${JSON.stringify(state)} cannot be listed; the states are ${LISTED_STATES.join(", ")}`,
    );
  }
  if (state === "in-progress") return ['ExecutionStatus = "Running"', "CountersignState IS NULL"];
  if (state === "delivered") return ['ExecutionStatus = "Completed"', "CountersignState IS NULL"];
  // A run ended from outside keeps what it had written: it needs nobody's attention any more.
  const status = state === "needs-attention" || state === "awaiting-approval" ? "Running" : "Completed";
  return [`ExecutionStatus = "${status}"`, `CountersignState = ${quoted(state)}`];
}

/** A query cannot name quotes or backslashes, however escaped: the server compares the escaped text (1.32.0). */
function quoted(text: string): string {
  if (!/['"\\]/u.test(text)) return `"${text}"`;
  throw new CountersignError(
    "bad_argument",
    `A list cannot be asked for ${JSON.stringify(text)}: no quotes or backslashes`,
  );
}
