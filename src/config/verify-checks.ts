/** What `verify` and `idFrom` of a source need of each other. */
import { foundProblem, type Problem } from "./problem.ts";
import type { CheckedConfig } from "./schema.ts";

/** Of our own producers it is the event that is read; of a provider, the body of its request. */
const IN_EVENT = "a path into the event, such as 'data.orderId' or 'subject'";

function isInEvent(path: string): boolean {
  return path.startsWith("data.") || ["subject", "type", "time"].includes(path);
}

/** `place` is that of the list. */
export function checkEventPaths(paths: readonly string[], place: Problem["path"]): readonly Problem[] {
  return paths.flatMap((path, index) => (isInEvent(path) ? [] : [foundProblem([...place, index], path, IN_EVENT)]));
}

export function checkVerify(config: CheckedConfig): readonly Problem[] {
  return Object.entries(config.sources).flatMap(([name, { verify, idFrom }]) => {
    if (verify === undefined && idFrom !== undefined) {
      return checkEventPaths(idFrom, ["sources", name, "idFrom"]);
    }
    if (verify?.scheme === "hmac" && verify.idHeader === null && idFrom === undefined) {
      const accepted = "the name of the header with the id, or idFrom of the source";
      return [foundProblem(["sources", name, "verify", "idHeader"], undefined, accepted)];
    }
    return [];
  });
}
