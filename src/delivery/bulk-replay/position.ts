/**
 * Where a bulk replay stands in the list. It walks from the newest to the oldest by the time an
 * event was accepted, which never changes: an item that leaves the list moves no other one, and
 * one that is parked anew behind the position is not met again.
 */

export interface ListedItem {
  readonly key: string;
  /** When the event was accepted, milliseconds since the epoch, rounded down. */
  readonly acceptedMs: number;
}

export interface Position {
  /** Nothing newer is looked at. */
  readonly untilMs: number;
  /** Keys accepted in that very millisecond that were taken already. */
  readonly taken: readonly string[];
}

/** The position after these items, which were not taken before and stand newest first. */
export function positionAfter(position: Position, items: readonly ListedItem[]): Position {
  const untilMs = items.at(-1)?.acceptedMs ?? position.untilMs;
  const before = untilMs === position.untilMs ? position.taken : [];
  const now = items.flatMap(({ key, acceptedMs }) => (acceptedMs === untilMs ? [key] : []));
  return { untilMs, taken: [...before, ...now] };
}
