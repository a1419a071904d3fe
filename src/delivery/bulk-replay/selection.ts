/** Which events a bulk replay is about. */
import { ATTENTION_REASONS, type AttentionReason } from "../attention.ts";
import { isName } from "../names.ts";

export interface BulkSelection {
  /** Only what is parked can be replayed. */
  readonly state: "needs-attention";
  /** Then only deliveries to it are replayed; null = every parked one of the event. */
  readonly endpoint: string | null;
  readonly source: string | null;
  readonly type: string | null;
  /** Why it is parked; null = any reason but `outcome-uncertain`, which is only replayed when it is named. */
  readonly reason: AttentionReason | null;
  /** When the event was accepted, RFC 3339, both inclusive; null = no bound, and for `until` the start of the bulk replay. */
  readonly since: string | null;
  readonly until: string | null;
}

const MEMBERS: readonly string[] = ["state", "endpoint", "source", "type", "reason", "since", "until"];
const MAX_TYPE = 200;

/** Reads one from outside; a text says what is wrong with it, worded to follow "The selection". */
export function readSelection(value: unknown): BulkSelection | string {
  if (typeof value !== "object" || value === null) return 'must be an object such as {"state":"needs-attention"}';
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `knows ${MEMBERS.join(", ")}; not ${JSON.stringify(unknown.slice(0, MAX_TYPE))}`;
  if (given["state"] !== "needs-attention") return 'takes the state "needs-attention" only: nothing else is parked';
  const selection = {
    state: "needs-attention" as const,
    endpoint: textOf(given["endpoint"]),
    source: textOf(given["source"]),
    type: textOf(given["type"]),
    reason: ATTENTION_REASONS.find((reason) => reason === given["reason"]) ?? null,
    since: momentOf(given["since"]),
    until: momentOf(given["until"]),
  };
  return problemOf(selection, given) ?? selection;
}

/** What was given and could not be read would widen the selection: it is refused. */
function problemOf(selection: BulkSelection, given: Readonly<Record<string, unknown>>): string | null {
  const lost = (member: keyof BulkSelection): boolean =>
    selection[member] === null && given[member] !== undefined && given[member] !== null;
  if (lost("reason")) return `takes as its reason one of ${ATTENTION_REASONS.join(", ")}`;
  for (const member of ["since", "until"] as const) if (lost(member)) return `takes ${member} as an RFC 3339 time`;
  for (const member of ["endpoint", "source"] as const) {
    const name = selection[member];
    if (lost(member) || (name !== null && !isName(name))) return `takes ${member} as the name of one`;
  }
  return lost("type") ? `takes type as a text of at most ${MAX_TYPE} characters without quotes or backslashes` : null;
}

/** What a query can name. */
function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= MAX_TYPE && !/['"\\]/.test(value) ? value : null;
}

/** As `toISOString` writes it; anything else than a date and time with its zone is null. */
function momentOf(value: unknown): string | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d.{0,30}(?:Z|[+-]\d\d:\d\d)$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
