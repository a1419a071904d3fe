/** `hold`: stops one delivery, while the others of the event go on. */
import type { CliContext } from "../context.ts";
import { resolve, type ResolutionCommand } from "./resolution.ts";

export async function hold(context: CliContext, key: string, options: ResolutionCommand): Promise<number> {
  const verb = { name: "hold" as const, done: "is held: nothing is sent until it is released" };
  return await resolve(context, key, { verb, options });
}
