/** The plain values most keys take. */
import type { JsonValue } from "../delivery/event.ts";
import { jsonProblem } from "../delivery/json-value.ts";
import { accept } from "./accept.ts";

/** A non-empty string without control characters. */
export function text(accepted: string, maxCharacters = 1000) {
  return accept(accepted, (value) => {
    if (typeof value !== "string" || value.length === 0 || value.length > maxCharacters) return undefined;
    return /\p{Cc}/u.test(value) ? undefined : value;
  });
}

export function pattern(accepted: string, expression: RegExp) {
  return accept(accepted, (value) => (typeof value === "string" && expression.test(value) ? value : undefined));
}

export const flag = accept("true or false", (value) => (typeof value === "boolean" ? value : undefined));

/** A whole number, bounds inclusive. */
export function whole(min: number, max: number) {
  return accept(`a whole number from ${min} to ${max}`, (value) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) return undefined;
    return value >= min && value <= max ? value : undefined;
  });
}

/** One of a few literal strings. */
export function oneOf<const Value extends string>(values: readonly Value[]) {
  return accept(values.map((value) => `'${value}'`).join(", "), (value) =>
    values.find((candidate) => candidate === value),
  );
}

/** A number, bounds inclusive. */
export function number(accepted: string, bounds: { readonly min: number; readonly max: number }) {
  return accept(accepted, (value) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    return value >= bounds.min && value <= bounds.max ? value : undefined;
  });
}

/** Any JSON value, copied, so that nobody holds a part of a frozen configuration. */
export const jsonValue = accept(
  "a JSON value",
  (value) => (value !== undefined && jsonProblem(value) === null ? (structuredClone(value) as JsonValue) : undefined), // JSON by the line before
);
