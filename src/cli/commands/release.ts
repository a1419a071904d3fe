/** `release`: lets a delivery that is held go on. */
import type { CliContext } from "../context.ts";
import { resolve, type ResolutionCommand } from "./resolution.ts";

export async function release(context: CliContext, key: string, options: ResolutionCommand): Promise<number> {
  const verb = { name: "release" as const, done: "goes on: at once, or when the rest of its retry wait is over" };
  return await resolve(context, key, { verb, options });
}
