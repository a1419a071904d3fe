/**
 * Lets the Temporal SDK download the binary its test environment uses, in a process of its own.
 *
 * Of its own, because the SDK's runtime can be installed once per process and the worker must be the one to
 * install it, because a blocked download can then be cut off, and because the SDK offers no download alone: it
 * starts a server too, which the child stops again.
 */
import { readdir, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fillCacheEntry, type Prepared } from "./binary-cache.ts";
import { type SearchContext, type StepResult, sdkEntry } from "./binary-spec.ts";
import { runCommand } from "./run-command.ts";

/**
 * A refused download fails within a second (measured); this bounds one that is neither refused nor answered. A slow
 * one goes on as long as its file grows by that much time.
 */
const DEADLINE_MS = 20_000;

/** Arguments: path of `@temporalio/testing`, function name, download folder. */
const CHILD_SCRIPT = `
const [testing, create, downloadDir] = process.argv.slice(2);
const { TestWorkflowEnvironment } = require(testing);
TestWorkflowEnvironment[create]({ server: { executable: { type: "cached-download", downloadDir } } })
  .then((environment) => environment.teardown())
  .then(() => process.exit(0), (error) => {
    process.stderr.write(String(error && error.message).split(/[\\r\\n]/)[0] + "\\n", () => process.exit(1));
  });
`;

const require = createRequire(import.meta.url);

export function sdkVersion(): string {
  const manifest: unknown = require("@temporalio/testing/package.json");
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) return String(manifest.version);
  return "unknown";
}

/** Fetches through the SDK into the cache. A download is never resumed: it goes to a fresh folder each time. */
export async function downloadThroughSdk(context: SearchContext): Promise<StepResult> {
  context.announce?.(`Looking for the ${context.spec.title} through the Temporal SDK's own download.`);
  const entry = sdkEntry(context, sdkVersion());
  const result = await fillCacheEntry(entry, (directory) => download(context, directory));
  if (result.kind === "ready") return { kind: "found", path: result.path };
  return { kind: "missed", tried: "download by the Temporal SDK", reason: result.reason };
}

async function download({ spec, environment }: SearchContext, directory: string): Promise<Prepared> {
  const script = join(directory, "download.cjs");
  await writeFile(script, CHILD_SCRIPT);
  const command = [
    process.execPath,
    script,
    require.resolve("@temporalio/testing"),
    spec.sdkFunction,
    directory,
  ] as const;
  const result = await runCommand(command, {
    environment,
    deadlineMs: DEADLINE_MS,
    isProgressing: growthOf(directory),
  });
  if (result.kind === "failed") return result;
  const file = (await readdir(directory)).find((name) => name.startsWith(`${spec.program}-sdk-typescript`));
  if (file === undefined) return { kind: "failed", reason: "the SDK left no file" };
  return { kind: "ready", path: join(directory, file) };
}

/** Answers whether the files of a folder have grown since it was asked last. */
function growthOf(directory: string): () => Promise<boolean> {
  let before = CHILD_SCRIPT.length;
  return async () => {
    const names = await readdir(directory).catch(() => []);
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(join(directory, name)).catch(() => null))?.size ?? 0),
    );
    const now = sizes.reduce((sum, size) => sum + size, 0);
    const grew = now > before;
    before = now;
    return grew;
  };
}
