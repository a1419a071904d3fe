/** Lines that hang on each other: each record holds the hash of the one before, the end line closes over all of them. */
import type { AuditRecord } from "./audit-record.ts";
import { type FlatLine, flatLine, hashOf, lineText, type LineValue } from "./flat-line.ts";

/** Version of the lines, in the first of them. */
export const CHAIN_VERSION = 1;

/** Of the first line. Not part of what records hang on: the same events give the same record lines in every export. */
export interface ChainHead {
  readonly namespace: string;
  /** RFC 3339. */
  readonly exportedAt: string;
  /** `countersign/<version>`. */
  readonly by: string;
  /** How many keys were named; absent = none, the events come from a list. */
  readonly keys?: number;
  /** What the list was asked for; absent = anything. */
  readonly state?: string;
  readonly type?: string;
  readonly source?: string;
  readonly endpoint?: string;
  readonly limit?: number;
}

/** Of the last line. */
export interface ChainTotals {
  readonly events: number;
  /** Listed, but gone or no event when they were read. */
  readonly leftOut: number;
  /** The limit left out older events. */
  readonly partial: boolean;
}

/** Where a chain that is being written has got to. */
export interface ChainTip {
  /** Records so far. */
  readonly count: number;
  /** Hash of the first line. */
  readonly opening: string;
  /** Hash of the last record; null = there is none yet. */
  readonly lastHash: string | null;
}

/** A line as it is written, without its line feed, and where the chain has got to with it. */
export interface Linked {
  readonly line: string;
  readonly tip: ChainTip;
}

export function openChain(head: ChainHead): Linked {
  const { line, hash } = sealed({ kind: "head", v: CHAIN_VERSION, ...head });
  return { line, tip: { count: 0, opening: hash, lastHash: null } };
}

/** `seq` counts from 1; `prevHash` of the first record is null. */
export function linkRecord(tip: ChainTip, record: AuditRecord): Linked {
  const count = tip.count + 1;
  const { line, hash } = sealed({ ...record, kind: "record", seq: count, prevHash: tip.lastHash });
  return { line, tip: { ...tip, count, lastHash: hash } };
}

/** The head hash is that of the end line, which holds the count, the last record's hash and the first line's. */
export function closeChain(tip: ChainTip, totals: ChainTotals): { readonly line: string; readonly headHash: string } {
  const { count, opening, lastHash } = tip;
  const { line, hash } = sealed({ ...totals, kind: "end", count, opening, prevHash: lastHash });
  return { line, headHash: hash };
}

function sealed<Shape extends { readonly [Member in keyof Shape]: LineValue | undefined }>(
  shape: Shape,
): { readonly line: string; readonly hash: string } {
  const members: FlatLine = flatLine(shape);
  const hash = hashOf(members);
  return { line: lineText({ ...members, hash }), hash };
}
