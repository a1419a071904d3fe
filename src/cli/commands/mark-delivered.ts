/** `mark-delivered`: records a person's evidence that the endpoint has it. */
import type { CliContext } from "../context.ts";
import { resolve, type ResolutionCommand } from "./resolution.ts";

export async function markDelivered(context: CliContext, key: string, options: ResolutionCommand): Promise<number> {
  const verb = { name: "mark-delivered" as const, done: "is marked as delivered, with your reason as the evidence" };
  return await resolve(context, key, { verb, options });
}
