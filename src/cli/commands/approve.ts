/** `approve`: a person's yes to what a digest stands for. */
import type { CliContext } from "../context.ts";
import { decide, type DecisionCommand, type DecisionVerb } from "./decision.ts";

const VERB: DecisionVerb = { action: "approve", noun: "approval", question: "Approve this?" };

export async function approve(context: CliContext, key: string, options: DecisionCommand): Promise<number> {
  return await decide(context, key, { verb: VERB, options });
}
