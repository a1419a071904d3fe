/** An event report → what an audit says of it, in order. */
import type { EventReport } from "../client/get-event.ts";
import type { ConflictRecord } from "../delivery/event-state.ts";
import type { AuditAction, AuditRecord } from "./audit-record.ts";
import { deliveryRecords } from "./delivery-records.ts";
import { plainRecord } from "./plain-record.ts";

/**
 * Who did what when, and what came of it: by time, then by the order in which such things
 * follow each other. The same report gives the same records.
 *
 * Of a parked delivery the report holds only the present reason; of words that changed nothing the
 * first hundred per delivery.
 */
export function auditRecords(report: EventReport): readonly AuditRecord[] {
  const { key, acceptedAt, type, fingerprint, endedOutside } = report;
  const outside =
    endedOutside === undefined ? [] : [plainRecord({ at: endedOutside.at, action: "ended-outside", key })];
  return [
    { ...plainRecord({ at: acceptedAt, action: "accepted", key }), type, fingerprint },
    ...report.deliveries.flatMap((delivery) => deliveryRecords(report, delivery)),
    ...report.conflicts.map((conflict) => conflictRecord(key, conflict)),
    ...outside,
  ].toSorted(inOrder);
}

function conflictRecord(key: string, { at, fingerprint, via }: ConflictRecord): AuditRecord {
  return { ...plainRecord({ at, action: "conflict", key }), fingerprint, via };
}

/** What happens in the same millisecond happens in this order. */
const ORDER: Readonly<Record<AuditAction, number>> = {
  accepted: 0,
  replay: 1,
  discard: 1,
  "mark-delivered": 1,
  amend: 1,
  hurry: 1,
  hold: 1,
  release: 1,
  lapsed: 2,
  replaced: 3,
  proposed: 4,
  approve: 5,
  reject: 5,
  withdraw: 5,
  executed: 6,
  attempt: 7,
  lookup: 8,
  parked: 9,
  ended: 10,
  conflict: 11,
  "ended-outside": 12,
};

/** What is equal in all of it stays in the order of the report: sorting is stable. */
function inOrder(left: AuditRecord, right: AuditRecord): number {
  return (
    Date.parse(left.at) - Date.parse(right.at) ||
    ORDER[left.action] - ORDER[right.action] ||
    compareText(left.endpoint ?? "", right.endpoint ?? "")
  );
}

/** By code units: the same on every machine, whatever its language. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
