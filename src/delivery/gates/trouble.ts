/** What one process tells of an endpoint: each attempt's verdict, tallied, and when it is worth a report. */
import type { AttemptRecord } from "../attempt.ts";
import {
  addResults,
  type CircuitSettings,
  type Counts,
  isTroubling,
  NO_COUNTS,
  type Results,
  totalsOf,
} from "./circuit.ts";
import type { TripReason } from "./control.ts";

/** What an attempt says about the endpoint, not about its event. */
export type EndpointVerdict = "works" | "fails" | Exclude<TripReason, "failures"> | "says-nothing";

/**
 * Only "the destination is down" counts against it: a request that did not get through, and a 5xx that may pass.
 * An answer to one event is a sign of life, whatever it says about the event. A 429 is neither.
 */
export function endpointVerdict(
  record: Pick<AttemptRecord, "outcome" | "certainty" | "code" | "status">,
): EndpointVerdict {
  const { outcome, certainty, code, status } = record;
  if (outcome === "delivered") return "works";
  if (outcome === "canceled" || code === "blocked_address" || code === "request_invalid") return "says-nothing";
  if (certainty !== "answered" || code === "handler_failed") return "fails";
  if (status === undefined) return "works";
  if (status === 429) return "says-nothing";
  if (status >= 500) return outcome === "refused" ? "says-nothing" : "fails";
  if (outcome !== "refused") return "works";
  if (status === 410) return "endpoint-gone";
  return status === 401 || status === 403 || status === 407 ? "credentials-refused" : "works";
}

/** How long the whole endpoint asked to be left alone; null = it did not, or longer than is waited for. */
export function throttleMs(
  { status, retryAfterMs }: Pick<AttemptRecord, "status" | "retryAfterMs">,
  retryAfterMaxMs: number,
): number | null {
  if (status !== 429 && status !== 503) return null;
  return retryAfterMs === undefined || retryAfterMs <= 0 || retryAfterMs > retryAfterMaxMs ? null : retryAfterMs;
}

/** What this process has seen and not told yet, within the circuit's window; the streak goes on over reports. */
export type Tally = Counts;

export const EMPTY_TALLY: Tally = NO_COUNTS;

export interface TallyFacts {
  readonly atMs: number;
  readonly circuit: CircuitSettings;
  /** Others want to hear of successes too. */
  readonly watched: boolean;
}

/** One more result. As long as nothing has failed within the window there is nothing to keep. */
export function tallied(tally: Tally, verdict: "works" | "fails", { atMs, circuit, watched }: TallyFacts): Tally {
  const counts = addResults(tally, verdict === "works" ? SUCCESS : FAILURE, { atMs, windowMs: circuit.windowMs });
  const isQuiet = totalsOf(counts).failures === 0 && counts.streak === 0;
  return isQuiet && !watched ? EMPTY_TALLY : counts;
}

const SUCCESS: Results = { failures: 0, successes: 1, trailingFailures: 0 };
const FAILURE: Results = { failures: 1, successes: 0, trailingFailures: 1 };

/** Whether it is time to speak up. */
export function isWorthTelling(tally: Tally, { circuit, watched }: Omit<TallyFacts, "atMs">): boolean {
  if (totalsOf(tally).volume === 0) return false;
  return watched || isTroubling(tally, circuit);
}

/** What a report says. */
export function resultsOf(tally: Tally): Results {
  const { failures, volume } = totalsOf(tally);
  return { failures, successes: volume - failures, trailingFailures: Math.min(tally.streak, failures) };
}

/** After a report has been made. */
export function told({ streak }: Tally): Tally {
  return { buckets: [], streak };
}

/** This process alone has seen enough to hold back at once, without waiting for the others. */
export function isDown({ streak }: Tally, { failures }: CircuitSettings): boolean {
  return streak >= failures;
}
