/** A bulk replay in words. */
import type { BulkReplayStatus } from "../client/bulk-replay-show.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import { reasonsText } from "../delivery/bulk-replay/report.ts";
import type { BulkSelection } from "../delivery/bulk-replay/selection.ts";
import type { BulkStop, BulkWord } from "../delivery/bulk-replay/words.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { momentText } from "./time-text.ts";

export function statusLines(status: BulkReplayStatus, colors: Colors): readonly string[] {
  const { id, state, expected, done, replayed, notReplayed, rate, actor, note, selection, endedOutside } = status;
  const { bold, dim } = colors;
  const standing =
    endedOutside === undefined ? state : `ended from outside in Temporal, ${momentText(endedOutside.at)}`;
  return [
    `Bulk replay ${bold(id)}: ${standing}`,
    `${done} of ${status.endedAt === null ? "about " : ""}${expected} events done: ${replayed} replayed, ${notReplayed} not${reasonsText(status)}`,
    dim(`${selectionText(selection)}, at ${rate} a second`),
    dim(`by ${safeText(actor)}, ${momentText(status.startedAt)}${noteText(note)}`),
    ...(status.endedAt === null ? [] : [dim(`ended ${momentText(status.endedAt)}`)]),
    ...stopLines("paused", state === "paused" ? status.paused : null),
    ...stopLines("canceled", status.canceled),
    ...wordLines(status.words, dim),
    ...(notReplayed === 0 ? [] : [dim(`Which ones, and why: countersign bulk-replay show ${id} --items`)]),
  ];
}

function noteText(note: string): string {
  return note === "" ? "" : `: ${safeText(note)}`;
}

function selectionText({ state, endpoint, source, type, reason, since, until }: BulkSelection): string {
  const parts = [
    state,
    ...(endpoint === null ? [] : [`endpoint ${endpoint}`]),
    ...(source === null ? [] : [`source ${source}`]),
    ...(type === null ? [] : [`type ${safeText(type)}`]),
    ...(reason === null ? [] : [`reason ${reason}`]),
    ...(since === null ? [] : [`accepted since ${momentText(since)}`]),
    ...(until === null ? [] : [`until ${momentText(until)}`]),
  ];
  return parts.join(", ");
}

function stopLines(what: string, stop: BulkStop | null): readonly string[] {
  return stop === null ? [] : [`${what} by ${safeText(stop.actor)}, ${momentText(stop.at)}${noteText(stop.note)}`];
}

/** What counted is told by the standing; earlier pauses and what did not count are told here. */
function wordLines(words: readonly BulkWord[], dim: Colors["dim"]): readonly string[] {
  return words.map(({ action, actor, at, note, counted, refusedBecause }) => {
    const fate = counted ? "" : ` (did not count: ${refusedBecause ?? "no reason given"})`;
    return dim(`${momentText(at)}  ${action} by ${safeText(actor) || "nobody"}${noteText(note)}${fate}`);
  });
}

/** `replayed  shop/evt_1`, or the reason why not. */
export function itemLine({ key, replayed, because }: ItemResult, { green, yellow }: Colors): string {
  const deliveries = replayed > 1 ? ` (${replayed} deliveries)` : "";
  return because === null
    ? `${green("replayed")}  ${safeText(key)}${deliveries}`
    : `${yellow(because)}  ${safeText(key)}`;
}
