/** Parked events as a bulk replay meets them: listed from a position, and told to go on one by one. */
import type { ItemOrder, ListedPage, ListOrder } from "../delivery/bulk-replay/activity-shapes.ts";
import {
  examineItem,
  type Finding,
  type ItemResult,
  type NotReplayed,
  refusedReplay,
  resultOf,
} from "../delivery/bulk-replay/item.ts";
import { reasonOf, replayUpdateId } from "../delivery/bulk-replay/order.ts";
import type { ListedItem } from "../delivery/bulk-replay/position.ts";
import type { BulkSelection } from "../delivery/bulk-replay/selection.ts";
import type { ParkedEvents } from "../activities/dependencies.ts";
import { isCountersignError } from "../errors.ts";
import { showBulkReplay } from "./bulk-replay-show.ts";
import { readReport } from "./get-event.ts";
import { countRuns, PAGE_ROWS, queryOf } from "./list-events.ts";
import { readRows } from "./list-page.ts";
import { resolveUpdate } from "../workflows/messages.ts";
import { sayWord } from "./say-word.ts";
import type { Session } from "./session.ts";

/** What activities are given. */
export function createParkedEvents(session: Session): ParkedEvents {
  return {
    list: async (order: ListOrder) => await listParked(session, order),
    replay: async (key: string, order: ItemOrder) => await replayItem(session, key, order),
    look: async (key: string, order: ItemOrder) => await lookAt(session, key, order),
    isStopped: async (id: string) => (await showBulkReplay(session, id)).state !== "running",
  };
}

/** The visibility query of a selection, from a point in time backwards. */
export function parkedQuery(selection: BulkSelection, untilMs: number): string {
  const { state, endpoint, source, type, reason, since } = selection;
  const filter = queryOf({
    state,
    ...(endpoint === null ? {} : { endpoint }),
    ...(source === null ? {} : { source }),
    ...(type === null ? {} : { type }),
  });
  // The server keeps nanoseconds, we milliseconds: the whole of the last one belongs to it.
  const until = new Date(untilMs).toISOString().replace("Z", "999999Z");
  return [
    filter,
    ...(reason === null ? [] : [`CountersignReason = "${reason}"`]),
    ...(since === null ? [] : [`StartTime >= "${since}"`]),
    `StartTime <= "${until}"`,
  ].join(" AND ");
}

/** Newest first, as the server lists them; those already taken are passed over. */
async function listParked(session: Session, { selection, position, items: most }: ListOrder): Promise<ListedPage> {
  const query = parkedQuery(selection, position.untilMs);
  const items: ListedItem[] = [];
  const taken = new Set(position.taken);
  let token: Uint8Array = new Uint8Array();
  do {
    const pageSize = Math.min(PAGE_ROWS, most + taken.size);
    const { rows, nextPageToken } = await readRows(session, { query, pageSize, token });
    const fresh = rows.filter(({ key }) => !taken.has(key));
    items.push(...fresh.map(({ key, startedAt }) => ({ key, acceptedMs: Date.parse(startedAt) })));
    token = nextPageToken;
  } while (items.length < most && token.length > 0);
  const page = items.slice(0, most);
  const more = items.length > most || token.length > 0;
  return { items: page, more, beyond: more ? await countBehind(session, query, taken.size + page.length) : 0 };
}

async function countBehind(session: Session, query: string, before: number): Promise<number> {
  return Math.max(0, (await countRuns(session, query)) - before);
}

/**
 * Looks at one event and tells its parked deliveries to go on. Done again, it finds what it did before.
 *
 * Throws `temporal_unreachable`; whatever else happens is the result.
 */
async function replayItem(session: Session, key: string, order: ItemOrder): Promise<ItemResult> {
  try {
    const { deliveries, endedOutside } = await readReport(session, key);
    if (endedOutside !== undefined) return resultOf(key, ["already-ended"]);
    const fates: (NotReplayed | null)[] = [];
    for (const finding of examineItem(deliveries, order)) fates.push(await fateOf(session, key, { finding, order }));
    return resultOf(key, fates);
  } catch (error) {
    return resultOf(key, [becauseOf(error)]);
  }
}

/** Nothing is in hand where something is parked, so a verdict takes milliseconds; a stopping worker must not wait for one. */
const VERDICT_MS = 5000;

async function fateOf(
  session: Session,
  key: string,
  { finding, order }: { readonly finding: Finding; readonly order: ItemOrder },
): Promise<NotReplayed | null> {
  switch (finding.do) {
    case "count":
      return null;
    case "leave":
      return finding.because;
    case "replay": {
      const { mark, actor, note } = order;
      const { endpoint: delivery } = finding;
      const verdict = await sayWord(session, key, {
        update: resolveUpdate,
        argument: { v: 1, action: "replay", actor, reason: reasonOf(mark, note), delivery },
        updateId: replayUpdateId(mark, delivery),
        withinMs: VERDICT_MS,
        tooLate: async () => await Promise.resolve("already-ended"),
      });
      return verdict.counted ? null : refusedReplay(verdict);
    }
  }
}

/** One event that cannot be read must not stop the others; a server that is away stops them all. */
function becauseOf(error: unknown): NotReplayed {
  if (!isCountersignError(error)) return "no-answer";
  if (error.code === "temporal_unreachable") throw error;
  return error.code === "not_found" || error.code === "bad_event" ? "not-found" : "no-answer";
}

/** Throws `temporal_unreachable`. An event that cannot be read has nothing to tell. */
async function lookAt(session: Session, key: string, order: ItemOrder): Promise<ItemResult | null> {
  try {
    const { deliveries } = await readReport(session, key);
    const told = examineItem(deliveries, order).filter((finding) => finding.do === "count");
    return told.length === 0 ? null : { key, replayed: told.length, because: null };
  } catch (error) {
    becauseOf(error);
    return null;
  }
}
