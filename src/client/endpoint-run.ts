/** The workflow of one endpoint, seen from outside: how it is started, and what its memo shows. */
import { WithStartWorkflowOperation, WorkflowNotFoundError } from "@temporalio/client";
import type { SignalDefinition } from "@temporalio/common";
import type { ActivityTry } from "../activities/apply-gate.ts";
import type { TroubleReport } from "../delivery/gates/control-facts.ts";
import { endpointWorkflowId } from "../delivery/names.ts";
import {
  ENDPOINT_MEMO,
  type EndpointMemo,
  type ReportAnswer,
  reportSignal,
  reportUpdate,
} from "../workflows/messages.ts";
import { type Session, withDeadline } from "./session.ts";

/** Whoever has something to say starts it where it does not run; it ends by itself. */
function endpointStart({ config }: Session, endpoint: string) {
  return {
    workflowId: endpointWorkflowId(endpoint),
    taskQueue: config.temporal.taskQueue,
    staticSummary: `who holds ${endpoint}, why and until when`,
  };
}

export function startingEndpoint(session: Session, endpoint: string) {
  return new WithStartWorkflowOperation("endpoint", {
    ...endpointStart(session, endpoint),
    args: [],
    workflowIdConflictPolicy: "USE_EXISTING",
  });
}

export interface EndpointSeen {
  readonly isRunning: boolean;
  /** Null = its first task has not been done, or there never was a run. */
  readonly control: EndpointMemo | null;
}

/** Of the present run or the last one the server still knows. */
export async function readEndpointRun(session: Session, endpoint: string): Promise<EndpointSeen> {
  try {
    const handle = session.client.workflow.getHandle(endpointWorkflowId(endpoint));
    const { memo, status } = await withDeadline(session, () => handle.describe());
    const control = (memo?.[ENDPOINT_MEMO] ?? null) as EndpointMemo | null; // written by that workflow alone
    return { isRunning: status.name === "RUNNING", control };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { isRunning: false, control: null };
    throw error;
  }
}

/** Attempts that had begun when the gate closed and have not ended, as workers told; 0 where nothing holds it any more. */
export function inFlightOf({ isRunning, control }: EndpointSeen): number {
  const told = isRunning ? Object.values(control?.inFlight ?? {}) : [];
  return told.reduce((sum, { count }) => sum + count, 0);
}

/** Whether the server still waits for that try of an activity; false also where its run has ended. */
export async function isCurrentTry(
  session: Session,
  { workflowId, runId, activityId, attempt }: ActivityTry,
): Promise<boolean> {
  try {
    const handle = session.client.workflow.getHandle(workflowId, runId);
    const { raw } = await withDeadline(session, () => handle.describe());
    const pending = raw.pendingActivities ?? [];
    return pending.some((one) => one.activityId === activityId && one.attempt === attempt);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** A worker's report; starts the endpoint's workflow where it does not run. The same `updateId` counts once. */
export async function sendReport(
  session: Session,
  endpoint: string,
  { report, updateId }: { readonly report: TroubleReport; readonly updateId: string },
): Promise<ReportAnswer> {
  return await withDeadline(session, () =>
    session.client.workflow.executeUpdateWithStart(reportUpdate, {
      args: [report],
      updateId,
      startWorkflowOperation: startingEndpoint(session, endpoint),
    }),
  );
}

/** The same without an answer; outlives whoever says it. */
export async function signalReport(session: Session, endpoint: string, report: TroubleReport): Promise<void> {
  await signalEndpoint(session, endpoint, { signal: reportSignal, word: report });
}

/** Says something to an endpoint's workflow, and starts it where it does not run; needs no worker. */
export async function signalEndpoint<Word>(
  session: Session,
  endpoint: string,
  { signal, word }: { readonly signal: SignalDefinition<[Word]>; readonly word: Word },
): Promise<void> {
  await withDeadline(session, () =>
    session.client.workflow.signalWithStart("endpoint", {
      ...endpointStart(session, endpoint),
      args: [],
      signal: signal.name,
      signalArgs: [word],
    }),
  );
}
