/** `list`: what visibility holds, as a table. */
import { type EventRow, type ListFilter, PAGE_ROWS } from "../../client/list-events.ts";
import { LISTED_STATES } from "../../client/listed-state.ts";
import { CountersignError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { shortDigest } from "../digest-argument.ts";
import { safeText } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { colorState } from "../state-color.ts";
import { tableLines } from "../table.ts";
import type { Colors } from "../terminal.ts";
import { ageText, leftText } from "../time-text.ts";
import { withClient } from "../with-client.ts";

export interface ListCommand {
  readonly state?: string;
  readonly endpoint?: string;
  readonly source?: string;
  readonly type?: string;
  readonly limit: number;
  readonly oldest?: boolean;
}

export interface ListedRows {
  readonly items: readonly EventRow[];
  /** There are more than were looked at; with `--oldest` an older one may be among them. */
  readonly partial: boolean;
  /** Only with `--oldest`: how many of those that were looked at. */
  readonly lookedAt?: number;
}

export async function list(context: CliContext, options: ListCommand): Promise<number> {
  const filter = filterOf(options);
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const rows = await withSpinner(terminal, "Listing", async () => await collect(countersign.list(filter), options));
    if (json) terminal.json({ ...rows, asOf: new Date().toISOString(), exact: false });
    else
      for (const line of listLines(rows, { options, nowMs: Date.now(), colors: terminal.colors })) terminal.out(line);
    return 0;
  });
}

function filterOf({ state, endpoint, source, type }: ListCommand): ListFilter {
  const listed = LISTED_STATES.find((candidate) => candidate === state);
  if (state !== undefined && listed === undefined) {
    throw new CountersignError(
      "bad_argument",
      `--state takes one of ${LISTED_STATES.join(", ")}; not ${JSON.stringify(state)}.`,
    );
  }
  return {
    ...(listed === undefined ? {} : { state: listed }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(source === undefined ? {} : { source }),
    ...(type === undefined ? {} : { type }),
  };
}

/** Reads no more than is shown, or one page with `oldest`. */
export async function collect(
  rows: AsyncIterable<EventRow>,
  options: Pick<ListCommand, "limit" | "oldest" | "state">,
): Promise<ListedRows> {
  const { limit, oldest = false } = options;
  // A server gives one page at a time and sorts nothing itself.
  const wanted = oldest ? PAGE_ROWS : limit;
  const found: EventRow[] = [];
  let partial = false;
  for await (const row of rows) {
    if (found.length === wanted) {
      partial = true;
      break;
    }
    found.push(row);
  }
  if (!oldest) return { items: found, partial };
  const sorted = found.toSorted((left, right) => sinceOf(left, options).localeCompare(sinceOf(right, options)));
  return { items: sorted.slice(0, limit), partial, lookedAt: found.length };
}

/** What has waited longest for approval was asked longest ago, not accepted. */
function sinceOf({ startedAt, approval }: EventRow, { state }: Pick<ListCommand, "state">): string {
  return state === AWAITING ? (approval?.since ?? startedAt) : startedAt;
}

const AWAITING = "awaiting-approval";

interface ListView {
  readonly options: Pick<ListCommand, "limit" | "oldest" | "state">;
  readonly nowMs: number;
  readonly colors: Colors;
}

export function listLines(rows: ListedRows, { options, nowMs, colors }: ListView): readonly string[] {
  const { items } = rows;
  const note = colors.dim(
    "Lists are eventually consistent: a fresh change may show seconds later. `countersign show KEY` is exact.",
  );
  if (items.length === 0) return ["No events.", note];
  const isWaiting = options.state === AWAITING;
  const cells = items.map((row) => (isWaiting ? waitingCells(row, nowMs) : plainCells(row, nowMs)));
  const [head = "", ...lines] = tableLines(isWaiting ? WAITING_HEAD : PLAIN_HEAD, cells);
  const colored = lines.map((line, index) => {
    const state = items[index]?.state ?? "in-progress";
    return line.replace(state, colorState(colors, state));
  });
  const next = isWaiting ? [colors.dim("Look, then decide: `countersign show KEY` prints what to type.")] : [];
  return [colors.dim(head), ...colored, "", colors.dim(summary(rows, options)), ...next, note];
}

const PLAIN_HEAD = ["AGE", "STATE", "KEY", "TYPE", "ENDPOINTS"];

function plainCells(row: EventRow, nowMs: number): readonly string[] {
  return [
    ageText(row.startedAt, nowMs),
    row.reason === null || row.state !== "needs-attention" ? row.state : `${row.state} (${row.reason})`,
    safeText(row.key),
    safeText(row.type) || "?",
    row.endpoints.map(safeText).join(", ") || "?",
  ];
}

const WAITING_HEAD = ["AGE", "LEFT", "STATE", "KEY", "TYPE", "ENDPOINT", "DIGEST"];

/** What the run has not noted yet is not known here. */
function waitingCells(row: EventRow, nowMs: number): readonly string[] {
  const { approval } = row;
  const [age = "", state = "", key = "", type = "", endpoints = ""] = plainCells(row, nowMs);
  if (approval === null) return [age, "?", state, key, type, endpoints, "?"];
  const { endpoint, digest, since, until } = approval;
  return [ageText(since, nowMs), leftText(until, nowMs), row.state, key, type, endpoint, shortDigest(digest)];
}

function summary(rows: ListedRows, options: ListView["options"]): string {
  const { length } = rows.items;
  const count = length === 1 ? "1 event" : `${length} events`;
  return `${count}, ${options.oldest === true ? oldestText(rows, options) : newestText(rows, options)}`;
}

function newestText({ partial }: ListedRows, { limit, state }: ListView["options"]): string {
  // A state is one of those that have not ended, or one of the others.
  const order = state === undefined ? "newest first, those that have not ended before the others" : "newest first";
  return partial ? `${order}; there are more than --limit ${limit} shows.` : `${order}.`;
}

function oldestText({ items, partial, lookedAt = items.length }: ListedRows, { limit }: ListView["options"]): string {
  if (partial)
    return `oldest first, of ${PAGE_ROWS} that were looked at: there are more, and older ones may be among them. Narrow it with --state, --endpoint, --source or --type.`;
  return lookedAt > items.length ? `oldest first, of ${lookedAt}; --limit ${limit} shows no more.` : "oldest first.";
}
