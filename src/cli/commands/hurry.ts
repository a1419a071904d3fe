/** `hurry`: ends a retry wait now, never before the Retry-After of the endpoint. */
import type { CliContext } from "../context.ts";
import { resolve, type ResolutionCommand } from "./resolution.ts";

export async function hurry(context: CliContext, key: string, options: ResolutionCommand): Promise<number> {
  const verb = {
    name: "hurry" as const,
    done: "is tried as soon as its endpoint lets it: at once, or when its Retry-After is over",
  };
  return await resolve(context, key, { verb, options });
}
