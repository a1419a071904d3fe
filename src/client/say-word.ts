/** A person's word to a run: one update, whose verdict comes back. Everything that can go wrong is translated here. */
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client";
import type { UpdateDefinition } from "@temporalio/common";
import type { Verdict } from "../delivery/event-state.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS, isAccessRefused, isSilence } from "../temporal/grpc-status.ts";
import { describeRun } from "./get-event.ts";
import { explainSilence, type Session } from "./session.ts";

/** An update and its argument, and what to answer when the run has just ended. */
export interface Word<Argument> {
  readonly update: UpdateDefinition<Verdict, [Argument]>;
  readonly argument: Argument;
  /** Said again under the same one, it is the same word and has the same verdict; absent = each time a new word. */
  readonly updateId?: string;
  /** How long a verdict may take, milliseconds; absent = as long as an attempt may. */
  readonly withinMs?: number;
  tooLate(): Promise<NonNullable<Verdict["refusedBecause"]>>;
}

/** An attempt in flight is answered first, so this may take as long as one does. */
const ANSWER_DEADLINE_MS = 60_000;

/**
 * Says it and returns whether it counted; a refusal is an answer, not an error.
 *
 * Throws `not_found`; `timeout` when no verdict comes, in time or at all: the word may still
 * take effect, so look before saying it again; `temporal_unreachable` when the server fails.
 */
export async function sayWord<Argument>(session: Session, key: string, word: Word<Argument>): Promise<Verdict> {
  const { runId } = await describeRun(session, key);
  const handle = session.client.workflow.getHandle(key, runId);
  const { update, argument, updateId, withinMs = ANSWER_DEADLINE_MS } = word;
  try {
    const options = updateId === undefined ? {} : { updateId };
    const say = () => handle.executeUpdate(update, { ...options, args: [argument] });
    return await session.client.withDeadline(Date.now() + withinMs, say);
  } catch (error) {
    if (!hasJustEnded(error)) throw explainFailure(key, error, withinMs);
  }
  return { counted: false, refusedBecause: await word.tooLate(), at: new Date().toISOString() };
}

/** Of an update: its workflow has ended, so that nobody takes it in any more. */
export function hasJustEnded(error: unknown): boolean {
  return (
    error instanceof WorkflowNotFoundError ||
    (error instanceof WorkflowUpdateFailedError && /completed/iu.test(error.cause?.message ?? ""))
  );
}

/** Never an error of the SDK: whoever spoke must learn whether the word may still count. */
function explainFailure(key: string, error: unknown, withinMs: number): unknown {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return noVerdict(noAnswer(withinMs), error);
  if (error instanceof WorkflowUpdateFailedError) return noVerdict(brokenRun(key, error.cause?.message ?? ""), error);
  const failure = grpcFailure(error);
  if (failure === null || isAccessRefused(error)) return error;
  if (isSilence(failure.status)) return explainSilence(error);
  if (failure.status === GRPC_STATUS.failedPrecondition || failure.status === GRPC_STATUS.aborted)
    return noVerdict(brokenRun(key, failure.details), error);
  return new CountersignError(
    "temporal_unreachable",
    `The Temporal server did not pass the word on (${failure.details}). ${LOOK_FIRST}`,
    { cause: error },
  );
}

const LOOK_FIRST = "Ask `show` before saying it again";

function noAnswer(withinMs: number): string {
  return `No verdict within ${withinMs / 1000} s: either no worker runs, or the word waits for an attempt in hand and takes effect when that has ended (a success wins).`;
}

/** As when its workflow task keeps failing: a worker of another version, or a fault of ours. */
function brokenRun(key: string, why: string): string {
  return `No verdict: the run of ${JSON.stringify(key)} did not take the word (${why || "no reason given"}); the worker's log may say more.`;
}

function noVerdict(what: string, cause: unknown): CountersignError {
  return new CountersignError("timeout", `${what} ${LOOK_FIRST}`, { cause });
}
