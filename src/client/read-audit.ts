/** What an audit needs of the facade: the records of events that are named or listed. */
import type { AuditRecord } from "../audit/audit-record.ts";
import { auditRecords, compareText } from "../audit/audit-records.ts";
import { CountersignError, isCountersignError } from "../errors.ts";
import type { Countersign } from "./countersign.ts";
import type { ListFilter } from "./list-events.ts";

export interface EventAudit {
  readonly records: readonly AuditRecord[];
  /** False when the server did not list the conflicts of the event: records may be missing. */
  readonly complete: boolean;
}

/** Throws what `get` throws: `not_found`, `bad_event`, `temporal_unreachable`. */
export async function readAudit(countersign: Pick<Countersign, "get">, key: string): Promise<EventAudit> {
  const report = await countersign.get(key);
  return { records: auditRecords(report), complete: report.conflictsUnknown !== true };
}

export interface AuditedKeys {
  /** In the order of an export; each once. */
  readonly keys: readonly string[];
  /** There are older ones than the limit let in. */
  readonly partial: boolean;
}

/** The first `limit` events that a list gives of those the filter lets through; null = all of them. Eventually consistent, like every list. */
export async function listAuditedKeys(
  countersign: Pick<Countersign, "list">,
  filter: ListFilter,
  limit: number | null,
): Promise<AuditedKeys> {
  const keys = new Set<string>();
  let partial = false;
  for await (const { key, state } of countersign.list(filter)) {
    // Its input was no event, so nothing was ever delivered under this key.
    if (state === "refused") continue;
    partial = keys.size === limit && !keys.has(key);
    if (partial) break;
    keys.add(key);
  }
  return { keys: sortedKeys([...keys]), partial };
}

/** Each once, by code units. */
export function sortedKeys(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)].toSorted(compareText);
}

/** Reads of events at a time: most of the time of one is waiting for the server. */
const AT_A_TIME = 8;

export interface AuditedEvents {
  readonly keys: readonly string[];
  /** Named: it must be there. Listed: it may be gone by now, which yields null. */
  readonly origin: "named" | "listed";
}

/**
 * The records of each event, in the order of the keys.
 *
 * Throws what `get` throws, and `temporal_unreachable` when conflicts cannot be listed: an export
 * does not pass over what it could not read.
 */
export async function* readAudits(
  countersign: Pick<Countersign, "get">,
  { keys, origin }: AuditedEvents,
): AsyncGenerator<readonly AuditRecord[] | null> {
  for (let first = 0; first < keys.length; first += AT_A_TIME) {
    const batch = keys.slice(first, first + AT_A_TIME);
    yield* await Promise.all(batch.map(async (key) => await readWhole(countersign, { key, origin })));
  }
}

async function readWhole(
  countersign: Pick<Countersign, "get">,
  { key, origin }: { readonly key: string; readonly origin: AuditedEvents["origin"] },
): Promise<readonly AuditRecord[] | null> {
  try {
    const { records, complete } = await readAudit(countersign, key);
    if (complete) return records;
  } catch (error) {
    if (origin === "listed" && isGone(error)) return null;
    throw error;
  }
  throw new CountersignError(
    "temporal_unreachable",
    `The conflicts of ${JSON.stringify(key)} could not be listed; an export that leaves them out would be no audit`,
  );
}

/** Past its retention since it was listed, or refused as no event. */
function isGone(error: unknown): boolean {
  return isCountersignError(error) && (error.code === "not_found" || error.code === "bad_event");
}
