/** The whole state of one event, from `describe` and history alone: no worker needed, never waiting for an attempt. */
import { WorkflowNotFoundError, type WorkflowExecutionDescription } from "@temporalio/client";
import type proto from "@temporalio/proto";
import { fingerprintOf } from "../config/plan-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { identityOf } from "../delivery/event-identity.ts";
import type { EventState } from "../delivery/event-state.ts";
import { progressFromHistory } from "../delivery/history.ts";
import type { RunStart } from "../delivery/history-entries.ts";
import { parseEventKey } from "../delivery/names.ts";
import { parsePlan } from "../delivery/plan.ts";
import { project } from "../delivery/project.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";
import { FINGERPRINT_MEMO } from "../workflows/messages.ts";
import { conflictsIfKnown } from "./conflicts.ts";
import { withHeldDeliveries } from "./held-deliveries.ts";
import { listedState } from "./listed-state.ts";
import { decoderOf, millis } from "./payloads.ts";
import { pendingWorkOf, type ReportedDelivery, type Trouble, withPendingWork } from "./pending-work.ts";
import { readEntries } from "./read-history.ts";
import { type Session, withDeadline } from "./session.ts";
import { storedEvent } from "./stored-event.ts";

export interface EventReport extends EventState {
  readonly deliveries: readonly ReportedDelivery[];
  /** Present when the run was ended from outside in Temporal; nothing more will happen to the event. */
  readonly endedOutside?: { readonly at: string };
  /** Present while a worker fails to find the routes, before there are deliveries. */
  readonly trouble?: Trouble;
  /** Present when the list of conflicts could not be read; then `conflicts` is empty. */
  readonly conflictsUnknown?: true;
}

/** Throws `not_found`, and `bad_event` for a run that failed because its input is no event. */
export async function getEvent(session: Session, key: string): Promise<EventReport> {
  const conflicts = conflictsIfKnown(session, key);
  try {
    return { ...(await readReport(session, key)), ...(await conflicts) };
  } finally {
    // Asked at once, and waited for whatever happens: a call left behind would meet a connection that has closed.
    await conflicts;
  }
}

/** As `getEvent`, without the conflicts, which only a list knows. */
export async function readReport(session: Session, key: string): Promise<EventReport> {
  const run = await describeRun(session, key);
  if (run.status.name === "FAILED") throw await refusedInput(session, run);
  const { events, start, event } = await readRun(session, run);
  const decode = decoderOf(session.client);
  const entries = await readEntries(events, decode);
  const state = project(progressFromHistory(start, entries), event);
  const pending = await pendingWorkOf(run, entries, decode);
  const deliveries = withPendingWork(state.deliveries, pending);
  const open = { ...state, deliveries, ...(pending.routing === null ? {} : { trouble: pending.routing }) };
  const report = await withHeldDeliveries(session, open);
  return listedState(run) === "terminated" ? { ...report, endedOutside: { at: closedAt(run) } } : report;
}

/** Throws `not_found` for a key nobody used and for an ID that is no event, `bad_argument` for what no ID can be. */
export async function describeRun(session: Session, key: string): Promise<WorkflowExecutionDescription> {
  try {
    const run = await withDeadline(session, () => session.client.workflow.getHandle(key).describe());
    if (run.type === "event") return run;
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.invalidArgument && parseEventKey(key) === null) throw notAKey(error);
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  throw new CountersignError(
    "not_found",
    `There is no event ${JSON.stringify(key)} in namespace ${session.client.options.namespace}`,
  );
}

/** The server refuses to look for it: an empty or a very long text. */
function notAKey(cause: unknown): CountersignError {
  return new CountersignError("bad_argument", "The key must be source/id, such as shop/evt_1", { cause });
}

async function readRun(session: Session, run: WorkflowExecutionDescription) {
  const handle = session.client.workflow.getHandle(run.workflowId, run.runId);
  const { events } = await withDeadline(session, () => handle.fetchHistory(), HISTORY_DEADLINE_MS);
  return { events: events ?? [], ...(await readStart(session, run, events?.[0])) };
}

const HISTORY_DEADLINE_MS = 30_000;

async function readStart(
  session: Session,
  run: WorkflowExecutionDescription,
  first: proto.temporal.api.history.v1.IHistoryEvent | undefined,
): Promise<{ readonly start: RunStart; readonly event: BusinessEvent }> {
  const sent = await storedEvent(session, run);
  // The key says which source it is, also where the configuration no longer knows the alias it came under.
  const event = { ...sent, source: parseEventKey(run.workflowId)?.source ?? sent.source };
  const payload = first?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const input = payload === undefined ? null : await decoderOf(session.client)(payload);
  const plan = parsePlan((input as { readonly plan?: unknown } | null)?.plan);
  const noted = run.memo?.[FINGERPRINT_MEMO];
  const fingerprint = typeof noted === "string" ? noted : fingerprintOf(event);
  return { event, start: { event: identityOf(event), plan, fingerprint, startedMs: millis(first?.eventTime) } };
}

async function refusedInput(session: Session, run: WorkflowExecutionDescription): Promise<CountersignError> {
  const reason = await session.client.workflow
    .getHandle(run.workflowId, run.runId)
    .result()
    .then(
      () => "unknown",
      (error: unknown) => (error instanceof Error && error.cause instanceof Error ? error.cause.message : "unknown"),
    );
  return new CountersignError(
    "bad_event",
    `The run of ${JSON.stringify(run.workflowId)} failed because its input was refused: ${reason.replace(/\.$/u, "")}. A corrected event may use the key again`,
  );
}

function closedAt(run: WorkflowExecutionDescription): string {
  return (run.closeTime ?? new Date(0)).toISOString();
}
