/** A person's word on a parked delivery: replay, discard, mark delivered; sent as an update, which returns a verdict. */
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import type { Verdict } from "../delivery/progress.ts";
import { CountersignError } from "../errors.ts";
import { type ResolutionArgument, resolveUpdate } from "../workflows/messages.ts";
import { describeRun } from "./get-event.ts";
import { explainSilence, type Session } from "./session.ts";

export interface ResolutionOrder extends ResolutionArgument {
  readonly action: "replay" | "discard" | "mark-delivered";
}

/** An attempt in flight is answered first, so this may take as long as one does. */
const ANSWER_DEADLINE_MS = 60_000;

/**
 * Says it and returns whether it counted; a refusal is an answer, not an error.
 *
 * Throws `not_found`, and `timeout` when no worker answers in time: then nothing is
 * known to have been recorded, and saying it again is safe.
 */
export async function resolveDelivery(session: Session, key: string, order: ResolutionOrder): Promise<Verdict> {
  const run = await describeRun(session, key);
  const handle = session.client.workflow.getHandle(key, run.runId);
  try {
    const say = () => handle.executeUpdate(resolveUpdate, { args: [{ v: 1, ...order }] });
    return await session.client.withDeadline(Date.now() + ANSWER_DEADLINE_MS, say);
  } catch (error) {
    if (hasJustEnded(error)) return { counted: false, refusedBecause: "already-ended", at: new Date().toISOString() };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw noAnswer(key, error);
    throw explainSilence(error);
  }
}

function hasJustEnded(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError ||
    (error instanceof WorkflowUpdateFailedError && /completed/iu.test(error.cause?.message ?? ""))
  );
}

function noAnswer(key: string, cause: unknown): CountersignError {
  return new CountersignError(
    "timeout",
    `No worker answered for ${JSON.stringify(key)} within ${ANSWER_DEADLINE_MS / 1000} s; is one running? Ask "show" before saying it again`,
    { cause },
  );
}
