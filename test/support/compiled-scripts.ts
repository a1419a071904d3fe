/**
 * Vitest global setup: the scripts that tests start as processes, made into plain JavaScript once for a run. To start
 * them through tsx takes a processor twice the time, and a run starts hundreds.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { TestProject } from "vitest/node";
import { DAY_MS } from "../../src/delivery/durations.ts";
import { COMPILED_SCRIPTS } from "./node-arguments.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SUPPORT = join(ROOT, "test/support");
/** Inside the project, so that packages are found from there. */
const CACHE = join(ROOT, "node_modules/.cache/countersign");
const PREFIX = "scripts-";

/** Code of ours finds its files by its own place, which stays where the source is. */
const sourcePlaces: Plugin = {
  name: "source-places",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:src|test|examples)[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes("import.meta.url")) return null;
      return { contents: `const sourceUrl = ${JSON.stringify(pathToFileURL(path).href)};${text}`, loader: "ts" };
    });
  },
};

/** Returns what removes them again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const outdir = await mkdtemp(join(CACHE, PREFIX));
  await compile(outdir);
  process.env[COMPILED_SCRIPTS] = outdir;
  project.onTestsRerun(async () => await compile(outdir));
  return async () => await rm(outdir, { recursive: true, force: true });
}

async function compile(outdir: string): Promise<void> {
  const processes = (await readdir(SUPPORT)).filter((name) => name.endsWith("-process.ts"));
  await build({
    entryPoints: [join(ROOT, "src/cli/bin.ts"), ...processes.map((name) => join(SUPPORT, name))],
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    outbase: ROOT,
    outdir,
    // A folder of packages has no manifest of ours that says what .js is.
    outExtension: { ".js": ".mjs" },
    define: { "import.meta.url": "sourceUrl" },
    plugins: [sourcePlaces],
    logLevel: "error",
  });
}

/** What runs that were killed have left behind. */
async function removeOld(): Promise<void> {
  for (const name of (await readdir(CACHE)).filter((each) => each.startsWith(PREFIX))) {
    const path = join(CACHE, name);
    const left = await stat(path).catch(() => null);
    if (left !== null && Date.now() - left.mtimeMs > DAY_MS) await rm(path, { recursive: true, force: true });
  }
}
