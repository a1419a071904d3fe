/** A whole export, line by line, while its events are still being read. */
import type { AuditRecord } from "./audit-record.ts";
import { type ChainHead, closeChain, linkRecord, openChain } from "./chain.ts";

/** One event of an export; null = there is nothing to say of it any more. */
export type EventRecords = readonly AuditRecord[] | null;

export interface ChainSource {
  readonly head: ChainHead;
  readonly events: AsyncIterable<EventRecords>;
  readonly partial: boolean;
}

export interface ChainSummary {
  readonly events: number;
  readonly leftOut: number;
  readonly partial: boolean;
  readonly records: number;
  /** To be kept elsewhere: it stands for every line. */
  readonly head: string;
}

/** Writes each line as soon as it is known. Throws what the events and `write` throw; the file then has no end line. */
export async function writeChain(
  { head, events, partial }: ChainSource,
  write: (line: string) => Promise<void> | void,
): Promise<ChainSummary> {
  const opened = openChain(head);
  await write(opened.line);
  let tip = opened.tip;
  let [read, leftOut] = [0, 0];
  for await (const records of events) {
    if (records === null) leftOut += 1;
    else read += 1;
    for (const record of records ?? []) {
      const linked = linkRecord(tip, record);
      await write(linked.line);
      tip = linked.tip;
    }
  }
  const totals = { events: read, leftOut, partial };
  const closed = closeChain(tip, totals);
  await write(closed.line);
  return { ...totals, records: tip.count, head: closed.headHash };
}
