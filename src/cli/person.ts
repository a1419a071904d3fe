/** Which person of the configuration decides. */
import { CountersignError } from "../errors.ts";
import type { Environment } from "./context.ts";
import { safeText } from "./safe-text.ts";

const MAX_NAMED = 20;

/** `--as`, else COUNTERSIGN_ACTOR; throws `bad_argument`, naming who is known, unless it stands in `people`. */
export function personOf(
  as: string | undefined,
  environment: Environment,
  people: Readonly<Record<string, unknown>>,
): string {
  const named = as ?? environment["COUNTERSIGN_ACTOR"] ?? "";
  if (named !== "" && Object.hasOwn(people, named)) return named;
  const complaint =
    named === ""
      ? "A decision is a person's: say who you are with --as or COUNTERSIGN_ACTOR"
      : `${JSON.stringify(safeText(named))} is not a person of the configuration`;
  throw new CountersignError("bad_argument", `${complaint}; ${knownPeople(Object.keys(people))}.`);
}

function knownPeople(names: readonly string[]): string {
  if (names.length === 0) return "its `people` is empty, so nobody can decide";
  const shown = names.slice(0, MAX_NAMED).map(safeText).join(", ");
  return `known are ${shown}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ""}`;
}
