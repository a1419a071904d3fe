/** What people read of an endpoint in the Temporal UI: one line per step, and where it stands. */
import { durationText } from "../summaries.ts";
import { type EndpointControl, gateOf } from "./control.ts";
import { laneRateOf, type LaneRate } from "./lane-rate.ts";
import { type LedgerEntry, textOrNull } from "./ledger.ts";

const MAX_SUMMARY = 200;

/** What is done to the lane now, and why. */
export function applySummary(control: EndpointControl, atMs: number): string {
  return oneLine(`${control.endpoint}: ${laneText(laneRateOf(control, atMs))}; ${standing(control)}`);
}

function laneText(rate: LaneRate): string {
  if (rate === null) return "lane without a limit";
  return rate === 0 ? "hold the lane" : `lane at ${rate} a second`;
}

/** What its next timer waits for. */
export function timerSummary(control: EndpointControl, waitMs: number): string {
  return oneLine(`${control.endpoint}: in ${durationText(waitMs)} ${nextText(control)}`);
}

function nextText({ throttle, pause, trip, recovery }: EndpointControl): string {
  if (throttle !== null) return "the Retry-After is over";
  if (pause !== null) return "the pause is over, then a few attempts try the endpoint";
  if (trip !== null) return "a few attempts try the endpoint";
  if (recovery?.stage === "probing")
    return recovery.begun === 0 ? "look whether anything waits on the lane" : "look what the probes have met";
  return recovery === null ? "nobody watches it any more" : "the lane drains faster";
}

function standing(control: EndpointControl): string {
  const { pause, trip, throttle, recovery } = control;
  if (pause !== null) return `paused by ${pause.actor}: ${pause.reason}${untilText(pause.untilMs)}`;
  if (trip !== null) return `tripped, ${trip.why}${untilText(trip.untilMs)}`;
  if (throttle !== null) return `throttled by its Retry-After${untilText(throttle.untilMs)}`;
  if (recovery?.stage === "probing") {
    const { succeeded, begun, wanted } = recovery;
    return `probing, ${succeeded} of ${begun} attempts succeeded, ${wanted} wanted`;
  }
  return recovery === null ? "open" : "open, what waits drains at a rising rate";
}

function untilText(untilMs: number | null): string {
  const until = textOrNull(untilMs);
  return until === null ? "" : ` (until ${until})`;
}

/** The current details of the run, Markdown. */
export function controlDetails(control: EndpointControl): string {
  const head = `**${control.endpoint}** is ${gateOf(control)}: ${code(standing(control))}`;
  const how =
    gateOf(control) === "open"
      ? 'Signal `pause` with `{"actor":"you@example.com","reason":"…"}` to hold it.'
      : 'Signal `resume` with `{"actor":"you@example.com"}` to let a few attempts try it, then open it.';
  return [head, how, ...control.ledger.toReversed().map(ledgerLine)].join("\n\n");
}

function ledgerLine({ at, what, who, why, until }: LedgerEntry): string {
  const end = until === null ? "" : ` (until ${until})`;
  return `- ${at} **${what}** by ${code(who)}${why === "" ? "" : `: ${code(why)}`}${end}`;
}

/** What people and endpoints say stands as code, so that it never speaks as if it were ours. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll(/\s+/gu, " ")}\``;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= MAX_SUMMARY ? line : `${line.slice(0, MAX_SUMMARY - 1)}…`;
}
