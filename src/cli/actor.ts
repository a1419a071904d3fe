/** Who acts, when a person acts by the command line. */
import { userInfo } from "node:os";
import type { Environment } from "./context.ts";

/** `--as`, else COUNTERSIGN_ACTOR, else `cli:<user>`. */
export function actorOf(as: string | undefined, environment: Environment): string {
  const named = as ?? environment["COUNTERSIGN_ACTOR"] ?? "";
  return named === "" ? `cli:${userName(environment)}` : named;
}

function userName(environment: Environment): string {
  const named = environment["USER"] || environment["USERNAME"];
  if (named !== undefined && named !== "") return named;
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return "unknown";
  }
}
