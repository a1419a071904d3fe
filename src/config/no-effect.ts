/**
 * Keys that are accepted in form but do nothing yet.
 *
 * Silence would be worse than an error: somebody who configured a lookup must
 * not find out from a parked delivery that nobody looked.
 */
import type { Problem } from "./problem.ts";
import type { CheckedConfig } from "./schema.ts";

const TEXT = "has no effect in this version; remove it";

export function findKeysWithoutEffect(config: CheckedConfig): readonly Problem[] {
  const paths: PropertyKey[][] = [];
  for (const [name, endpoint] of Object.entries(config.endpoints)) {
    for (const key of presentKeys(endpoint, ["order"])) paths.push(["endpoints", name, key]);
  }
  return paths.map((path) => ({ path, text: TEXT }));
}

function presentKeys<Shape extends object>(value: Shape, keys: readonly (keyof Shape & string)[]): readonly string[] {
  return keys.filter((key) => value[key] !== undefined);
}
