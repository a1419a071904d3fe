/**
 * How this folder uses zod: the message of every issue is the text of what is accepted.
 *
 * `collectProblems` adds what was found, so that no schema has to know whether a value is a secret.
 */
import { z } from "zod";
import { foundProblem, formatPath, type Problem } from "./problem.ts";

/** Accepts what `parse` does not answer with undefined. */
export function accept<Output>(accepted: string, parse: (value: unknown) => Output | undefined) {
  return z.unknown().transform((value, context): Output => {
    const output = parse(value);
    if (output !== undefined) return output;
    context.issues.push({ code: "custom", message: accepted, input: value });
    return z.NEVER;
  });
}

/** An object with exactly these keys; each issue about a key lists the keys there are. */
export function strictShape<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape) {
  const keys = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? keys : `${what} with ${keys}`),
  });
}

/** A list of `item`; the length is counted in items. */
export function listOf<Item extends z.ZodType>(
  accepted: string,
  item: Item,
  bounds: { min: number; max?: number } = { min: 0 },
) {
  return z
    .array(item, { error: accepted })
    .min(bounds.min, { error: accepted })
    .max(bounds.max ?? Number.MAX_SAFE_INTEGER, { error: accepted });
}

/** An object from names to `value`. */
export function recordOf<Value extends z.ZodType>(accepted: string, value: Value) {
  return z.record(z.string(), value, { error: accepted });
}

/** A check of a record's keys, run once its values are right; a wrong key is reported like an unknown one. */
export function keysMatch(accepted: string, expression: RegExp) {
  return z.superRefine<Readonly<Record<string, unknown>>>(
    (value, context) => {
      for (const key of Object.keys(value).filter((name) => !expression.test(name))) {
        context.addIssue({ code: "unrecognized_keys", keys: [key], input: value, message: accepted });
      }
    },
    { when: hasNoIssues },
  );
}

/** For checks that make sense only of a value without other problems. */
export function hasNoIssues(payload: z.core.ParsePayload): boolean {
  return payload.issues.length === 0;
}

/**
 * Picks the schema by looking at the value, so that issues keep their full path.
 *
 * (A zod union reports only that no member matched.)
 */
export function choose<Output>(select: (value: unknown) => z.ZodType<Output>) {
  return z.unknown().transform((value, context): Output => {
    const result = select(value).safeParse(value);
    if (result.success) return result.data;
    // A finished issue is a raw one too: zod keeps its message and puts our path in front.
    context.issues.push(...(result.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Turns zod's issues into ours: path, what was found there, what is accepted. */
export function collectProblems(issues: readonly z.core.$ZodIssue[], root: unknown): readonly Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...issue.path, key], text: `unknown key; accepted: ${issue.message}` }));
    }
    return [foundProblem(issue.path, valueAt(root, issue.path), issue.message)];
  });
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null) throw new Error(`No value at ${formatPath(path)}`);
    value = Reflect.get(value, part);
  }
  return value;
}
