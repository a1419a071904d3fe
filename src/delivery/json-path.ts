/** Paths such as `$.status` or `$.data[0].state`: one member of a JSON value, nothing more of JSONPath. */
import { isEqualJson } from "./equal-json.ts";
import type { JsonValue } from "./event.ts";

/** `$`, then members by name (`.status`) and items by index (`[0]`). */
export const JSON_PATH = /^\$(?:\.[A-Za-z0-9_-]{1,100}|\[\d{1,6}\]){1,20}$/;

/** Whether the value has exactly that member there; a missing one equals nothing, not even null. */
export function holdsAt(root: JsonValue | undefined, path: string, expected: JsonValue): boolean {
  const found = valueAt(root, path);
  return found !== undefined && isEqualJson(found, expected);
}

/** Own members only; undefined = there is none. */
function valueAt(root: JsonValue | undefined, path: string): JsonValue | undefined {
  let value = root;
  for (const [, name, index] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)) {
    value = name === undefined ? itemAt(value, Number(index)) : memberAt(value, name);
  }
  return value;
}

function itemAt(value: JsonValue | undefined, index: number): JsonValue | undefined {
  return isList(value) ? value[index] : undefined;
}

function memberAt(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || isList(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
