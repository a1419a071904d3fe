/** Durations as people write them: a whole number and a unit. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { accept } from "./accept.ts";

const UNITS_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;
/** Ten years: keeps every sum of waits a valid date. */
const MAX_DURATION_MS = 3650 * DAY_MS;

/** Reads `'500ms' '5s' '3m' '2h' '7d'` into milliseconds; null for anything else and beyond ten years. */
export function parseDurationMs(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] as keyof typeof UNITS_MS; // one of the units by the pattern
  const durationMs = Number(match[1]) * UNITS_MS[unit];
  return durationMs <= MAX_DURATION_MS ? durationMs : null;
}

/** A duration with bounds, both inclusive. */
export function duration(accepted: string, bounds: { readonly minMs: number; readonly maxMs?: number }) {
  const maxMs = bounds.maxMs ?? MAX_DURATION_MS;
  return accept(accepted, (value) => {
    const durationMs = typeof value === "string" ? parseDurationMs(value) : null;
    return durationMs !== null && durationMs >= bounds.minMs && durationMs <= maxMs ? durationMs : undefined;
  });
}
