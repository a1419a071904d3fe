/** `discard`: ends a delivery without sending it. */
import type { CliContext } from "../context.ts";
import { resolve, type ResolutionCommand } from "./resolution.ts";

export async function discard(context: CliContext, key: string, options: ResolutionCommand): Promise<number> {
  const verb = { name: "discard" as const, done: "is discarded: it will not be sent any more" };
  return await resolve(context, key, { verb, options });
}
