/** A point in time as people write it into a configuration. */
import { EVENT_MEMBERS } from "../delivery/event-members.ts";

/**
 * Milliseconds since 1970 of an RFC 3339 time, by the rule for times of events; null for anything else.
 *
 * A leap second passes that rule, but `Date` does not know it: null.
 */
export function parseMomentMs(text: string): number | null {
  const ms = EVENT_MEMBERS.time.problem(text) === null ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
