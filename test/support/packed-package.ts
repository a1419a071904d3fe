/** The package as npm would publish it, unpacked where nothing of this repository can be reached by accident. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { type Finished, run, runScript } from "./run-npm.ts";

export interface PackedPackage {
  /** A project folder that has the package and its declared dependencies, and nothing else, in `node_modules`. */
  readonly folder: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Builds and packs. Dependencies are linked, not installed: no network, and a forgotten declaration still shows. */
export async function packPackage(): Promise<PackedPackage> {
  demandSuccess("npm run build", await runScript("build"));
  const folder = await mkdtemp(join(tmpdir(), "countersign-package-"));
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder]);
  demandSuccess("npm pack", packed);
  const { filename, files } = onlyEntry(packed.stdout);
  const installed = join(folder, "node_modules/countersign");
  await mkdir(installed, { recursive: true });
  const unpacked = await run("tar", ["-xzf", join(folder, filename), "-C", installed, "--strip-components=1"]);
  demandSuccess("tar", unpacked);
  for (const name of Object.keys(manifest.dependencies)) await linkDependency(folder, name);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  return { folder, files, remove: async () => await rm(folder, { recursive: true, force: true }) };
}

interface PackEntry {
  readonly filename: string;
  readonly files: readonly string[];
}

function onlyEntry(stdout: string): PackEntry {
  // As `npm pack --json` documents it: an array with one entry per package.
  const [entry] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (entry === undefined) throw new Error("npm pack packed nothing");
  return { filename: entry.filename, files: entry.files.map(({ path }) => path) };
}

async function linkDependency(folder: string, name: string): Promise<void> {
  const link = join(folder, "node_modules", name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(ROOT, "node_modules", name), link, "dir");
}

function demandSuccess(what: string, { exitCode, stdout, stderr }: Finished): void {
  if (exitCode !== 0) throw new Error(`${what} ended with ${exitCode}:\n${stdout}\n${stderr}`);
}
