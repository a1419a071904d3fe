/** `withdraw`: takes a person's own decision back, as long as nothing was sent. */
import type { CliContext } from "../context.ts";
import { decide, type DecisionCommand, type DecisionVerb } from "./decision.ts";

const VERB: DecisionVerb = {
  action: "withdraw",
  noun: "withdrawal",
  question: "Take your decision on this back?",
};

export async function withdraw(context: CliContext, key: string, options: DecisionCommand): Promise<number> {
  return await decide(context, key, { verb: VERB, options });
}
