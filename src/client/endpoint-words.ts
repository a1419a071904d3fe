/** What people say to an endpoint, checked and in the form in which it travels. */
import { parseDurationMs } from "../config/duration.ts";
import { parseMomentMs } from "../config/moment.ts";
import { DAY_MS } from "../delivery/durations.ts";
import type { PauseArgument, ResumeArgument } from "../delivery/gates/read-words.ts";
import { timeText } from "../delivery/gates/ledger.ts";
import { CountersignError } from "../errors.ts";
import type { Session } from "./session.ts";

/** Who stops an endpoint, why and for how long. At most one of `for` and `until`; neither = until somebody resumes. */
export interface PauseOrder {
  /** 1 to 200 characters. */
  readonly actor: string;
  /** 1 to 500 characters. */
  readonly reason: string;
  /** A duration, such as `'2h'`. */
  readonly for?: string;
  /** RFC 3339, in the future. */
  readonly until?: string;
}

/** A resume always begins with a burst of probes. */
export interface ResumeOrder {
  readonly actor: string;
  /** Absent = none given. */
  readonly reason?: string;
  /** True = where the probe fails, the endpoint is paused again as before; absent = the circuit then decides. */
  readonly probe?: boolean;
  /** How long the drain takes to reach full speed, such as `'10m'`; absent = open after one successful burst. */
  readonly ramp?: string;
}

const MAX_ACTOR = 200;
const MAX_REASON = 500;
const MAX_HOLD_MS = 10 * 365 * DAY_MS;
const MAX_RAMP_MS = 7 * DAY_MS;

/** Throws `bad_argument`. */
export function pauseArgument(order: PauseOrder): PauseArgument {
  const { actor, reason, for: duration, until } = order;
  requireText("actor", actor, MAX_ACTOR);
  requireText("reason", reason, MAX_REASON);
  if (duration !== undefined && until !== undefined) throw bad("A pause takes `for` or `until`, not both");
  const word = { v: 1, actor, reason } as const;
  if (duration !== undefined) return { ...word, forMs: durationMs(duration, { name: "for", maxMs: MAX_HOLD_MS }) };
  return until === undefined ? word : { ...word, until: futureMoment(until) };
}

/** Throws `bad_argument`. */
export function resumeArgument({ actor, reason = "", probe = false, ramp }: ResumeOrder): ResumeArgument {
  requireText("actor", actor, MAX_ACTOR);
  if (reason.length > MAX_REASON)
    throw bad(`The reason has ${reason.length} characters; accepted: at most ${MAX_REASON}`);
  const rampMs = ramp === undefined ? 0 : durationMs(ramp, { name: "ramp", maxMs: MAX_RAMP_MS });
  return { v: 1, actor, reason, probe, rampMs };
}

/** When the pause ends by the caller's own clock, for those that read it before a worker has taken it in. */
export function untilOf({ until, forMs }: PauseArgument): string | null {
  return until ?? (forMs === undefined ? null : timeText(Date.now() + forMs));
}

/** Throws `unknown_endpoint`. */
export function requireEndpoint({ config }: Pick<Session, "config">, endpoint: string): void {
  if (Object.hasOwn(config.endpoints, endpoint)) return;
  const known = Object.keys(config.endpoints).join(", ") || "none";
  throw new CountersignError(
    "unknown_endpoint",
    `There is no endpoint ${JSON.stringify(endpoint)}; the configured ones are: ${known}`,
  );
}

function requireText(name: string, text: unknown, max: number): void {
  if (typeof text === "string" && text.trim() !== "" && text.length <= max) return;
  throw bad(`The ${name} must be a text of 1 to ${max} characters`);
}

function durationMs(text: string, { name, maxMs }: { readonly name: string; readonly maxMs: number }): number {
  const ms = parseDurationMs(text);
  if (ms !== null && ms >= 1 && ms <= maxMs) return ms;
  throw bad(
    `\`${name}\` is ${JSON.stringify(text)}; accepted: a duration such as '30s', '10m', '2h', more than 0 and at most ${maxMs / DAY_MS} days`,
  );
}

function futureMoment(text: string): string {
  const [ms, nowMs] = [parseMomentMs(text), Date.now()];
  if (ms !== null && ms > nowMs && ms <= nowMs + MAX_HOLD_MS) return timeText(ms);
  const example = `${new Date(nowMs).getUTCFullYear() + 1}-11-30T08:00:00Z`;
  throw bad(
    `\`until\` is ${JSON.stringify(text)}, ${momentProblem(text, nowMs)}; accepted: a time within the next ten years such as '${example}'`,
  );
}

/** Of a time that is not within the span; completes "It is …". */
function momentProblem(text: string, nowMs: number): string {
  const ms = parseMomentMs(text);
  if (ms !== null) return ms <= nowMs ? "which is in the past" : "which is more than ten years ahead";
  const lacksZone = parseMomentMs(`${text}Z`) !== null;
  return lacksZone ? "which needs a time zone: `Z` or an offset such as `+01:00`" : "which is no RFC 3339 time";
}

function bad(message: string): CountersignError {
  return new CountersignError("bad_argument", message);
}
