/** What outages of Temporal show about the HTTP server, from the tries of its producers and the size of its process. */
import { DEFAULT_LIMITS, type ServerLimits } from "../../src/server/limits.ts";
import type { Exit } from "../support/child.ts";
import type { Size } from "../support/http-server-process.ts";
import type { Sent, Try } from "../support/http-producers.ts";
import { type Finding, same } from "./finding.ts";

const QUIET = "while Temporal is away nothing is answered 2xx";
const IN_TIME = "what is not answered 2xx is answered 503 with Retry-After, in bounded time";
const BOUNDED = "no more than 256 events wait for Temporal at once, and who finds no place is told so long before";
const FLAT = "the server's memory stays flat while a crowd sends again and again";
const BACK = "once Temporal is back events are accepted again, by the same server process";

export const OUTAGE_CLAIMS = [QUIET, IN_TIME, BOUNDED, FLAT, BACK] as const;

export interface Outage {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the server's process, from time to time during the outage. */
  readonly sizes: readonly Size[];
  /** Empty when it was met by none. */
  readonly crowd: readonly Sent[];
}

/** A request that came just before Temporal left may still be answered, however late: only later ones tell. */
const SLACK_MS = 500;
/** What a very busy machine may add to an answer; the figures of a proof tell what a quiet one does. */
const BUSY_MS = 30_000;
/** Reconnecting is tried every two seconds, and a start of Temporal is part of it. */
const BACK_WITHIN_MS = 30_000;
const MIB = 1024 ** 2;
/** For connections, and for 256 events of 16 KiB in the forms they take on their way. */
const CROWD_BYTES = 96 * MIB;
/** What a crowd sends within 20 s and is turned away with is more than twice as much. */
const AGAIN_BYTES = 16 * MIB;

const LIMITS: Pick<ServerLimits, "acceptTimeMs" | "maxInFlight"> = DEFAULT_LIMITS;

/** `sent` is all there was, the crowds included. */
export function judgeOutage(outage: Outage, sent: readonly Sent[]): readonly Finding[] {
  const { name, fromMs, toMs, crowd } = outage;
  const during = sent
    .flatMap(({ tries }) => tries)
    .filter((one) => isAccepted(one) && one.startedMs > fromMs + SLACK_MS && one.endedMs < toMs).length;
  const backMs = Math.min(...sent.flatMap(({ safeAtMs }) => (safeAtMs >= toMs ? [safeAtMs] : []))) - toMs;
  return [
    same({ claim: QUIET, subject: name }, during, 0),
    ...inTime(outage, sent),
    ...(crowd.length === 0 ? [] : [bounded(outage, sent)]),
    {
      claim: BACK,
      subject: name,
      holds: backMs < BACK_WITHIN_MS,
      seen: `accepted again after ${backMs / 1000} s`,
      measuredS: backMs / 1000,
    },
  ];
}

/** Nothing to judge where an outage was too short for any refusal. */
function inTime(outage: Outage, sent: readonly Sent[]): readonly Finding[] {
  const refused = refusedDuring(outage, sent);
  if (refused.length === 0) return [];
  const wrong = refused.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) >= 1));
  const { usualMs, longestMs } = timesOf(refused.filter(({ code }) => code !== "overloaded"));
  const holds = wrong.length === 0 && longestMs <= LIMITS.acceptTimeMs + BUSY_MS;
  const seen = `${refused.length} refusals, ${wrong.length} wrong ones; those that waited took ${usualMs} ms, ${longestMs} at most`;
  return [{ claim: IN_TIME, subject: outage.name, holds, seen, measuredS: longestMs / 1000 }];
}

/** The crowd came all at once, so its first tries tell how many places there are. */
function bounded(outage: Outage, sent: readonly Sent[]): Finding {
  const first = outage.crowd.flatMap(({ tries }) => tries.slice(0, 1));
  const waited = first.filter(({ code }) => code === "temporal_unreachable");
  const turnedAway = refusedDuring(outage, sent).filter(({ code }) => code === "overloaded");
  const [waitedMs, turnedAwayMs] = [waited, turnedAway].map((tries) => timesOf(tries).usualMs);
  const holds = waited.length <= LIMITS.maxInFlight && Number(turnedAwayMs) < Number(waitedMs) / 2;
  const seen = `${waited.length} of the crowd waited for ${waitedMs} ms; ${turnedAway.length} times somebody was turned away after ${turnedAwayMs} ms`;
  return { claim: BOUNDED, subject: outage.name, holds: holds && turnedAway.length > 0, seen };
}

function refusedDuring({ fromMs, toMs }: Outage, sent: readonly Sent[]): readonly Try[] {
  const tries = sent.flatMap((one) => one.tries);
  return tries.filter((one) => !isAccepted(one) && one.startedMs >= fromMs && one.startedMs <= toMs);
}

function isAccepted({ status }: Try): boolean {
  return status === 200 || status === 202;
}

function timesOf(tries: readonly Try[]): { readonly usualMs: number; readonly longestMs: number } {
  const times = tries.map(({ startedMs, endedMs }) => endedMs - startedMs).toSorted((left, right) => left - right);
  return { usualMs: times[Math.floor(times.length / 2)] ?? 0, longestMs: times.at(-1) ?? 0 };
}

/** By the time of the first crowd the server has met a hundred events and more. */
export function judgeMemory(outages: readonly Outage[]): readonly Finding[] {
  const sizes = outages.filter(({ crowd }) => crowd.length === 0).flatMap((outage) => outage.sizes);
  const [first, ...later] = outages.filter(({ crowd }) => crowd.length > 0);
  if (first === undefined) return [];
  return [
    grown("the first crowd", { before: sizes, after: first.sizes, byAtMost: CROWD_BYTES }),
    ...later.map((outage) =>
      grown("another crowd", { before: first.sizes, after: outage.sizes, byAtMost: AGAIN_BYTES }),
    ),
  ];
}

interface Growth {
  readonly before: readonly Size[];
  readonly after: readonly Size[];
  readonly byAtMost: number;
}

function grown(subject: string, { before, after, byAtMost }: Growth): Finding {
  const [least, most] = [before, after].map((sizes) => Math.max(...sizes.map(({ heldBytes }) => heldBytes)));
  const rss = Math.max(...after.map(({ rssBytes }) => rssBytes));
  const holds = Number(most) - Number(least) <= byAtMost;
  const seen = `${megabytes(least)} MB held before it, ${megabytes(most)} MB with it; resident ${megabytes(rss)} MB`;
  return { claim: FLAT, subject, holds, seen };
}

function megabytes(bytes: number | undefined): string {
  return (Number(bytes) / MIB).toFixed(0);
}

/** Whoever leaves in good order at the end has been there all the time. */
export function judgeLeaving(exit: Exit): Finding {
  return same({ claim: BACK, subject: "the server's process" }, exit, { code: 0, signal: null });
}
