/** Tells whether a value in memory is JSON, so that writing it as text loses nothing. */

/** `JSON.stringify` recurses: on Node 20 it ends between 2,000 and 5,000 levels (measured). */
export const MAX_DEPTH = 1000;
/** More values than 1 MiB of JSON text can hold; also ends the walk over objects that share parts. */
const MAX_VALUES = 1024 * 1024;

interface Node {
  readonly value: unknown;
  readonly parent: Node | null;
  /** Member name or index in the parent. */
  readonly step: string;
  readonly depth: number;
}

/**
 * What is wrong with the value, worded to follow its name; null when it is JSON.
 *
 * JSON is null, booleans, finite numbers, strings, arrays and plain objects of
 * those. A member whose value is undefined counts as absent. Dates, Maps,
 * BigInts, NaN and the like are refused rather than turned into something else.
 */
export function jsonProblem(value: unknown): string | null {
  const waiting: Node[] = [{ value, parent: null, step: "", depth: 1 }];
  let count = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const found = foreignKind(node.value);
    if (found !== null) return node.parent === null ? `is ${found}` : `holds ${found} at ${pathOf(node)}`;
    if (node.depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    count += 1;
    if (count > MAX_VALUES) return `is made of more than ${MAX_VALUES} values`;
    pushParts(waiting, node);
  }
  return null;
}

function pushParts(waiting: Node[], parent: Node): void {
  const { value } = parent;
  if (typeof value !== "object" || value === null) return;
  const depth = parent.depth + 1;
  if (Array.isArray(value)) {
    // Not forEach: it would step over holes.
    for (const [index, item] of value.entries()) waiting.push({ value: item, parent, step: String(index), depth });
    return;
  }
  for (const [step, item] of Object.entries(value)) {
    if (item !== undefined) waiting.push({ value: item, parent, step, depth });
  }
}

/** What the value is, if it has no place in JSON; null when it has. */
function foreignKind(value: unknown): string | null {
  switch (typeof value) {
    case "string":
    case "boolean":
      return null;
    case "number":
      return Number.isFinite(value) ? null : String(value);
    case "object":
      return value === null || Array.isArray(value) || isPlain(value) ? null : `an object of class ${className(value)}`;
    case "undefined":
      return "undefined";
    case "bigint":
    case "symbol":
    case "function":
      return `a ${typeof value}`;
  }
}

/** Compares no prototype by identity: the value may come from another realm, such as a workflow sandbox. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  return typeof value.constructor === "function" ? value.constructor.name : "unknown";
}

function pathOf(node: Node): string {
  const steps: string[] = [];
  for (let at = node; at.parent !== null; at = at.parent) steps.unshift(at.step);
  return steps.join(".").slice(0, 200);
}
