/** The lanes that this process polls now: opened one after the other, and never more than a bounded number. */
import type { Logger } from "../telemetry/logger.ts";

const MAX_LANES = 100;
/** At most 20 a second: the server limits how many pollers may arrive at once. */
const OPEN_PAUSE_MS = 50;

/** A polling worker of one lane. */
export interface Lane {
  /** When it last had an attempt in hand, milliseconds since the epoch. */
  lastUsedMs(): number;
  /** Settles when it polls no more, for whatever reason; never rejects. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface LaneSet {
  has(endpoint: string): boolean;
  /** No further lane can be opened until one is closed. */
  isFull(): boolean;
  /** Joins an opening under way; opens nothing when full or stopped. Throws what the opening throws. */
  open(endpoint: string): Promise<void>;
  close(endpoint: string): Promise<void>;
  names(): readonly string[];
  /** Those without an attempt for longer than that, the longest first. */
  idleFor(forMs: number): readonly string[];
  /** Closes all, and opens none any more. */
  stop(): Promise<void>;
}

interface Entry {
  readonly opening: Promise<Lane>;
  /** Null while it is being opened. */
  lane: Lane | null;
}

export function createLaneSet(openLane: (endpoint: string) => Promise<Lane>, log: Logger): LaneSet {
  const entries = new Map<string, Entry>();
  let turn: Promise<void> = Promise.resolve();
  let stopped = false;
  const remove = (endpoint: string, entry: Entry): void => {
    if (entries.get(endpoint) === entry) entries.delete(endpoint);
  };
  const close = async (endpoint: string): Promise<void> => {
    const entry = entries.get(endpoint);
    if (entry === undefined) return;
    entries.delete(endpoint);
    // One that could not be opened needs no stopping.
    await (await entry.opening.catch(() => null))?.stop();
    log.info({ endpoint, open: entries.size }, "lane.closed");
  };
  const begin = async (endpoint: string): Promise<void> => {
    const opening = turn.then(async () => await openLane(endpoint));
    turn = opening.then(pause, pause);
    const entry: Entry = { opening, lane: null };
    entries.set(endpoint, entry);
    opening.catch(() => remove(endpoint, entry));
    entry.lane = await opening;
    log.info({ endpoint, open: entries.size }, "lane.opened");
    // One that died is taken off, so that the next need or sweep opens it anew.
    void entry.lane.ended.then(() => remove(endpoint, entry));
  };
  return {
    has: (endpoint) => entries.has(endpoint),
    isFull: () => stopped || entries.size >= MAX_LANES,
    async open(endpoint) {
      const known = entries.get(endpoint);
      if (known !== undefined) await known.opening;
      else if (!stopped && entries.size < MAX_LANES) await begin(endpoint);
    },
    close,
    names: () => [...entries.keys()],
    idleFor: (forMs) =>
      [...entries]
        .flatMap(([endpoint, { lane }]) => (lane === null ? [] : [{ endpoint, usedMs: lane.lastUsedMs() }]))
        .filter(({ usedMs }) => Date.now() - usedMs > forMs)
        .toSorted((left, right) => left.usedMs - right.usedMs)
        .map(({ endpoint }) => endpoint),
    async stop() {
      stopped = true;
      await Promise.all([...entries.keys()].map(close));
    },
  };
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS));
}
