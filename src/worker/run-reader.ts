/** What an attempt may ask the server about its own run. */
import proto from "@temporalio/proto";
import type { RunReader } from "../activities/dependencies.ts";
import { taskEventOf } from "../client/read-history.ts";
import { type Session, withDeadline } from "../client/session.ts";
import { storedEvent } from "../client/stored-event.ts";

/** Signals of a burst may stand before the decisive event; more than this is read as "cannot tell, go on". */
const LATEST_EVENTS = 50;

export function createRunReader(session: Session): RunReader {
  return {
    startEvent: async (run) => await storedEvent(session, run),
    async latestTaskEvents({ workflowId, runId }) {
      const { history } = await withDeadline(session, () =>
        session.client.workflowService.getWorkflowExecutionHistoryReverse({
          namespace: session.client.options.namespace,
          execution: proto.temporal.api.common.v1.WorkflowExecution.create({ workflowId, runId }),
          maximumPageSize: LATEST_EVENTS,
        }),
      );
      return (history?.events ?? []).map(taskEventOf);
    },
  };
}
