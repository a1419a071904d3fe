/** What an ordinary sender does to an endpoint that is down: five tries of each event, and no circuit. */
import { SECOND_MS } from "../../src/delivery/durations.ts";

/** From the event's arrival to each try: at once, then after 1, 2, 4 and 8 s more. */
const TRIES_MS = [0, 1, 3, 7, 15].map((seconds) => seconds * SECOND_MS);

export interface Outage {
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  /** First moment at which it answers again. */
  readonly toMs: number;
}

/** The requests it makes while the endpoint is down; what came before the outage has been delivered. */
export function naiveRequests(arrivalsMs: readonly number[], { fromMs, toMs }: Outage): number {
  const during = arrivalsMs.filter((atMs) => atMs >= fromMs && atMs < toMs);
  return during.flatMap((atMs) => TRIES_MS.filter((tryMs) => atMs + tryMs < toMs)).length;
}
