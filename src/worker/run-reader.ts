/** What an attempt may ask the server about its own run. */
import proto from "@temporalio/proto";
import type { RunReader, RunReference } from "../activities/dependencies.ts";
import { millis } from "../client/payloads.ts";
import { taskEventOf } from "../client/read-history.ts";
import { type Session, withDeadline } from "../client/session.ts";
import { storedEvent } from "../client/stored-event.ts";
import { isDecisive, type SeenTaskEvent } from "../delivery/lost-attempt.ts";
import type { PresentTask } from "../delivery/own-loss.ts";

const { PendingWorkflowTaskState } = proto.temporal.api.enums.v1;

/** The decisive event nearly always stands among the last few. */
const PAGE_SIZE = 50;

export function createRunReader(session: Session): RunReader {
  return {
    startEvent: async (run) => await storedEvent(session, run),
    latestTaskEvents: async (run, historyLength) => await readBackwards(session, run, historyLength),
    presentTask: async (run) => await readPresentTask(session, run),
  };
}

/** From the end to the first event that decides, however many signals or signs of life stand before it. */
async function readBackwards(
  session: Session,
  run: RunReference,
  historyLength: number,
): Promise<readonly SeenTaskEvent[]> {
  const seen: SeenTaskEvent[] = [];
  let nextPageToken: Uint8Array | null | undefined = null;
  do {
    const page = await readPage(session, run, nextPageToken);
    seen.push(...(page.history?.events ?? []).map(seenEventOf));
    ({ nextPageToken } = page);
  } while (
    !seen.some((one) => isDecisive(one, historyLength)) &&
    nextPageToken !== null &&
    nextPageToken !== undefined &&
    nextPageToken.length > 0
  );
  return seen;
}

function seenEventOf(event: proto.temporal.api.history.v1.IHistoryEvent): SeenTaskEvent {
  const worker = event.workflowTaskStartedEventAttributes?.identity ?? null;
  const [id, atMs] = [Number(event.eventId), millis(event.eventTime)];
  return { event: taskEventOf(event), id, atMs, ...(worker === null ? {} : { worker }) };
}

async function readPresentTask(session: Session, { workflowId, runId }: RunReference): Promise<PresentTask | null> {
  const { pendingWorkflowTask: pending } = await withDeadline(session, () =>
    session.client.workflowService.describeWorkflowExecution({
      namespace: session.client.options.namespace,
      execution: proto.temporal.api.common.v1.WorkflowExecution.create({ workflowId, runId }),
    }),
  );
  const isStarted = pending?.state === PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_STARTED;
  return isStarted ? { attempt: Number(pending.attempt), startedMs: millis(pending.startedTime) } : null;
}

async function readPage(
  session: Session,
  { workflowId, runId }: RunReference,
  nextPageToken: Uint8Array | null | undefined,
) {
  return await withDeadline(session, () =>
    session.client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: session.client.options.namespace,
      execution: proto.temporal.api.common.v1.WorkflowExecution.create({ workflowId, runId }),
      maximumPageSize: PAGE_SIZE,
      nextPageToken: nextPageToken ?? null,
    }),
  );
}
