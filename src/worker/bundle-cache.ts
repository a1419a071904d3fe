/**
 * In a checkout: the bundle of the workflow sources, made once for each state they are in.
 *
 * Bundling takes seconds of a processor, and every worker of `dev`, of the demo and of the tests would pay them at
 * its start. A published package has its bundle beside it and never comes here.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "../delivery/durations.ts";

export interface BundleSources {
  /** Everything the bundle is made of: these folders, and these files. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

export interface BundleCache {
  readonly directory: string;
  readonly sources: BundleSources;
  /** Makes the bundle; takes seconds. */
  bundle(): Promise<string>;
}

/** Path of the bundle; null when the cache cannot be read or written, and the worker has to bundle by itself. */
export async function cachedBundle({ directory, sources, bundle }: BundleCache): Promise<string | null> {
  try {
    const path = join(directory, `${PREFIX}${await digestOf(sources)}.js`);
    if (await isThere(path)) return path;
    const code = await bundle();
    await mkdir(directory, { recursive: true });
    // Whoever reads sees a whole bundle or none, also when two processes make it at once.
    const draft = join(directory, `${PREFIX}${randomUUID()}.draft`);
    await writeFile(draft, code);
    await rename(draft, path);
    await removeOld(directory);
    return path;
  } catch {
    return null;
  }
}

const PREFIX = "workflows-";
/** Longer than any process needs to load one. */
const KEEP_MS = DAY_MS;

async function digestOf({ folders, files }: BundleSources): Promise<string> {
  const inFolders = await Promise.all(folders.map(sourcesIn));
  const hash = createHash("sha256");
  for (const file of [...files, ...inFolders.flat()]) {
    const text = await readFile(file);
    hash.update(`${file}\n${text.byteLength}\n`).update(text);
  }
  return hash.digest("hex").slice(0, 32);
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(?:ts|cjs)$/.test(name) && !name.endsWith(".test.ts"))
    .toSorted()
    .map((name) => join(folder, name));
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** What is there now may be renamed or removed by another process a moment later. */
async function removeOld(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.startsWith(PREFIX) && (await ageOf(path)) > KEEP_MS) await rm(path, { force: true });
  }
}

async function ageOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
}
