/** Whether every key is one key, and what it names is there. */
import type { CheckedKey } from "./access-schema.ts";
import { listNames } from "./names.ts";
import { foundProblem, type Problem } from "./problem.ts";
import type { CheckedConfig } from "./schema.ts";

type Path = readonly PropertyKey[];

export function checkKeys(config: CheckedConfig): readonly Problem[] {
  return config.keys.flatMap((key, index) => {
    const path = ["keys", index];
    return [
      ...checkUnique(config.keys, index),
      ...checkScope(key, path),
      ...checkPerson(config, key, path),
      ...checkSources(config, key, path),
    ];
  });
}

/** Two entries with one id leave open which of them counts; one hash twice is an entry that was copied and half edited. */
function checkUnique(keys: readonly CheckedKey[], index: number): readonly Problem[] {
  const key = keys[index];
  return (["id", "hash"] as const).flatMap((member) => {
    const twin = keys.findIndex((other) => other[member] === key?.[member]);
    if (twin === index) return [];
    const text = `is that of keys[${twin}], too; accepted: an entry as \`countersign keys create\` prints it, once`;
    return [{ path: ["keys", index, member], text }];
  });
}

/** A scope that is not enforced would promise what nobody keeps. */
export function checkScope(key: Pick<CheckedKey, "role" | "sources" | "types">, path: Path): readonly Problem[] {
  if (key.role === "ingest") return [];
  return (["sources", "types"] as const).flatMap((member) =>
    key[member] === undefined
      ? []
      : [{ path: [...path, member], text: "bounds nothing with this role, only with 'ingest'; remove it" }],
  );
}

function checkPerson({ people }: CheckedConfig, { person }: CheckedKey, path: Path): readonly Problem[] {
  if (person === undefined || Object.hasOwn(people, person)) return [];
  return [foundProblem([...path, "person"], person, listNames("person", Object.keys(people)))];
}

function checkSources({ sources }: CheckedConfig, key: CheckedKey, path: Path): readonly Problem[] {
  const known = new Set(Object.entries(sources).flatMap(([name, { aliases }]) => [name, ...aliases]));
  return (key.sources ?? []).flatMap((source, position) =>
    known.has(source)
      ? []
      : [foundProblem([...path, "sources", position], source, listNames("source", Object.keys(sources)))],
  );
}
