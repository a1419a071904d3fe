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
      if (isTemporalCancellation(error)) throw error;
      const failure = toFailure(error, activityInfo().attempt);
      log.failed({ activity, code: failure.type ?? "internal", error });
      throw failure;
    }
  };
}

/** Any thrown value → a failure that every converter accepts. `tries` counts from 1. */
export function toFailure(error: unknown, tries: number): ApplicationFailure {
  const failure = isCountersignError(error)
    ? ApplicationFailure.create({
        message: error.message,
        type: error.code,
        nonRetryable: BAD_INPUT_TYPES.includes(error.code),
      })
    : ApplicationFailure.create({
        message: "The activity failed on our side; the worker's log has the reason",
        type: "internal",
        nonRetryable: tries >= MAX_UNEXPLAINED_TRIES,
      });
  failure.stack = "";
  return failure;
}

function isTemporalCancellation(error: unknown): boolean {
  return error instanceof CancelledFailure || (cancellationSignal().aborted && error === cancellationSignal().reason);
}
