/** A record with everything left empty that does not apply. */
import type { AuditRecord } from "./audit-record.ts";

type Essentials = Pick<AuditRecord, "at" | "action" | "key"> & Partial<AuditRecord>;

export function plainRecord(essentials: Essentials): AuditRecord {
  return {
    actor: null,
    endpoint: null,
    revision: null,
    digest: null,
    counted: null,
    refusedBecause: null,
    note: null,
    signed: null,
    ...essentials,
  };
}
