/** Sizes as people write them: a whole number and a unit. */
import { accept } from "./accept.ts";

const UNITS_BYTES = { B: 1, KiB: 1024, MiB: 1024 * 1024 } as const;

/** Reads `'512B' '64KiB' '1MiB'` into bytes; null for anything else. */
export function parseSizeBytes(text: string): number | null {
  const match = /^(\d{1,9})(B|KiB|MiB)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] as keyof typeof UNITS_BYTES; // one of the units by the pattern
  return Number(match[1]) * UNITS_BYTES[unit];
}

/** A size with bounds, both inclusive. */
export function size(accepted: string, bounds: { readonly minBytes: number; readonly maxBytes: number }) {
  return accept(accepted, (value) => {
    const bytes = typeof value === "string" ? parseSizeBytes(value) : null;
    return bytes !== null && bytes >= bounds.minBytes && bytes <= bounds.maxBytes ? bytes : undefined;
  });
}
