/** Members of an untrusted message, bounded: a message must not grow the state without bound. */

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** Trimmed and cut; empty for anything but a text. */
export function textOf(value: unknown, maxLength: number): string {
  return typeof value === "string" ? value.trim().slice(0, maxLength) : "";
}

/** Absent = 1. A change of meaning raises it, so what another one means is not known here. */
export function isKnownVersion({ v }: Readonly<Record<string, unknown>>): boolean {
  return v === undefined || v === null || v === 1;
}

/** Longest name of a person that is kept. */
export const MAX_ACTOR = 200;
