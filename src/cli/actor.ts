/** Who acts, when a person acts by the command line. */
import { userInfo } from "node:os";
import { CountersignError } from "../errors.ts";
import type { Environment } from "./context.ts";

/** `--as`, else COUNTERSIGN_ACTOR where it is not empty, else `cli:<user>`; throws `bad_argument` for an empty `--as`. */
export function actorOf(as: string | undefined, environment: Environment): string {
  if (as?.trim() === "")
    throw new CountersignError("bad_argument", "--as is empty; it must say who you are, or be left out.");
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
