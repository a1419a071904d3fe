/** Reads what people say to an endpoint out of untrusted input. */
import { DAY_MS } from "../durations.ts";
import { EVENT_MEMBERS } from "../event-members.ts";
import { isKnownVersion, MAX_ACTOR, membersOf, textOf } from "../message-members.ts";
import type { PauseWord, ResumeWord } from "./control-facts.ts";

/** As it travels in a signal; everything but `actor` and `reason` may be left out. */
export interface PauseArgument {
  readonly v?: 1;
  readonly actor: string;
  readonly reason: string;
  /** RFC 3339. Beside `forMs`: when that ends by the clock of whoever says it, for a word that waits for a worker. */
  readonly until?: string;
  /** From its arrival on; without `until` beside it no clock but the server's counts. */
  readonly forMs?: number;
}

export interface ResumeArgument {
  readonly v?: 1;
  readonly actor: string;
  readonly reason?: string;
  /** Where the probe fails, the pause comes back. */
  readonly probe?: boolean;
  /** 0 = open after one successful burst. */
  readonly rampMs?: number;
}

const MAX_REASON = 500;
/** Beyond every sensible pause, and within what a timer of the server takes. */
const MAX_HOLD_MS = 10 * 365 * DAY_MS;
const MAX_RAMP_MS = 7 * DAY_MS;

/**
 * Never refused: whoever says "pause" and leaves out the rest means it. `earliestMs` is when it may have arrived at the
 * server at the earliest, milliseconds since the epoch.
 */
export function readPause(argument: unknown, earliestMs: number): PauseWord {
  const { actor, reason, until, forMs } = membersOf(argument);
  return {
    actor: textOf(actor, MAX_ACTOR) || "unknown",
    reason: textOf(reason, MAX_REASON) || "no reason given",
    forMs: readMs(forMs, MAX_HOLD_MS),
    untilMs: typeof until === "string" ? momentOf(until) : null,
    earliestMs,
  };
}

/** Null = nobody says so, or how is not understood: then nothing may be let through. */
export function readResume(argument: unknown): ResumeWord | null {
  const members = membersOf(argument);
  const { actor, reason, probe = false, rampMs = 0 } = members;
  const who = textOf(actor, MAX_ACTOR);
  const ramp = rampMs === 0 ? 0 : readMs(rampMs, MAX_RAMP_MS);
  if (who === "" || ramp === null || typeof probe !== "boolean" || !isKnownVersion(members)) return null;
  return { actor: who, reason: textOf(reason, MAX_REASON), strict: probe, rampMs: ramp };
}

function momentOf(text: string): number | null {
  const atMs = EVENT_MEMBERS.time.problem(text) === null ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

function readMs(value: unknown, maxMs: number): number | null {
  return typeof value === "number" && value >= 1 && value <= maxMs ? Math.ceil(value) : null;
}
