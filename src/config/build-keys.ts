/** From checked entries to the keys the server asks. */
import type { CheckedKey } from "./access-schema.ts";
import type { ApiKey } from "./config.ts";
import type { CheckedConfig } from "./schema.ts";

export function buildKeys(config: CheckedConfig): readonly ApiKey[] {
  return config.keys.map((key) => ({
    id: key.id,
    role: key.role,
    person: key.person ?? null,
    sources: sourcesOf(config, key),
    types: key.types === undefined ? null : [...new Set(key.types)],
    hash: key.hash,
    expiresAtMs: key.expires ?? null,
  }));
}

/**
 * By their configured names, in the order of the configuration.
 *
 * What a provider signs is not anybody else's to say: a source with `verify` must be named.
 */
function sourcesOf({ sources }: CheckedConfig, { role, sources: named }: CheckedKey): readonly string[] {
  if (role !== "ingest") return [];
  return Object.entries(sources).flatMap(([name, { aliases, verify }]) => {
    const isMeant =
      named === undefined ? verify === undefined : [name, ...aliases].some((word) => named.includes(word));
    return isMeant ? [name] : [];
  });
}
