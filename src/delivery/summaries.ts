/** The one-line words a person reads in the Temporal UI: summaries of activities and timers. */
import type { ProposalDraft } from "./approval.ts";
import { asksForSignatures } from "./ballots.ts";
import type { Way } from "./attempt.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import type { RetryWait } from "./progress.ts";

/** Temporal shows one line; the server takes at most 400 bytes. */
const MAX_SUMMARY = 200;
/** ASCII throughout: names of endpoints and digests. */
const MAX_EXPIRY_SUMMARY = 400;

export function attemptSummary(facts: {
  readonly endpoint: string;
  readonly number: number;
  readonly via: Way;
}): string {
  const place = facts.via === "lane" ? " (by its lane)" : "";
  return oneLine(`attempt ${facts.number} to ${facts.endpoint}${place}`);
}

export function lookupSummary(endpoint: string, number: number): string {
  return oneLine(`${endpoint}: look up what became of attempt ${number}`);
}

export function waitSummary(endpoint: string, nextNumber: number, wait: Pick<RetryWait, "delayMs" | "why">): string {
  const why = wait.why === "retry-after" ? "as its Retry-After asks" : "by the retry policy";
  return oneLine(`${endpoint}: wait ${durationText(wait.delayMs)} ${why}, then attempt ${nextNumber}`);
}

/** `1 h 5 min`, `2.3 s`: two units at most, rounded up so that a wait never reads shorter than it is. */
export function durationText(durationMs: number): string {
  if (durationMs < MINUTE_MS) return `${Math.ceil(durationMs / 100) / 10} s`;
  if (durationMs < HOUR_MS) return twoUnits(durationMs, [MINUTE_MS, "min"], [SECOND_MS, "s"]);
  return twoUnits(durationMs, [HOUR_MS, "h"], [MINUTE_MS, "min"]);
}

type Unit = readonly [sizeMs: number, name: string];

function twoUnits(durationMs: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const total = Math.ceil(durationMs / smallMs) * smallMs;
  const rest = Math.round((total % largeMs) / smallMs);
  const whole = Math.floor(total / largeMs);
  return rest === 0 ? `${whole} ${large}` : `${whole} ${large} ${rest} ${small}`;
}

/** Digest first: the server cuts nothing off, but a person's eye does. */
export function expirySummary(endpoint: string, { digest, revision, terms }: ProposalDraft): string {
  const signed = asksForSignatures(terms.rules);
  const how = signed
    ? `it must be signed: countersign approve --digest ${digest}`
    : `signal approve with {"actor":"you@example.com","digest":"${digest}"}, or reject with a "note" besides`;
  return oneLine(`${endpoint}: waits for approval, revision ${revision}; ${how}`, MAX_EXPIRY_SUMMARY);
}

export function reminderSummary(endpoint: string, count: number): string {
  return oneLine(`${endpoint}: reminder ${count}, if nobody has decided by then`);
}

function oneLine(text: string, maxLength = MAX_SUMMARY): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
