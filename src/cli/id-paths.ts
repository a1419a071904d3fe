/** `--id-from`: the rules of `idFrom` of a source, once for one event. */
import { collectProblems } from "../config/accept.ts";
import { idFromSchema } from "../config/source-schema.ts";
import { checkEventPaths } from "../config/verify-checks.ts";
import { CountersignError } from "../errors.ts";

/** Throws `bad_argument`, quoting the path, for one that no configuration would take, and for more than 10. */
export function requireIdPaths(paths: readonly string[]): void {
  const checked = idFromSchema.safeParse(paths);
  const problems = checked.success ? checkEventPaths(checked.data, []) : collectProblems(checked.error.issues, paths);
  const [problem] = problems;
  if (problem !== undefined) throw new CountersignError("bad_argument", `--id-from: ${problem.text}.`);
}
