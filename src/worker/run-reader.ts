/** What an attempt may ask the server about its own run. */
import proto from "@temporalio/proto";
import type { RunReader, RunReference } from "../activities/dependencies.ts";
import { millis } from "../client/payloads.ts";
import { taskEventOf } from "../client/read-history.ts";
import { type Session, withDeadline } from "../client/session.ts";
import { storedEvent } from "../client/stored-event.ts";
import { isPassedOver, type SeenTaskEvent } from "../delivery/lost-attempt.ts";

/** The decisive event nearly always stands among the last few. */
const PAGE_SIZE = 50;

export function createRunReader(session: Session): RunReader {
  return {
    startEvent: async (run) => await storedEvent(session, run),
    latestTaskEvents: async (run) => await readBackwards(session, run),
  };
}

/** From the end to the first event that decides, however many signals stand before it. */
async function readBackwards(session: Session, run: RunReference): Promise<readonly SeenTaskEvent[]> {
  const seen: SeenTaskEvent[] = [];
  let nextPageToken: Uint8Array | null | undefined = null;
  do {
    const page = await readPage(session, run, nextPageToken);
    seen.push(
      ...(page.history?.events ?? []).map((event) => ({ event: taskEventOf(event), atMs: millis(event.eventTime) })),
    );
    ({ nextPageToken } = page);
  } while (
    seen.every(({ event }) => isPassedOver(event)) &&
    nextPageToken !== null &&
    nextPageToken !== undefined &&
    nextPageToken.length > 0
  );
  return seen;
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
