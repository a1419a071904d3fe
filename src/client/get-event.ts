/** The whole state of one event, from `describe` and history alone: no worker needed, never waiting for an attempt. */
import { WorkflowNotFoundError, type WorkflowExecutionDescription } from "@temporalio/client";
import proto from "@temporalio/proto";
import { fingerprintOf } from "../config/plan-event.ts";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import { identityOf } from "../delivery/event-identity.ts";
import type { DeliveryStatus, EventState } from "../delivery/event-state.ts";
import { type HistoryEntry, progressFromHistory, type RunStart } from "../delivery/history.ts";
import { parseEventKey } from "../delivery/names.ts";
import { parsePlan } from "../delivery/plan.ts";
import { project } from "../delivery/project.ts";
import { CountersignError } from "../errors.ts";
import { FINGERPRINT_MEMO } from "../workflows/messages.ts";
import { conflictsOf } from "./conflicts.ts";
import { listedState } from "./listed-state.ts";
import { decoderOf, millis } from "./payloads.ts";
import { readEntries } from "./read-history.ts";
import { type Session, withDeadline } from "./session.ts";
import { storedEvent } from "./stored-event.ts";

/** Present when the run was ended from outside in Temporal; nothing more will happen to the event. */
export interface EventReport extends EventState {
  readonly endedOutside?: { readonly at: string };
}

/** Throws `not_found`, and `bad_event` for a run that failed because its input is no event. */
export async function getEvent(session: Session, key: string): Promise<EventReport> {
  const [report, conflicts] = await Promise.all([readReport(session, key), conflictsOf(session, key)]);
  return { ...report, conflicts };
}

/** As `getEvent`, without the conflicts, which only a list knows. */
export async function readReport(session: Session, key: string): Promise<EventReport> {
  const run = await describeRun(session, key);
  if (run.status.name === "FAILED") throw await refusedInput(session, run);
  const { events, start } = await readRun(session, run);
  const entries = await readEntries(events, decoderOf(session.client));
  const state = project(progressFromHistory(start, entries));
  const deliveries = withWaiting(state.deliveries, waitingForWorker(run, entries));
  const report = { ...state, deliveries };
  return listedState(run) === "terminated" ? { ...report, endedOutside: { at: closedAt(run) } } : report;
}

/** Throws `not_found` for a key nobody used, and for an ID that is no event. */
export async function describeRun(session: Session, key: string): Promise<WorkflowExecutionDescription> {
  try {
    const run = await withDeadline(session, () => session.client.workflow.getHandle(key).describe());
    if (run.type === "event") return run;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  throw new CountersignError(
    "not_found",
    `There is no event ${JSON.stringify(key)} in namespace ${session.client.options.namespace}`,
  );
}

async function readRun(session: Session, run: WorkflowExecutionDescription) {
  const handle = session.client.workflow.getHandle(run.workflowId, run.runId);
  const { events } = await withDeadline(session, () => handle.fetchHistory(), HISTORY_DEADLINE_MS);
  return { events: events ?? [], start: await readStart(session, run, events?.[0]) };
}

const HISTORY_DEADLINE_MS = 30_000;

async function readStart(
  session: Session,
  run: WorkflowExecutionDescription,
  first: proto.temporal.api.history.v1.IHistoryEvent | undefined,
): Promise<RunStart> {
  const sent = await storedEvent(session, run);
  // The key says which source it is, also where the configuration no longer knows the alias it came under.
  const event = { ...sent, source: parseEventKey(run.workflowId)?.source ?? sent.source };
  const payload = first?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const input = payload === undefined ? null : await decoderOf(session.client)(payload);
  const plan = parsePlan((input as { readonly plan?: unknown } | null)?.plan);
  const noted = run.memo?.[FINGERPRINT_MEMO];
  const fingerprint = typeof noted === "string" ? noted : fingerprintOf(event);
  return { event: identityOf(event), plan, fingerprint, startedMs: millis(first?.eventTime) };
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
    `The run of ${JSON.stringify(run.workflowId)} failed because its input was refused: ${reason}. A corrected event may use the key again`,
  );
}

/** Endpoints whose regular attempt the server has in hand but no worker has taken up; only `describe` tells. */
function waitingForWorker(run: WorkflowExecutionDescription, entries: readonly HistoryEntry[]): readonly string[] {
  const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
  const waiting = (run.raw.pendingActivities ?? []).filter(({ state }) => state === PENDING_ACTIVITY_STATE_SCHEDULED);
  const ids = new Set(waiting.map(({ activityId }) => activityId));
  return entries.flatMap((entry) =>
    entry.entry === "activity-scheduled" && ids.has(entry.activityId)
      ? [(entry.input as Partial<AttemptInput> | undefined)?.endpoint ?? ""]
      : [],
  );
}

function withWaiting(deliveries: readonly DeliveryStatus[], waiting: readonly string[]): readonly DeliveryStatus[] {
  return deliveries.map((delivery) =>
    waiting.includes(delivery.endpoint) ? { ...delivery, waitingFor: "worker" as const } : delivery,
  );
}

function closedAt(run: WorkflowExecutionDescription): string {
  return (run.closeTime ?? new Date(0)).toISOString();
}
