/** Several copies of an endpoint's ledger, of which each shows only its last changes, as one. */
import type { Ledger, LedgerEntry } from "../delivery/gates/ledger.ts";

export interface JoinedLedger {
  /** Oldest first, each once. */
  readonly entries: readonly LedgerEntry[];
  /** `at` of the entries before which some are missing. */
  readonly gapsBefore: ReadonlySet<string>;
}

/** An entry is what it is by number and time; of two copies the later ledger's counts, which may have extended it. */
export function joinLedgers(ledgers: readonly Ledger[]): JoinedLedger {
  const known = new Map<string, LedgerEntry>();
  for (const entry of ledgers.flat()) known.set(`${entry.at} ${entry.n}`, entry);
  const entries = [...known.values()].toSorted(byTime);
  const gaps = entries.filter(({ n }, index) => n > 1 && entries[index - 1]?.n !== n - 1);
  return { entries, gapsBefore: new Set(gaps.map(({ at }) => at)) };
}

function byTime(left: LedgerEntry, right: LedgerEntry): number {
  return Date.parse(left.at) - Date.parse(right.at) || left.n - right.n;
}
