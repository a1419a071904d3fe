/** The steps of the search that stay on this machine: a named file, PATH, the cache. */
import { stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { cachedPath, discardCacheEntry, isExecutable } from "./binary-cache.ts";
import { type SearchContext, type StepResult, sdkEntry, wheelEntry } from "./binary-spec.ts";
import { runCommand } from "./run-command.ts";
import { sdkVersion } from "./sdk-download.ts";
import { isSupportedServer, MINIMUM_SERVER_VERSION } from "./server-version.ts";

const VERSION_DEADLINE_MS = 10_000;
const SERVER_VERSION = /\(Server (?<version>\d+\.\d+\.\d+)/;

/** The file the user named; when it cannot be used the search ends, for another one would surprise. */
export async function findInVariable(context: SearchContext): Promise<StepResult> {
  const variable = context.spec.pathVariable;
  const path = context.environment[variable];
  if (path === undefined || path === "") return { kind: "missed", tried: variable, reason: "not set" };
  const reason = await whyUnusable(path, context);
  if (reason === null) return { kind: "found", path };
  return { kind: "missed", tried: `${variable}=${path}`, reason, final: true };
}

/** Every match on PATH in order: a shim that leads nowhere does not hide a binary behind it. */
export async function findOnPath(context: SearchContext): Promise<StepResult> {
  const file = process.platform === "win32" ? `${context.spec.program}.exe` : context.spec.program;
  const reasons: string[] = [];
  for (const directory of pathDirectories(context)) {
    const path = join(directory, file);
    if (!(await isFile(path))) continue;
    const reason = await whyUnusable(path, context);
    if (reason === null) return { kind: "found", path };
    reasons.push(`${path} ${reason}`);
  }
  return { kind: "missed", tried: "PATH", reason: reasons.length === 0 ? `no ${file}` : reasons.join(", ") };
}

/** What an earlier download left in the per-user cache. */
export async function findInCache(context: SearchContext): Promise<StepResult> {
  for (const entry of [wheelEntry(context), sdkEntry(context, sdkVersion())]) {
    const path = cachedPath(entry);
    if (!(await isFile(path))) continue;
    if ((await whyUnusable(path, context)) === null) return { kind: "found", path };
    await discardCacheEntry(entry);
  }
  return { kind: "missed", tried: `cache ${context.cacheDirectory}`, reason: "nothing usable there yet" };
}

function pathDirectories({ environment }: SearchContext): readonly string[] {
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  return path.split(delimiter).filter((directory) => directory !== "");
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Null when the program can be run and is new enough; else one phrase. */
async function whyUnusable(path: string, { spec, environment }: SearchContext): Promise<string | null> {
  if (!(await isExecutable(path))) return "is not an executable file";
  if (!spec.hasVersion) return null;
  const result = await runCommand([path, "--version"], { environment, deadlineMs: VERSION_DEADLINE_MS });
  if (result.kind === "failed") return `does not run: ${result.reason}`;
  const version = SERVER_VERSION.exec(result.stdout)?.groups?.["version"];
  if (version === undefined) return "does not look like the Temporal CLI";
  if (isSupportedServer(version)) return null;
  return `carries server ${version}, at least ${MINIMUM_SERVER_VERSION} is needed`;
}
