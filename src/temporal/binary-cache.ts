/**
 * The per-user cache of downloaded binaries: one folder per exact version, filled at most once.
 *
 * A folder is prepared under a temporary name beside its final place and renamed when complete, so a reader never
 * sees half of it, and of two processes that fill it at once the first wins and the second uses its result.
 */
import { randomBytes } from "node:crypto";
import { access, chmod, constants, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./connection-profile.ts";
import { systemCodeOf } from "../errors.ts";

/** Where this user's caches live: XDG_CACHE_HOME, LOCALAPPDATA or ~/Library/Caches, each with our own folder. */
export function cacheDirectory(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = environment["HOME"] || homedir();
  if (platform === "win32")
    return join(environment["LOCALAPPDATA"] || join(home, "AppData", "Local"), "countersign", "Cache");
  if (platform === "darwin") return join(home, "Library", "Caches", "countersign");
  return join(environment["XDG_CACHE_HOME"] || join(home, ".cache"), "countersign");
}

export interface CacheEntry {
  readonly cacheDirectory: string;
  /** Folder name, unique per distribution, version and platform. */
  readonly name: string;
  /** File name of the program inside the folder. */
  readonly program: string;
}

/** Path of the cached program, whether or not it exists. */
export function cachedPath(entry: CacheEntry): string {
  return join(entry.cacheDirectory, entry.name, entry.program);
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a preparation ended; `path` = the program, somewhere inside the folder it was given. */
export type Prepared =
  | { readonly kind: "ready"; readonly path: string }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Fills the entry by `prepare`, which is given an empty folder, and answers with the path in the cache.
 *
 * Nothing of a failed preparation is left behind; a cache that cannot be written is a failure with a reason too.
 */
export async function fillCacheEntry(
  entry: CacheEntry,
  prepare: (directory: string) => Promise<Prepared>,
): Promise<Prepared> {
  let staging: string | null = null;
  try {
    await mkdir(entry.cacheDirectory, { recursive: true, mode: 0o700 });
    staging = await mkdtemp(join(entry.cacheDirectory, ".preparing-"));
    const prepared = await prepare(staging);
    if (prepared.kind === "failed") return prepared;
    const folder = join(staging, "final");
    await mkdir(folder, { mode: 0o700 });
    await rename(prepared.path, join(folder, entry.program));
    await chmod(join(folder, entry.program), 0o755);
    await publish(folder, entry);
    return { kind: "ready", path: cachedPath(entry) };
  } catch (error) {
    const reason = systemCodeOf(error);
    return { kind: "failed", reason: `cannot write to ${entry.cacheDirectory} (${reason})` };
  } finally {
    if (staging !== null) await rm(staging, { recursive: true, force: true });
  }
}

/** Renaming onto a filled folder fails everywhere: that is how the second of two processes learns it lost. */
async function publish(folder: string, entry: CacheEntry): Promise<void> {
  const target = join(entry.cacheDirectory, entry.name);
  try {
    await rename(folder, target);
  } catch (error) {
    if (await isExecutable(cachedPath(entry))) return;
    await moveAside(target);
    await rename(folder, target).catch(() => Promise.reject(error));
  }
}

/** Takes a folder that holds no usable program out of the way, for whoever fills the entry next. */
async function moveAside(target: string): Promise<void> {
  const aside = `${target}.broken-${randomBytes(4).toString("hex")}`;
  await rename(target, aside);
  await rm(aside, { recursive: true, force: true });
}

/** Removes an entry whose program does not run, so that it is fetched anew. */
export async function discardCacheEntry(entry: CacheEntry): Promise<void> {
  await moveAside(join(entry.cacheDirectory, entry.name)).catch(() => undefined);
}
