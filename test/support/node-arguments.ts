/** How Node runs a script of ours: compiled where vitest has prepared that, else (`npm run proof`) through tsx. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, parse, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The environment variable that names the folder of compiled scripts. */
export const COMPILED_SCRIPTS = "COUNTERSIGN_COMPILED_SCRIPTS";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export function nodeArguments(script: string): readonly string[] {
  const { dir, name } = parse(relative(ROOT, script));
  const directory = process.env[COMPILED_SCRIPTS];
  const compiled = directory === undefined ? null : join(directory, dir, `${name}.mjs`);
  if (compiled !== null && existsSync(compiled)) return [compiled];
  // By its place: a bare name would be looked for from the folder the command runs in.
  return ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href, script];
}
