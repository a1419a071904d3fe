/** A person's word on a parked delivery: replay, discard, mark delivered; sent as an update, which returns a verdict. */
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import type { Verdict } from "../delivery/progress.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS, isAccessRefused } from "../temporal/grpc-status.ts";
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
 * Throws `not_found`; `timeout` when no verdict comes, in time or at all: the word may still
 * take effect, so look before saying it again; `temporal_unreachable` when the server fails.
 */
export async function resolveDelivery(session: Session, key: string, order: ResolutionOrder): Promise<Verdict> {
  const run = await describeRun(session, key);
  const handle = session.client.workflow.getHandle(key, run.runId);
  try {
    const say = () => handle.executeUpdate(resolveUpdate, { args: [{ v: 1, ...order }] });
    return await session.client.withDeadline(Date.now() + ANSWER_DEADLINE_MS, say);
  } catch (error) {
    if (hasJustEnded(error)) return { counted: false, refusedBecause: "already-ended", at: new Date().toISOString() };
    throw explainFailure(key, error);
  }
}

function hasJustEnded(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError ||
    (error instanceof WorkflowUpdateFailedError && /completed/iu.test(error.cause?.message ?? ""))
  );
}

/** Never an error of the SDK: whoever spoke must learn whether the word may still count. */
function explainFailure(key: string, error: unknown): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noVerdict(NO_ANSWER, error);
  if (error instanceof WorkflowUpdateFailedError) return noVerdict(brokenRun(key, error.cause?.message ?? ""), error);
  const failure = grpcFailure(error);
  if (failure === null || isAccessRefused(error)) return error;
  if (failure.status === GRPC_STATUS.unavailable || failure.status === GRPC_STATUS.deadlineExceeded)
    return explainSilence(error);
  if (failure.status === GRPC_STATUS.failedPrecondition || failure.status === GRPC_STATUS.aborted)
    return noVerdict(brokenRun(key, failure.details), error);
  return new CountersignError(
    "temporal_unreachable",
    `The Temporal server did not pass the word on (${failure.details}). ${LOOK_FIRST}`,
    { cause: error },
  );
}

const LOOK_FIRST = "Ask `show` before saying it again";

const NO_ANSWER = `No verdict within ${ANSWER_DEADLINE_MS / 1000} s: either no worker runs, or the word waits for an attempt in hand and takes effect when that has ended (a success wins).`;

/** As when its workflow task keeps failing: a worker of another version, or a fault of ours. */
function brokenRun(key: string, why: string): string {
  return `No verdict: the run of ${JSON.stringify(key)} did not take the word (${why || "no reason given"}); the worker's log may say more.`;
}

function noVerdict(what: string, cause: unknown): CountersignError {
  return new CountersignError("timeout", `${what} ${LOOK_FIRST}`, { cause });
}
