/** Who polls a task queue, as the server lists it: also pollers that have left. */
import { SECOND_MS } from "../delivery/durations.ts";

interface Poller {
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

/** A poll lasts a minute; a poller not seen for longer has left, although the server still lists it. */
const POLLER_SEEN_MS = 75 * SECOND_MS;

/** Those that were seen lately. */
export function countPollers(pollers: readonly Poller[] | null | undefined, nowMs: number): number {
  const since = nowMs - POLLER_SEEN_MS;
  return (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * SECOND_MS >= since)
    .length;
}
