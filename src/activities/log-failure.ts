/** A line about our own trouble that cannot itself become trouble. */
import type { ActivityLog } from "./dependencies.ts";

type FailureLine = Parameters<ActivityLog["failed"]>[0];

/** Writes the line; where the error cannot even be shown (a getter that throws, say), a line without it; else nothing. */
export function logFailure(log: ActivityLog, line: FailureLine): void {
  try {
    log.failed(line);
  } catch {
    logWithout(log, line);
  }
}

function logWithout(log: ActivityLog, line: FailureLine): void {
  try {
    log.failed({ ...line, error: "the error cannot be shown" });
  } catch {
    // The log itself is broken: the failure still reaches Temporal.
  }
}
