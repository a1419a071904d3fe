/** Finds, runs or reads, and checks the configuration file. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { createJiti } from "jiti";
import { findDuplicateMember } from "../delivery/json-text.ts";
import { CountersignError, isCountersignError } from "../errors.ts";
import type { Config } from "./config.ts";
import { defineConfig, env } from "./define-config.ts";
import { findConfig, type ConfigPlace } from "./find-config.ts";
import { parseConfig } from "./parse-config.ts";
import { withoutSecrets } from "./problem.ts";

export interface LoadOptions extends ConfigPlace {
  /** Address blocks every endpoint may reach besides its own; absent = none. */
  readonly alsoAllowPrivate?: readonly string[];
}

/**
 * Loads the configuration of this process.
 *
 * Throws `config_not_found`, or `config_invalid` with the file and what is wrong with it.
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const path = await findConfig(options);
  return parseConfig(await readRaw(path), { path, alsoAllowPrivate: options.alsoAllowPrivate ?? [] });
}

async function readRaw(path: string): Promise<unknown> {
  if (path.endsWith(".json")) return readJson(path);
  if (/\.[cm]?[jt]s$/.test(path)) return runModule(path);
  throw notLoadable(path, "it is none of .ts, .js, .mjs and .json");
}

/**
 * What a configuration file gets when it imports "countersign": this very
 * package, whether it runs from sources or is installed, and without loading
 * anything of Temporal.
 */
const OWN_PACKAGE = { defineConfig, env, CountersignError, isCountersignError };

async function runModule(path: string): Promise<unknown> {
  const jiti = createJiti(path, {
    // A copy in a cache folder would keep literal secrets where nobody looks for them.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: { countersign: OWN_PACKAGE },
  });
  let loaded: unknown;
  try {
    // Not `jiti.import`: it hands .mjs to Node first, which would look for an installed "countersign" and cache the file.
    loaded = await jiti.evalModule(await readFile(path, "utf8"), {
      id: path,
      filename: path,
      ext: extname(path),
      async: true,
      forceTranspile: true,
    });
  } catch (cause) {
    throw notLoadable(path, oneLine(cause), cause);
  }
  if (typeof loaded !== "object" || loaded === null) return loaded;
  if ("default" in loaded) return loaded.default;
  if (!("__esModule" in loaded)) return loaded;
  throw notLoadable(path, "it has no default export; write `export default defineConfig({ … })`");
}

/** Says where JSON is wrong, but not what stands there: the parser's own message quotes the text, secrets included. */
async function readJson(path: string): Promise<unknown> {
  const text = (await readFile(path, "utf8")).replace(/^\ufeff/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    const place = position === undefined ? "" : ` (line ${text.slice(0, Number(position)).split("\n").length})`;
    throw notLoadable(path, `it is not valid JSON${place}`);
  }
  const duplicate = findDuplicateMember(text);
  if (duplicate === null) return value;
  throw notLoadable(path, `the member ${duplicate} is there twice`);
}

/** A key without quotes around it is a name to JavaScript, and its complaint quotes that. */
function notLoadable(path: string, reason: string, cause?: unknown): CountersignError {
  return new CountersignError(
    "config_invalid",
    `The configuration ${path} cannot be loaded: ${withoutSecrets(reason)}`,
    {
      cause,
      details: { path },
    },
  );
}

function oneLine(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.replaceAll(/\s+/g, " ").trim();
}
