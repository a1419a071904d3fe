/** The circuit of an endpoint: what counts as down, over all workers together. */
import { MINUTE_MS, SECOND_MS } from "../durations.ts";

/** As configured per endpoint; a worker hands it along with its reports, since workflows read no configuration. */
export interface CircuitSettings {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** From 0 to 1: this share of failures among the results of `windowMs` opens it … */
  readonly share: number;
  readonly windowMs: number;
  /** … once there are so many results. */
  readonly minimum: number;
  /** How long it stays open at first. */
  readonly openMs: number;
  /** How many attempts try the endpoint before it closes. */
  readonly probes: number;
}

export const DEFAULT_CIRCUIT: CircuitSettings = {
  failures: 5,
  share: 0.5,
  windowMs: MINUTE_MS,
  minimum: 20,
  openMs: 30 * SECOND_MS,
  probes: 4,
};

/** Results of one stretch of time. */
interface Bucket {
  readonly sinceMs: number;
  readonly failures: number;
  readonly successes: number;
}

/** What the window holds, oldest first, and how many of the last results in a row were failures. */
export interface Counts {
  readonly buckets: readonly Bucket[];
  readonly streak: number;
}

export const NO_COUNTS: Counts = { buckets: [], streak: 0 };

/** Results of a stretch of time, as one process saw them. */
export interface Results {
  readonly failures: number;
  readonly successes: number;
  /** Failures since the last success among them; all of them where there was none. */
  readonly trailingFailures: number;
}

const BUCKETS = 12;

/** Adds results that came in by `atMs`, and drops what has left the window; never more than 13 buckets. */
export function addResults(
  counts: Counts,
  { failures, successes, trailingFailures }: Results,
  { atMs, windowMs }: { readonly atMs: number; readonly windowMs: number },
): Counts {
  const streak = successes > 0 ? trailingFailures : counts.streak + failures;
  const kept = counts.buckets.filter(({ sinceMs }) => sinceMs > atMs - windowMs && sinceMs <= atMs);
  const last = kept.at(-1);
  const buckets =
    last !== undefined && atMs - last.sinceMs < windowMs / BUCKETS
      ? [...kept.slice(0, -1), withResults(last, { failures, successes })]
      : [...kept, { sinceMs: atMs, failures, successes }];
  return { buckets, streak };
}

function withResults(bucket: Bucket, more: Pick<Bucket, "failures" | "successes">): Bucket {
  return {
    ...bucket,
    failures: bucket.failures + more.failures,
    successes: bucket.successes + more.successes,
  };
}

export function totalsOf({ buckets }: Counts): { readonly failures: number; readonly volume: number } {
  const failures = buckets.reduce((sum, bucket) => sum + bucket.failures, 0);
  return { failures, volume: buckets.reduce((sum, { successes }) => sum + successes, failures) };
}

export type TripCause =
  | { readonly by: "streak"; readonly failures: number }
  | { readonly by: "share"; readonly share: number };

/**
 * Whether the endpoint counts as down; null = it does not.
 *
 * Failures in a row speak for themselves where there is little traffic. Where there is
 * more, five in a row are chance at an endpoint that fails now and then: as long as the
 * share stays below its bound, as many in a row as make a volume are asked for.
 */
export function judgeCircuit(counts: Counts, circuit: CircuitSettings): TripCause | null {
  const { failures, volume } = totalsOf(counts);
  const { streak } = counts;
  const hasVolume = volume >= circuit.minimum;
  if (hasVolume && failures / volume >= circuit.share) {
    return streak >= circuit.failures ? { by: "streak", failures: streak } : { by: "share", share: failures / volume };
  }
  const needed = hasVolume ? Math.max(circuit.failures, circuit.minimum) : circuit.failures;
  return streak >= needed ? { by: "streak", failures: streak } : null;
}

/** From here on it is worth telling others, and worth listening to their successes: trouble that may become a trip. */
export function isTroubling(counts: Counts, circuit: CircuitSettings): boolean {
  const { failures, volume } = totalsOf(counts);
  const threshold = Math.min(circuit.failures, TELL_FROM);
  return failures >= threshold && (counts.streak >= threshold || failures / volume >= circuit.share / 2);
}

const TELL_FROM = 3;

const LONGEST_OPEN = 4;

/** How long it stays open after `tries` probes that failed: twice as long each time, at most four times as long. */
export function openForMs({ openMs }: CircuitSettings, tries: number): number {
  return openMs * Math.min(LONGEST_OPEN, 2 ** Math.min(tries, 10));
}
