/** The whole of one event as a person reads it: what happened, what comes next, what to do. */
import type { EventReport } from "../client/get-event.ts";
import type { ReportedDelivery, Trouble } from "../client/pending-work.ts";
import { type Attention, type DeliveryStatus, isTerminal, type Resolution } from "../delivery/event-state.ts";
import { attemptLines } from "./attempt-lines.ts";
import { decideCommands } from "./decide-commands.ts";
import { decisionLines } from "./decision-lines.ts";
import { lookupLines } from "./lookup-lines.ts";
import { proposalLines } from "./proposal-lines.ts";
import { refusalSentence } from "./refusal-sentence.ts";
import { replacedLines } from "./replaced-lines.ts";
import { safeText, shellWord } from "./safe-text.ts";
import { colorState } from "./state-color.ts";
import type { Colors } from "./terminal.ts";
import { ageText, clockText, momentText, untilText } from "./time-text.ts";

export interface TimelineView {
  readonly nowMs: number;
  readonly colors: Colors;
  /** Where the run is in the Temporal UI; null when that is not known. */
  readonly uiUrl: string | null;
  /** Endpoints that only a worker of their own serves; absent = none. */
  readonly isolated?: readonly string[];
  /** Of the body of a proposal, from 1; absent = the first. */
  readonly page?: number;
  /** Names of the configuration's people; absent or empty = not known. */
  readonly people?: readonly string[];
  /** Temporal namespace; absent = `default`. */
  readonly namespace?: string;
}

export function timelineLines(event: EventReport, view: TimelineView): readonly string[] {
  const { bold, dim } = view.colors;
  const state = event.endedOutside === undefined ? event.state : ("terminated" as const);
  return [
    `${bold(safeText(event.key))}  ${safeText(event.type)}  ${colorState(view.colors, state)}`,
    dim(`accepted ${momentText(event.acceptedAt)} (${ageText(event.acceptedAt, view.nowMs)} ago)`),
    ...endedLines(event, view),
    ...(event.deliveries.length === 0 ? ["", unroutedLine(event)] : []),
    ...event.deliveries.flatMap((delivery) => ["", ...deliveryLines(event, delivery, view)]),
    ...conflictLines(event, view),
    ...(view.uiUrl === null ? [] : ["", dim(`Temporal UI: ${view.uiUrl}`)]),
  ];
}

function unroutedLine({ trouble }: EventReport): string {
  const why =
    trouble === undefined ? "waiting for a worker, start one with `countersign worker`" : troubleSentence(trouble);
  return `no route resolved yet: ${why}`;
}

function troubleSentence({ message, tries }: Trouble): string {
  return `worker has trouble: ${safeText(message)}, try ${tries}`;
}

function troubleLines({ trouble }: ReportedDelivery, { colors }: TimelineView): readonly string[] {
  return trouble === undefined ? [] : [`  ${colors.yellow(troubleSentence(trouble))}`];
}

function endedLines({ endedOutside }: EventReport, { nowMs, colors }: TimelineView): readonly string[] {
  if (endedOutside === undefined) return [];
  const when = `${momentText(endedOutside.at)} (${ageText(endedOutside.at, nowMs)} ago)`;
  return [colors.red(`ended from outside in Temporal ${when}: nothing more will happen to it`)];
}

