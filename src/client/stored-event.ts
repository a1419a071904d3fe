/** The event behind a run, as its producer sent it: read from the first event of the history. */
import type { WorkflowExecutionDescription } from "@temporalio/client";
import { fingerprintOf } from "../config/plan-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { parseEventKey } from "../delivery/names.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure } from "../temporal/grpc-status.ts";
import { readStartInput, type StartInput } from "../temporal/start-input.ts";
import { FINGERPRINT_MEMO } from "../workflows/messages.ts";
import { readEvent } from "./read-event.ts";
import { explainSilence, type Session } from "./session.ts";

/** Far above any limit of an endpoint: what is stored has passed the server's own limits. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

/** Throws `not_found`, or `bad_event` and its kin when the input is no event. */
export async function storedEvent(
  session: Session,
  run: { workflowId: string; runId: string },
): Promise<BusinessEvent> {
  const start = await readInput(session, run);
  if (start === null) throw new CountersignError("not_found", `There is no event ${JSON.stringify(run.workflowId)}`);
  if (start.text === null) throw unreadable(run.workflowId, "is not JSON");
  return readEvent(new TextEncoder().encode(start.text), { maxBodyBytes: MAX_STORED_BYTES });
}

async function readInput(session: Session, run: { workflowId: string; runId: string }): Promise<StartInput | null> {
  try {
    return await readStartInput(session.client, run);
  } catch (error) {
    if (grpcFailure(error) !== null) throw explainSilence(error);
    // Whatever else fails there is a codec: ours does not fit, or the payload is none of its own.
    throw unreadable(run.workflowId, "cannot be decoded by this client", error);
  }
}

function unreadable(workflowId: string, why: string, cause?: unknown): CountersignError {
  return new CountersignError(
    "bad_event",
    `The first argument of run ${JSON.stringify(workflowId)} ${why}: what the event is cannot be told`,
    { cause },
  );
}

/** The fingerprint our client left in the memo, or computed from the input of a plain start. */
export async function fingerprintOfRun(session: Session, run: WorkflowExecutionDescription): Promise<string> {
  const noted = run.memo?.[FINGERPRINT_MEMO];
  if (typeof noted === "string") return noted;
  const event = await storedEvent(session, run);
  return fingerprintOf({ ...event, source: parseEventKey(run.workflowId)?.source ?? event.source });
}
