/** What a person asks a bulk replay to do, made exact: moments for durations, an id for what has none. */
import { sha256 } from "../config/digests.ts";
import { parseDurationMs } from "../config/duration.ts";
import { parseMomentMs } from "../config/moment.ts";
import { type BulkOrder, isBulkReplayId, readOrder } from "../delivery/bulk-replay/order.ts";
import { CountersignError } from "../errors.ts";
import { requireEndpoint } from "./endpoint-words.ts";
import type { Session } from "./session.ts";

/** Absent members do not narrow the selection. */
export interface BulkReplaySelection {
  /** `needs-attention`: nothing else is parked. */
  readonly state: string;
  readonly endpoint?: string;
  readonly source?: string;
  readonly type?: string;
  /** Why it is parked, as lists show it; `outcome-uncertain` is only replayed when it is named here. */
  readonly reason?: string;
  /** When the event was accepted: an RFC 3339 time, or how long ago (`2h`). */
  readonly since?: string;
  readonly until?: string;
}

export interface BulkReplayOrder extends BulkReplaySelection {
  /** Events a second, 0.01–100; 10 when absent. */
  readonly rate?: number;
  readonly actor: string;
  /** Why; kept with every event. */
  readonly note?: string;
  /** The same id is the same bulk replay, for as long as Temporal keeps it. Absent = made of the selection. */
  readonly id?: string;
}

export interface ExactOrder {
  readonly order: BulkOrder;
  /** Digest of the selection as it was given. */
  readonly digest: string;
  /** Null = make one. */
  readonly id: string | null;
}

/** Throws `bad_argument` and `unknown_endpoint`. */
export function exactOrder({ config }: Pick<Session, "config">, wish: BulkReplayOrder, nowMs: number): ExactOrder {
  const { rate, actor, note, id = null } = wish;
  const given = selectionOf(wish);
  const { since, until, ...rest } = given;
  const order = readOrder({
    selection: { ...rest, since: momentOf("since", since, nowMs), until: momentOf("until", until, nowMs) },
    ...(rate === undefined ? {} : { rate }),
    actor,
    note,
  });
  if (typeof order === "string") throw new CountersignError("bad_argument", order);
  if (id !== null && !isBulkReplayId(id)) {
    const rule = "1–63 lower-case letters, digits and hyphens, beginning with a letter or digit";
    throw new CountersignError("bad_argument", `The id of a bulk replay is ${rule}; not ${JSON.stringify(id)}`);
  }
  const { endpoint } = order.selection;
  if (endpoint !== null) requireEndpoint({ config }, endpoint);
  return { order, digest: digestOf(given), id };
}

/** Its members alone, in one order; what is absent or empty does not count. */
function selectionOf({ state, endpoint, source, type, reason, since, until }: BulkReplaySelection) {
  const members = Object.entries({ state, endpoint, source, type, reason, since, until });
  const given = members.filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(given) as Partial<BulkReplaySelection>; // the same members
}

function digestOf(given: Partial<BulkReplaySelection>): string {
  return sha256(Buffer.from(JSON.stringify(given))).toString("hex");
}

function momentOf(member: string, text: string | undefined, nowMs: number): string | null {
  if (text === undefined) return null;
  const agoMs = parseDurationMs(text);
  const ms = agoMs === null ? parseMomentMs(text) : nowMs - agoMs;
  if (ms !== null) return new Date(ms).toISOString();
  const accepted = 'an RFC 3339 time such as "2026-11-29T10:00:00Z", or how long ago, such as "2h"';
  throw new CountersignError("bad_argument", `${member} takes ${accepted}; not ${JSON.stringify(text)}`);
}

const ID_DIGITS = 10;
const MAX_ENDPOINT_IN_ID = 40;

/** The nth id that is made of a selection: started twice, it meets itself; started again when it has ended, it is another one. */
export function madeId({ order, digest }: ExactOrder, nth: number): string {
  const about = (order.selection.endpoint ?? "parked").slice(0, MAX_ENDPOINT_IN_ID);
  const base = `${about}-${digest.slice(0, ID_DIGITS)}`;
  return nth === 1 ? base : `${base}-${nth}`;
}