function deliveryLines(event: EventReport, delivery: ReportedDelivery, view: TimelineView): readonly string[] {
  const { bold, dim } = view.colors;
  const { endpoint, attempts } = delivery;
  const entries = [
    ...attempts.map((attempt, index) => ({
      at: attempt.at,
      lines: attemptLines({ endpoint, attempt, previous: attempts[index - 1] }, view.colors),
    })),
    ...delivery.decisions.map((decision) => ({ at: decision.at, lines: decisionLines(decision, view.colors) })),
    ...(delivery.lookups ?? []).map((lookup) => ({ at: lookup.at, lines: lookupLines(lookup, view.colors) })),
    ...(delivery.earlierProposals ?? []).map((earlier) => ({
      at: earlier.replacedAt,
      lines: replacedLines(earlier, view.colors),
    })),
    ...delivery.resolutions.map((resolution) => ({
      at: resolution.at,
      lines: resolutionLines(resolution, view.colors),
    })),
  ].toSorted((left, right) => left.at.localeCompare(right.at));
  return [
    `${bold(endpoint)}  ${colorState(view.colors, delivery.state)}  ${dim(`key ${delivery.idempotencyKey}`)}`,
    ...entries.flatMap(({ lines }) =>
      lines.map((line, index) => (index === 0 ? `  ${line}` : `${" ".repeat(CONTINUED)}${line}`)),
    ),
    ...shownProposal(event, delivery, view),
    ...(event.endedOutside === undefined ? nextLines(event, delivery, view) : []),
  ];
}

/** What waits for a person, or what one has decided on. */
function shownProposal(event: EventReport, { proposal, state }: DeliveryStatus, view: TimelineView): readonly string[] {
  if (proposal === null) return [];
  const { nowMs, colors, page = 1, people = [] } = view;
  const outside = event.endedOutside === undefined ? null : ("terminated" as const);
  const ended = isTerminal(state) ? state : outside;
  const lines = proposalLines(proposal, { key: event.key, nowMs, colors, ended, page, people });
  return lines.map((line) => `  ${line}`);
}

/** Under the outcome: the clock, the number and the gaps between. */
const CONTINUED = "  10:00:00.000  #1  ".length;

function resolutionLines(resolution: Resolution, { bold, dim }: Colors): readonly string[] {
  const { action, actor, reason, counted, refusedBecause } = resolution;
  const head = `${clockText(resolution.at)}  ${bold(action)} by ${safeText(actor)}: ${safeText(reason)}`;
  return counted ? [head] : [head, dim(`did not count: ${refusalSentence(refusedBecause)}`)];
}

function nextLines(event: EventReport, delivery: ReportedDelivery, view: TimelineView): readonly string[] {
  return [...waitLines(event, delivery, view), ...pendingLines(delivery), ...holdLines(event, delivery, view)];
}

/** Whatever it waits for, it will not be sent before that. */
function holdLines(event: EventReport, { hold, endpoint }: ReportedDelivery, view: TimelineView): readonly string[] {
  if (hold === undefined) return [];
  const since = `since ${momentText(hold.since)} (${ageText(hold.since, view.nowMs)} ago)`;
  return [
    `  ${view.colors.yellow(`held by ${safeText(hold.actor)}`)} ${view.colors.dim(since)}: ${safeText(hold.reason)}`,
    `    countersign release ${targetWords(event, endpoint)} --reason "…"`,
  ];
}

/** The key, and the delivery where there are several. */
function targetWords({ key, deliveries }: EventReport, endpoint: string): string {
  return `${shellWord(key)}${deliveries.length > 1 ? ` --delivery ${endpoint}` : ""}`;
}

/** Words that were said while an attempt was under way, or that a worker has yet to judge. */
function pendingLines({ pending = [], state }: ReportedDelivery): readonly string[] {
  const what = state === "delivering" ? "the attempt in hand" : "a worker to judge it";
  return pending.map(({ action, actor }) => `  ${action} by ${safeText(actor)} waits for ${what}`);
}

