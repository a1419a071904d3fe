/** Where the configuration is: named, or found by walking up from the working directory. */
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CountersignError } from "../errors.ts";

const FILE_NAMES = [
  "countersign.config.ts",
  "countersign.config.js",
  "countersign.config.mjs",
  "countersign.config.json",
];

export interface ConfigPlace {
  /** Absolute. */
  readonly cwd: string;
  /** Given by `--config`, relative to `cwd`; goes before everything else. */
  readonly path?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The absolute path of the configuration file. Throws `config_not_found` saying what was looked for, and where. */
export async function findConfig(place: ConfigPlace): Promise<string> {
  const variable = place.environment["COUNTERSIGN_CONFIG"];
  if (place.path !== undefined) return requireFile(place.cwd, place.path, "--config");
  if (variable !== undefined && variable !== "") return requireFile(place.cwd, variable, "COUNTERSIGN_CONFIG");
  const found = await walkUp(place.cwd);
  if (found !== null) return found;
  throw new CountersignError(
    "config_not_found",
    `No configuration found: looked for ${FILE_NAMES.join(", ")} in ${place.cwd} and every folder above it. Create one, or name it with --config or COUNTERSIGN_CONFIG.`,
    { details: { cwd: place.cwd } },
  );
}

async function requireFile(cwd: string, path: string, origin: string): Promise<string> {
  const file = resolve(cwd, path);
  if (await isFile(file)) return file;
  throw new CountersignError("config_not_found", `There is no configuration file ${file} (named by ${origin}).`, {
    details: { path: file },
  });
}

async function walkUp(start: string): Promise<string | null> {
  let folder = resolve(start);
  for (;;) {
    for (const name of FILE_NAMES) {
      const file = join(folder, name);
      if (await isFile(file)) return file;
    }
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true;
}
