/** The declarative form of `when`, evaluated over an event. */
import type { JsonValue } from "../delivery/event.ts";
import type { WhenOperators } from "./config.ts";

/** Every operator of every path must hold; a condition without any path holds. */
export function evaluateWhen(when: Readonly<Record<string, WhenOperators>>, event: unknown): boolean {
  return Object.entries(when).every(([path, operators]) => holdsAll(operators, memberAt(event, path)));
}

/** Own members only, and list items only by index; undefined = there is none. */
function memberAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** For a missing member only `exists: false` and `ne` hold. */
function holdsAll(operators: WhenOperators, value: unknown): boolean {
  if (operators.exists !== undefined && operators.exists !== (value !== undefined)) return false;
  if (operators.ne !== undefined && isEqual(value, operators.ne)) return false;
  if (operators.eq !== undefined && !isEqual(value, operators.eq)) return false;
  if (operators.in !== undefined && !operators.in.some((candidate) => isEqual(value, candidate))) return false;
  return (
    compares(value, operators.gt, (order) => order > 0) &&
    compares(value, operators.gte, (order) => order >= 0) &&
    compares(value, operators.lt, (order) => order < 0) &&
    compares(value, operators.lte, (order) => order <= 0)
  );
}

/** Numbers compare with numbers and texts with texts (by UTF-16 units); anything else does not compare and fails. */
function compares(value: unknown, bound: JsonValue | undefined, holds: (order: number) => boolean): boolean {
  if (bound === undefined) return true;
  if (typeof value === "number" && typeof bound === "number") return holds(Math.sign(value - bound));
  if (typeof value === "string" && typeof bound === "string") return holds(value < bound ? -1 : value > bound ? 1 : 0);
  return false;
}

/** Equality of JSON values: the order of members does not count, no value equals one of another kind. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every(
    (name) => Object.hasOwn(right, name) && isEqual(Reflect.get(left, name), Reflect.get(right, name)),
  );
}
