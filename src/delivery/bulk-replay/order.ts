/** What a bulk replay is asked to do. Anybody may start one in Temporal, so the input is judged. */
import { isKnownVersion, MAX_ACTOR, membersOf, textOf } from "../message-members.ts";
import { DEFAULT_RATE, isRate, MAX_RATE, MIN_RATE } from "./pace.ts";
import { type BulkSelection, readSelection } from "./selection.ts";

export interface BulkOrder {
  readonly selection: BulkSelection;
  /** Events a second. */
  readonly rate: number;
  readonly actor: string;
  /** Why; kept with every event. Empty = nobody said. */
  readonly note: string;
}

/** Beside the mark it must fit into the reason of a replay. */
export const MAX_NOTE = 1000;

/** Reads one from outside; a text says what is wrong with it. */
export function readOrder(input: unknown): BulkOrder | string {
  const members = membersOf(input);
  if (!isKnownVersion(members)) return "Its v is of another version; accepted: 1, or none";
  const selection = readSelection(members["selection"]);
  if (typeof selection === "string") return `The selection ${selection}`;
  const rate = members["rate"] ?? DEFAULT_RATE;
  if (!isRate(rate)) return `The rate is a number of events a second, from ${MIN_RATE} to ${MAX_RATE}`;
  const actor = textOf(members["actor"], MAX_ACTOR);
  if (actor === "") return "It must be known who asks: actor";
  return { selection, rate, actor, note: textOf(members["note"], MAX_NOTE) };
}

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The id of a bulk replay, whose workflow has the ID `bulk-replay:<id>`. */
export function isBulkReplayId(text: string): boolean {
  return ID.test(text);
}

const PREFIX = "bulk-replay:";

export function bulkReplayWorkflowId(id: string): string {
  return `${PREFIX}${id}`;
}

/** Null for any other workflow ID. */
export function bulkReplayIdOf(workflowId: string): string | null {
  const id = workflowId.slice(PREFIX.length);
  return workflowId.startsWith(PREFIX) && isBulkReplayId(id) ? id : null;
}

/** Digits of a run ID that tell two bulk replays of one id apart, should an id come again after retention. */
const RUN_DIGITS = 8;

/** What the reason of each of its replays begins with. `firstRunId` is that of the first run of the chain. */
export function markOf(id: string, firstRunId: string): string {
  return `bulk replay ${id} (${firstRunId.slice(0, RUN_DIGITS)})`;
}

export function reasonOf(mark: string, note: string): string {
  return note === "" ? mark : `${mark}: ${note}`;
}

/** The update ID of one delivery: said twice, the same word is one word. */
export function replayUpdateId(mark: string, endpoint: string): string {
  return `${mark}: ${endpoint}`;
}
