/** The ledger of an endpoint: who changed its gate, why, when and until when. One entry per change. */

export type LedgerEvent =
  | "paused"
  | "pause-ended"
  | "resumed"
  | "tripped"
  | "throttled"
  | "throttle-ended"
  | "probing"
  | "probe-failed"
  | "opened";

export interface LedgerEntry {
  /** Counts from 1, also over runs that continued as new. */
  readonly n: number;
  /** RFC 3339. */
  readonly at: string;
  readonly what: LedgerEvent;
  /** The actor's name, `workers` or `time`. */
  readonly who: string;
  /** A sentence or the actor's reason, never empty but where a person gave none. */
  readonly why: string;
  /** RFC 3339; null = until somebody acts, or nothing is held. */
  readonly until: string | null;
}

/** Oldest first; what is older stands in the history of the run. */
export type Ledger = readonly LedgerEntry[];

const MAX_ENTRIES = 20;

export function entered(
  ledger: Ledger,
  entry: Omit<LedgerEntry, "n" | "at" | "until"> & { readonly atMs: number; readonly untilMs?: number | null },
): Ledger {
  const { atMs, untilMs = null, what, who, why } = entry;
  const n = (ledger.at(-1)?.n ?? 0) + 1;
  return [...ledger, { n, at: timeText(atMs), what, who, why, until: textOrNull(untilMs) }].slice(-MAX_ENTRIES);
}

/** The throttle that stands lasts longer: still one change. */
export function extended(ledger: Ledger, untilMs: number): Ledger {
  const index = ledger.findLastIndex(({ what }) => what === "throttled");
  return ledger.map((entry, position) => (position === index ? { ...entry, until: timeText(untilMs) } : entry));
}

/** RFC 3339 in UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function textOrNull(atMs: number | null): string | null {
  return atMs === null ? null : timeText(atMs);
}