/** What the delivery waits for, and what a person can do. */
function waitLines(event: EventReport, delivery: ReportedDelivery, view: TimelineView): readonly string[] {
  if (delivery.attention !== null) return attentionLines(event, delivery, view);
  if (delivery.state === "awaiting-approval")
    return [...approvalLines(event, delivery, view), ...troubleLines(delivery, view)];
  if (delivery.nextAt !== null) return [`  ${view.colors.yellow(nextAttempt(delivery, view.nowMs))}`];
  if (delivery.waitingFor === "gate") return [...gateLines(delivery, view), ...troubleLines(delivery, view)];
  if (delivery.state === "reconciling" && delivery.waitingFor === null) return [`  ${lookupWords(delivery)}`];
  if (delivery.trouble !== undefined) return troubleLines(delivery, view);
  if (delivery.waitingFor === "worker") {
    const only = view.isolated?.includes(delivery.endpoint) === true ? ` --only ${delivery.endpoint}` : "";
    return [`  waiting for a worker to take it up; none running? start one with \`countersign worker${only}\``];
  }
  return delivery.state === "delivering" ? [`  attempt ${delivery.attemptCount + 1} is under way`] : [];
}

/** The gate of its endpoint; a delivery that a person holds waits for that person, who has lines of their own. */
function gateLines({ endpoint, hold }: ReportedDelivery, { colors }: TimelineView): readonly string[] {
  if (hold !== undefined) return [];
  const held = colors.yellow(`waits until ${endpoint} is let go on`);
  return [`  ${held}; who holds it, why and until when: countersign endpoints ${endpoint}`];
}

function lookupWords({ attemptCount, trouble }: ReportedDelivery): string {
  const soFar = trouble === undefined ? "" : ` (${safeText(trouble.message)}; try ${trouble.tries})`;
  return `it is being looked up what became of attempt ${attemptCount}${soFar}`;
}

/** The decision is a person's: these are the words for it. */
function approvalLines(
  { key, deliveries }: EventReport,
  { endpoint, proposal }: DeliveryStatus,
  { colors, namespace = "default" }: TimelineView,
): readonly string[] {
  if (proposal === null) return [];
  const commands = decideCommands({ key, proposal, delivery: deliveries.length > 1 ? endpoint : null, namespace });
  return [
    `  ${colors.yellow("waits for approval")}; to decide, as a person of \`people\` (--as or COUNTERSIGN_ACTOR):`,
    ...commands.map((command) => `    ${command}`),
  ];
}

function nextAttempt({ nextAt, waitingFor, attemptCount }: DeliveryStatus, nowMs: number): string {
  const why = waitingFor === "retry-after" ? "as its Retry-After asks" : "by the retry policy";
  const at = nextAt ?? "";
  return `attempt ${attemptCount + 1} at ${momentText(at)} (${untilText(at, nowMs)}), ${why}`;
}

function attentionLines(
  event: EventReport,
  { attention, endpoint, attemptCount }: DeliveryStatus,
  view: TimelineView,
): readonly string[] {
  if (attention === null) return [];
  const target = targetWords(event, endpoint);
  return [
    `  ${view.colors.red(`needs attention: ${attention.reason}`)} ${view.colors.dim(`since ${momentText(attention.since)} (${ageText(attention.since, view.nowMs)} ago)`)}`,
    `  ${safeText(attention.advice)}`,
    ...attentionVerbs(attention, attemptCount).map(
      ([verb, options]) => `    countersign ${verb} ${target}${options} --reason "…"`,
    ),
  ];
}

/** Where nothing was sent there is nothing to mark, and all of it can still be changed. */
function attentionVerbs(
  { reason }: Attention,
  attemptCount: number,
): readonly (readonly [verb: string, options: string])[] {
  const second =
    reason === "approval-expired" && attemptCount === 0
      ? (["amend", " --data FILE"] as const)
      : (["mark-delivered", ""] as const);
  return [["replay", ""], second, ["discard", ""]];
}

function conflictLines({ conflicts, conflictsUnknown }: EventReport, { colors }: TimelineView): readonly string[] {
  if (conflictsUnknown === true) return ["", colors.dim("conflicts are not known: the server did not list them")];
  if (conflicts.length === 0) return [];
  const lines = conflicts.map(
    ({ at, via, fingerprint }) =>
      `  ${safeText(momentText(at))}  other content by ${safeText(via)}, refused: ${safeText(fingerprint.slice(0, 23))}…`,
  );
  return ["", "conflicts", ...lines];
}
