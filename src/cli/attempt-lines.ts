/** One attempt as lines of a timeline: when, how long after the one before, what happened, what is certain. */
import { certaintyOf, phraseOf, printable } from "../delivery/attempt-phrases.ts";
import { howFarItGot } from "../delivery/uncertain-words.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { Colors } from "./terminal.ts";
import { clockText, longText, tookText } from "./time-text.ts";

export interface AttemptView {
  readonly endpoint: string;
  readonly attempt: AttemptRecord;
  /** The attempt before it; absent = the first. */
  readonly previous?: AttemptRecord | undefined;
}

/** The head line, and one for each fact worth one. */
export function attemptLines({ endpoint, attempt, previous }: AttemptView, colors: Colors): readonly string[] {
  const waited = previous === undefined ? [] : [`after ${longText(gapMs(previous, attempt))}`];
  const times = [...waited, `took ${tookText(attempt.durationMs)}`].join(", ");
  const head = `${clockText(attempt.at)}  #${attempt.number}  ${colorOutcome(attempt, colors)}  ${attemptSentence(endpoint, attempt)}`;
  return [`${head}  ${colors.dim(`(${times})`)}`, ...facts(attempt).map((fact) => colors.dim(fact))];
}

/** `crm answered 503`, with the certainty when the answer does not say it all. */
function attemptSentence(endpoint: string, attempt: AttemptRecord): string {
  const certainty = certaintyOf(attempt);
  const code = attempt.code.startsWith("http_") ? "" : ` [${attempt.code}]`;
  return `${endpoint} ${phraseOf(attempt)}${code}${certainty === null ? "" : `; ${certainty}`}`;
}

function gapMs(previous: AttemptRecord, attempt: AttemptRecord): number {
  return Math.max(0, Date.parse(attempt.at) - Date.parse(previous.at) - previous.durationMs);
}

/** `Retry-After` says where a wait comes from; the rest is what the endpoint handed over. */
function facts(attempt: AttemptRecord): readonly string[] {
  const { retryAfterMs, retryAfterRaw, location, reference, heldMs, via, configVersion } = attempt;
  const howFar = howFarItGot(attempt);
  const raw = retryAfterRaw === undefined ? null : `Retry-After: ${printable(retryAfterRaw)}`;
  return [
    ...(howFar === null ? [] : [howFar]),
    ...(configVersion === undefined
      ? []
      : [`by a changed configuration of the endpoint (${printable(configVersion.slice(0, SHOWN_VERSION))}…)`]),
    ...(retryAfterMs === undefined
      ? []
      : [`asked to wait ${longText(retryAfterMs)}${raw === null ? "" : ` (${raw})`}`]),
    ...(retryAfterMs === undefined && raw !== null ? [`${raw} (cannot be used)`] : []),
    ...(location === undefined ? [] : [`pointed to ${printable(location)}`]),
    ...(reference === undefined ? [] : [`reference ${printable(reference)}`]),
    ...(via === "lane" && heldMs !== undefined ? [`waited ${longText(heldMs)} in its lane`] : []),
  ];
}

const SHOWN_VERSION = "sha256:".length + 12;

const OUTCOME_WIDTH = "uncertain".length;

function colorOutcome({ outcome }: AttemptRecord, colors: Colors): string {
  const shown = outcome.padEnd(OUTCOME_WIDTH);
  switch (outcome) {
    case "delivered":
      return colors.green(shown);
    case "retry":
    case "uncertain":
      return colors.yellow(shown);
    case "refused":
      return colors.red(shown);
    case "canceled":
      return colors.dim(shown);
  }
}
