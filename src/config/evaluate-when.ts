/** The declarative form of `when`, evaluated over an event. */
import { contentTypeOf, isJsonContentType } from "../delivery/content-type.ts";
import { isEqualJson } from "../delivery/equal-json.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import type { WhenOperators } from "./config.ts";

type Condition = Readonly<Record<string, WhenOperators>>;

/** Every operator of every path must hold; a condition without any path holds. */
export function evaluateWhen(when: Condition, event: unknown): boolean {
  return Object.entries(when).every(([path, operators]) =>
    holdsAll(operators, { value: memberAt(event, path), incomparable: "fails" }),
  );
}

/**
 * Like `evaluateWhen`, but false only when the event says so.
 *
 * An amount of `"900"` cannot be compared with 500, and a body that is not JSON
 * does not show its members: where a person's approval hangs on it, neither may
 * pass for a small amount.
 */
export function mayHold(when: Condition, event: BusinessEvent): boolean {
  return Object.entries(when).every(
    ([path, operators]) =>
      isHidden(path, event) || holdsAll(operators, { value: memberAt(event, path), incomparable: "holds" }),
  );
}

/** Bytes show nothing, and a text that is not JSON no members. */
function isHidden(path: string, event: BusinessEvent): boolean {
  if (event.data_base64 !== undefined) return path === "data" || path.startsWith("data.");
  return path.startsWith("data.") && typeof event.data === "string" && !isJsonContentType(contentTypeOf(event));
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

interface Compared {
  readonly value: unknown;
  /** What a comparison with a value of another kind does; a missing or null one always fails it. */
  readonly incomparable: "fails" | "holds";
}

/** For a missing member only `exists: false` and `ne` hold. */
function holdsAll(operators: WhenOperators, compared: Compared): boolean {
  const { value } = compared;
  if (operators.exists !== undefined && operators.exists !== (value !== undefined)) return false;
  if (operators.ne !== undefined && isEqualJson(value, operators.ne)) return false;
  if (operators.eq !== undefined && !isEqualJson(value, operators.eq)) return false;
  if (operators.in !== undefined && !operators.in.some((candidate) => isEqualJson(value, candidate))) return false;
  return (
    compares(compared, operators.gt, (order) => order > 0) &&
    compares(compared, operators.gte, (order) => order >= 0) &&
    compares(compared, operators.lt, (order) => order < 0) &&
    compares(compared, operators.lte, (order) => order <= 0)
  );
}

/** Numbers compare with numbers and texts with texts (by UTF-16 units). */
function compares(
  { value, incomparable }: Compared,
  bound: JsonValue | undefined,
  holds: (order: number) => boolean,
): boolean {
  if (bound === undefined) return true;
  if (typeof value === "number" && typeof bound === "number") return holds(Math.sign(value - bound));
  if (typeof value === "string" && typeof bound === "string") return holds(value < bound ? -1 : value > bound ? 1 : 0);
  return incomparable === "holds" && value !== undefined && value !== null;
}
