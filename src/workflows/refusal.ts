/** The failure of a run whose input is refused: a sentence and a type, and no stack, which would show where we are installed. */
import { ApplicationFailure } from "@temporalio/workflow";

export function refusal(message: string, type: string): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(message, type);
  failure.stack = "";
  return failure;
}
