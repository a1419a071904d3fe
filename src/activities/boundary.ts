/**
 * The one place where an activity's failure becomes a Temporal failure.
 *
 * Whatever was thrown, what leaves is an ApplicationFailure with a stable type, a text
 * of ours, no details, no cause and no stack: an unconvertible failure would end the
 * worker, and the text of a stranger's error may hold a URL with a token.
 */
import { activityInfo, cancellationSignal } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { BAD_INPUT_TYPES } from "../delivery/bad-input.ts";
import { isCountersignError } from "../errors.ts";
import type { ActivityLog } from "./dependencies.ts";
import { logFailure } from "./log-failure.ts";
import { TryAgain } from "./try-again.ts";

/** A failure of unknown origin is tried this often (minutes, with the policy's waits), then a person must look. */
const MAX_UNEXPLAINED_TRIES = 8;

/** Wraps an activity's body. */
export function atBoundary<Input, Result>(
  activity: string,
  log: ActivityLog,
  body: (input: Input) => Promise<Result>,
): (input: Input) => Promise<Result> {
  return async (input) => {
    try {
      return await body(input);
    } catch (error) {
      if (isTemporalCancellation(error)) throw canceled();
      const open = readTryAgain(error);
      if (open !== null) throw tryAgain(open);
      const failure = toFailure(error, activityInfo().attempt);
      logFailure(log, { activity, code: failure.type ?? "internal", error });
      throw failure;
    }
  };
}

/** Any thrown value → a failure that every converter accepts. `tries` counts from 1. */
function toFailure(error: unknown, tries: number): ApplicationFailure {
  const own = readOwn(error);
  const failure =
    own === null
      ? ApplicationFailure.create({
          message: "The activity failed on our side; the worker's log has the reason",
          type: "internal",
          nonRetryable: tries >= MAX_UNEXPLAINED_TRIES,
        })
      : ApplicationFailure.create({
          message: own.message,
          type: own.code,
          nonRetryable: BAD_INPUT_TYPES.includes(own.code),
        });
  failure.stack = "";
  return failure;
}

/** Null for anything else, also for what throws when it is looked at. */
function readTryAgain(error: unknown): TryAgain | null {
  try {
    return error instanceof TryAgain ? error : null;
  } catch {
    return null;
  }
}

/** Nothing is wrong, so nothing is logged. */
function tryAgain({ message, type, afterMs }: TryAgain): ApplicationFailure {
  const failure = ApplicationFailure.create({ message, type, nextRetryDelay: afterMs });
  failure.stack = "";
  return failure;
}

/** Code and message of an error of ours; null for anything else, also for what throws when it is looked at. */
function readOwn(error: unknown): { readonly code: string; readonly message: string } | null {
  try {
    if (!isCountersignError(error)) return null;
    const { code, message }: { readonly code: unknown; readonly message: unknown } = error;
    return typeof code === "string" && typeof message === "string" ? { code, message } : null;
  } catch {
    return null;
  }
}

/** Only what Temporal itself asked for; its own error carries a stack. */
function isTemporalCancellation(error: unknown): boolean {
  const { aborted, reason } = cancellationSignal();
  return aborted && error === reason;
}

function canceled(): CancelledFailure {
  const failure = new CancelledFailure("canceled");
  failure.stack = "";
  return failure;
}
