/** The configuration of a program of yours: an object in code, or the file of its working directory. */
import type { Config } from "./config.ts";
import { loadConfig } from "./load-config.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawConfig } from "./raw-config.ts";
import type { Environment } from "./resolve-endpoint.ts";

/** Checks an object as a file is checked; one that is checked already is taken as it is. Throws as `loadConfig`. */
export async function chooseConfig(given: Config | RawConfig | undefined, environment: Environment): Promise<Config> {
  if (given === undefined) return await loadConfig({ cwd: process.cwd(), environment });
  return isChecked(given) ? given : parseConfig(given, { path: null });
}

/** Only a checked configuration has its durations in milliseconds. */
function isChecked(given: Config | RawConfig): given is Config {
  return "dedupeWindowMs" in given;
}
