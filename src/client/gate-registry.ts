/** The registry of gates and lanes as the server has it, also what no worker has taken in yet. */
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from "@temporalio/client";
import proto from "@temporalio/proto";
import type { Gate, GateMap } from "../delivery/gates/gate-entry.ts";
import { foldRegistry, type RegistryMessage } from "../delivery/gates/gate-registry.ts";
import type { RegistryReading } from "../delivery/gates/known-gates.ts";
import { GATES_WORKFLOW_ID } from "../delivery/names.ts";
import { GATES_MEMO, laneInUseSignal, putGateSignal } from "../workflows/messages.ts";
import { type Decode, decoderOf } from "./payloads.ts";
import { type Session, withDeadline } from "./session.ts";

const { EVENT_TYPE_WORKFLOW_TASK_COMPLETED, EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED } =
  proto.temporal.api.enums.v1.EventType;
const { PENDING_WORKFLOW_TASK_STATE_STARTED } = proto.temporal.api.enums.v1.PendingWorkflowTaskState;

export interface RegistryCopy extends RegistryReading {
  /**
   * Names the task that a worker has in hand; null = none. As long as it lasts the server
   * keeps back what has come since, so a copy read again and again during one task is not whole.
   */
  readonly taskInHand: string | null;
}

const NOTHING: RegistryCopy = { gates: {}, chain: null, taskInHand: null };

export async function readRegistry(session: Session, deadlineMs?: number): Promise<RegistryCopy> {
  try {
    const handle = session.client.workflow.getHandle(GATES_WORKFLOW_ID);
    const run = await withDeadline(session, () => handle.describe(), deadlineMs);
    // Somebody ended it from outside, and the next word starts it anew.
    if (run.status.name !== "RUNNING") return NOTHING;
    const shown = (run.memo?.[GATES_MEMO] ?? {}) as GateMap; // written by the registry workflow alone
    // The same however often it continues as new; a server that does not say so names all of them alike.
    const chain = run.raw.workflowExecutionInfo?.firstRunId ?? "";
    const task = run.raw.pendingWorkflowTask ?? null;
    if (task === null) return { gates: shown, chain, taskInHand: null };
    const pending = await pendingMessages(session, run, deadlineMs);
    const isInHand = task.state === PENDING_WORKFLOW_TASK_STATE_STARTED;
    const gates = pending.reduce(foldRegistry, shown);
    return { gates, chain, taskInHand: isInHand ? JSON.stringify(task) : null };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return NOTHING;
    throw error;
  }
}

/** Behind what is looked for stand memos, each as large as the whole registry: a large page would bring many of them. */
const PAGE_SIZE = 10;

/** Signals that stand behind the last task that was completed, oldest first. */
async function pendingMessages(
  session: Session,
  { workflowId, runId }: WorkflowExecutionDescription,
  deadlineMs: number | undefined,
): Promise<readonly RegistryMessage[]> {
  const decode = decoderOf(session.client);
  const newestFirst: RegistryMessage[] = [];
  let nextPageToken: Uint8Array | null | undefined = null;
  do {
    const request = {
      namespace: session.client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: PAGE_SIZE,
      nextPageToken,
    };
    const page: proto.temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseResponse = await withDeadline(
      session,
      () => session.client.workflowService.getWorkflowExecutionHistoryReverse(request),
      deadlineMs,
    );
    for (const event of page.history?.events ?? []) {
      if (isEndOfTask(event)) return newestFirst.toReversed();
      newestFirst.push(...(await messageIn(event, decode)));
    }
    nextPageToken = page.nextPageToken;
  } while (nextPageToken !== null && nextPageToken !== undefined && nextPageToken.length > 0);
  return newestFirst.toReversed();
}

/** The memo is written with the end of a task. */
function isEndOfTask({ eventType }: proto.temporal.api.history.v1.IHistoryEvent): boolean {
  return eventType === EVENT_TYPE_WORKFLOW_TASK_COMPLETED || eventType === EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED;
}

async function messageIn(
  { workflowExecutionSignaledEventAttributes: signaled }: proto.temporal.api.history.v1.IHistoryEvent,
  decode: Decode,
): Promise<readonly RegistryMessage[]> {
  if (signaled === null || signaled === undefined) return [];
  const payload = signaled.input?.payloads?.[0];
  return [{ name: signaled.signalName ?? "", argument: payload === undefined ? null : await decode(payload) }];
}

/** Enters a lane that is used; starts the registry where it does not run. Needs no worker. */
export async function putLaneInUse(session: Session, endpoint: string): Promise<void> {
  await tellRegistry(session, { signal: laneInUseSignal, signalArgs: [{ endpoint }] });
}

/** Enters what holds an endpoint, the same way. */
export async function putGate(session: Session, endpoint: string, gate: Gate): Promise<void> {
  await tellRegistry(session, { signal: putGateSignal, signalArgs: [{ endpoint, gate }] });
}

type Telling =
  | { readonly signal: typeof laneInUseSignal; readonly signalArgs: [{ readonly endpoint: string }] }
  | {
      readonly signal: typeof putGateSignal;
      readonly signalArgs: [{ readonly endpoint: string; readonly gate: Gate }];
    };

async function tellRegistry(session: Session, { signal, signalArgs }: Telling): Promise<void> {
  await withDeadline(session, () =>
    session.client.workflow.signalWithStart("gates", {
      workflowId: GATES_WORKFLOW_ID,
      taskQueue: session.config.temporal.taskQueue,
      args: [],
      signal: signal.name,
      signalArgs,
      staticSummary: "which endpoints are held, which lanes are in use",
    }),
  );
}
