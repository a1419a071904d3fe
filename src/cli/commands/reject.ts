/** `reject`: a person's no, and why. */
import type { CliContext } from "../context.ts";
import { decide, type DecisionCommand, type DecisionVerb } from "./decision.ts";

const VERB: DecisionVerb = { action: "reject", noun: "rejection", question: "Reject this?", needsNote: true };

export async function reject(context: CliContext, key: string, options: DecisionCommand): Promise<number> {
  return await decide(context, key, { verb: VERB, options });
}
