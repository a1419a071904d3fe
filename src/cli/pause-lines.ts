/** What became of a pause, in words: where it holds, and what is still on its way. */
import type { PauseReport } from "../client/endpoint-control.ts";
import { counted } from "../delivery/counted.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { momentText, untilText } from "./time-text.ts";

export function pauseLines(report: PauseReport, nowMs: number, { bold, dim, yellow }: Colors): readonly string[] {
  const { endpoint, until } = report;
  const end = until === null ? "until somebody resumes it" : `until ${momentText(until)} (${untilText(until, nowMs)})`;
  return [
    `${bold(endpoint)} is paused ${end}: ${standing(report)}. Events are still accepted, and wait.`,
    ...inFlightLines(report),
    ...replacedLines(report).map(yellow),
    ...(report.heldOnServer ? [] : [yellow(REFUSED)]),
    dim(`Let it go on: countersign resume ${endpoint}`),
  ];
}

const REFUSED =
  "This Temporal server refuses rates on task queues, so the workers hold it; `countersign doctor` says what to do.";

function standing({ workers, confirmed, heldOnServer }: PauseReport): string {
  const where = heldOnServer ? "the Temporal server holds its lane" : "workers that start will hold it";
  if (workers === 0) return `no worker runs; ${where}, and the first worker that starts puts it on record`;
  if (!confirmed) return heldOnServer ? where : "it stands in the registry that workers read";
  return "it holds everywhere, no attempt begins any more";
}

function inFlightLines({ workers, inFlight }: PauseReport): readonly string[] {
  if (inFlight > 0)
    return [`${counted(inFlight, "attempt")} had begun before and may still be on the way (approximate).`];
  return workers === 0 ? [] : ["Nothing is in flight, as far as workers have told."];
}

function replacedLines({ until, replaces }: PauseReport): readonly string[] {
  if (replaces === null) return [];
  const { who, why, until: other } = replaces;
  const end = other === null ? "until somebody resumes it" : `until ${momentText(other)}`;
  const isShorter = until !== null && (other === null || Date.parse(other) > Date.parse(until));
  const shorter = isShorter ? " The new one ends earlier." : "";
  return [`This pause replaces the one by ${safeText(who)} ${end} (${safeText(why)}).${shorter}`];
}

/** Nobody says that it does not hold: it is not known to hold. */
export function unconfirmedWarning({ endpoint, workers }: PauseReport): string {
  const seen = `${counted(workers, "worker")} ${workers === 1 ? "was" : "were"} seen within the last 75 s`;
  return `Not confirmed: ${seen}, and none has taken it in within 3 s. One that has just stopped is still seen; look again: countersign endpoints ${endpoint}`;
}
