/** The two functions a configuration file imports. */
import type { EnvReference } from "./config.ts";
import type { RawConfig } from "./raw-config.ts";

/**
 * Gives editors the shape of the configuration; returns its argument unchanged.
 *
 * Nothing is checked here: the process that loads the file checks everything
 * and names the file and the path of each wrong value.
 *
 * @example
 * ```ts
 * import { defineConfig, env } from "countersign";
 *
 * export default defineConfig({
 *   sources: { shop: {} },
 *   endpoints: { crm: { url: env("CRM_URL") } },
 *   routes: [{ match: { source: "shop" }, to: ["crm"] }],
 * });
 * ```
 */
export function defineConfig(raw: RawConfig): RawConfig {
  return raw;
}

/**
 * Refers to an environment variable by name.
 *
 * It is read only in the process that needs the value, so a process without
 * the secret can still load the configuration. In JSON: `{ "env": "NAME" }`.
 *
 * @example
 * ```ts
 * const url = env("CRM_URL");
 * ```
 */
export function env(name: string): EnvReference {
  return { env: name };
}
