/** The reason that stands with a lane's limit on the server: for people, and for whoever finds a hold without an owner. */
import { EVENT_MEMBERS } from "../event-members.ts";
import type { LaneRate } from "./lane-rate.ts";

const MAX_REASON = 200;
const THROTTLED = "throttled until ";

/** Said by a process that closes the lane by itself, before the endpoint's workflow knows. */
export function throttleReason(untilMs: number): string {
  return `${THROTTLED}${new Date(untilMs).toISOString()} by the endpoint's Retry-After`;
}

/** Half a character (a surrogate alone) would make the server refuse the whole call. */
export function oneLineReason(text: string): string {
  return text
    .replaceAll(/\s+/gu, " ")
    .slice(0, MAX_REASON)
    .replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}

/** Until when a lane is held by a process that throttled it; null = somebody else holds it. */
export function throttledUntilMs(reason: string): number | null {
  if (!reason.startsWith(THROTTLED)) return null;
  const [until = ""] = reason.slice(THROTTLED.length).split(" ");
  return EVENT_MEMBERS.time.problem(until) === null ? Date.parse(until) : null;
}

/**
 * Whether a process that was asked to wait until `untilMs` puts its own hold on the lane; null = it could not be read.
 *
 * What stands there already holds as well, and its reason says whose hold it is: a pause must be found as one.
 */
export function takesLane(
  lane: { readonly ratePerSecond: LaneRate; readonly reason: string } | null,
  untilMs: number,
): boolean {
  if (lane === null || lane.ratePerSecond !== 0) return true;
  const standingMs = throttledUntilMs(lane.reason);
  return standingMs !== null && standingMs < untilMs;
}
