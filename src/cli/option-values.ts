/** Numbers and lists as they stand on the command line. */
import { InvalidArgumentError } from "commander";

const MAX_PORT = 65_535;
const MAX_LIMIT = 1000;
const MAX_PAGE = 1000;

export function parsePort(text: string): number {
  return parseWhole(text, { min: 0, max: MAX_PORT });
}

export function parseLimit(text: string): number {
  return parseWhole(text, { min: 1, max: MAX_LIMIT });
}

export function parsePage(text: string): number {
  return parseWhole(text, { min: 1, max: MAX_PAGE });
}

function parseWhole(text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`);
}

/** `a,b`; may be given several times. */
export function parseNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return [...before, ...names];
  throw new InvalidArgumentError("It takes names separated by commas.");
}

/** Each time one value. */
export function collectValue(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
