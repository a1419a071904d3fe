/** Builders of audit exports: records of any content, and the lines an export makes of them. */
import fc from "fast-check";
import type { AuditRecord } from "../../src/audit/audit-record.ts";
import type { ChainHead } from "../../src/audit/chain.ts";
import { plainRecord } from "../../src/audit/plain-record.ts";
import { type ChainSummary, type EventRecords, writeChain } from "../../src/audit/write-chain.ts";

export function aHead(changes: Partial<ChainHead> = {}): ChainHead {
  return { namespace: "default", exportedAt: "2026-11-29T18:00:00.000Z", by: "countersign/0.1.0", ...changes };
}

export function aRecord(changes: Partial<AuditRecord> = {}): AuditRecord {
  return plainRecord({ at: "2026-11-29T10:00:00.000Z", action: "approve", key: "shop/evt_1", ...changes });
}

export interface Export {
  /** Without line feeds. */
  readonly lines: readonly string[];
  readonly summary: ChainSummary;
}

export async function anExport(events: readonly EventRecords[], head: ChainHead = aHead()): Promise<Export> {
  const lines: string[] = [];
  async function* each(): AsyncGenerator<EventRecords> {
    yield* events;
  }
  const summary = await writeChain({ head, events: each(), partial: false }, (line) => void lines.push(line));
  return { lines, summary };
}

/** Up to three events of up to four records, with texts of any characters. */
export const anyEvents: fc.Arbitrary<readonly EventRecords[]> = fc.array(
  fc.array(
    fc
      .record({
        actor: fc.option(fc.string({ unit: "binary" })),
        note: fc.option(fc.string({ unit: "binary" })),
        counted: fc.option(fc.boolean()),
        revision: fc.option(fc.nat()),
      })
      .map((changes) => aRecord(changes)),
    { maxLength: 4 },
  ),
  { maxLength: 3 },
);
