/**
 * The lanes of this process: each endpoint's own activity queue, polled only while needed.
 *
 * A lane opens when an attempt is about to be put on it, when the registry says it is in
 * use, or when a sweep finds work waiting there; it closes once it has been idle. A process
 * has only so many: where more are needed, those that have nothing to do make room.
 */
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { entryOf, type GateMap, isShut, OPEN_GATE } from "../delivery/gates/gate-entry.ts";
import type { Logger } from "../telemetry/logger.ts";
import { everySoOften } from "./every-so-often.ts";
import { createLaneSet, type Lane, type LaneSet } from "./lane-set.ts";

const IDLE_AFTER_MS = 10 * MINUTE_MS;
/** All that are served are looked over so often … */
const SWEEP_EVERY_MS = 10 * MINUTE_MS;
/** … so many a second: the server loads every queue it is asked about. */
const SWEEP_AT_ONCE = 40;
const SWEEP_PAUSE_MS = SECOND_MS;
const ROOM_EVERY_MS = SECOND_MS;
/** A lane gives its place to another endpoint when it has had no attempt for so long. */
const SPARE_AFTER_MS = 5 * SECOND_MS;
/** After a lane was given up: the server's count of what waits is up to five seconds old. */
const LOOK_AGAIN_MS = 10 * SECOND_MS;

export interface LaneKeeperOptions {
  /** Endpoints whose lanes this process may poll. */
  readonly served: readonly string[];
  open(endpoint: string): Promise<Lane>;
  /** Tasks waiting on the lane, as the server counts them (approximate); null = it does not say. */
  backlog(endpoint: string): Promise<number | null>;
  /** Enters a lane in the registry unless it stands there. */
  announce(endpoint: string): Promise<void>;
  /** Takes an idle lane out of the registry. */
  withdraw(endpoint: string): Promise<void>;
  /** How long a lane without work stays open; absent = ten minutes. */
  readonly idleAfterMs?: number | undefined;
  readonly log: Logger;
}

export interface LaneKeeper {
  /** Opens the lane here if it is served, and makes sure other processes hear of it. */
  need(endpoint: string): Promise<void>;
  /** Follows the registry: opens what others use. */
  follow(gates: GateMap): void;
  /** Opens every served lane on which work waits. */
  sweep(): Promise<void>;
  openLanes(): readonly string[];
  stop(): Promise<void>;
}

interface Kept {
  readonly options: LaneKeeperOptions;
  readonly served: ReadonlySet<string>;
  readonly set: LaneSet;
  /** Found no place, in the order in which they asked. */
  readonly wanted: Set<string>;
  gates: GateMap;
  stopped: boolean;
}

export function keepLanes(options: LaneKeeperOptions): LaneKeeper {
  const { idleAfterMs = IDLE_AFTER_MS, log } = options;
  const set = createLaneSet(options.open, log);
  const kept: Kept = { options, served: new Set(options.served), set, wanted: new Set(), gates: {}, stopped: false };
  const sweep = async (): Promise<void> => await sweepAll(kept);
  const timers = [
    everySoOften(sweep, SWEEP_EVERY_MS),
    everySoOften(async () => await closeIdle(kept, idleAfterMs), idleAfterMs),
    everySoOften(async () => await makeRoom(kept), ROOM_EVERY_MS),
  ];
  return {
    need: async (endpoint) => await need(kept, endpoint),
    follow(gates) {
      kept.gates = gates;
      for (const [endpoint, entry] of Object.entries(gates)) if (entry.laneInUse) openQuietly(kept, endpoint);
    },
    sweep,
    openLanes: set.names,
    async stop() {
      kept.stopped = true;
      for (const timer of timers) clearInterval(timer);
      await set.stop();
    },
  };
}

async function need(kept: Kept, endpoint: string): Promise<void> {
  await Promise.all([open(kept, endpoint), kept.options.announce(endpoint)]);
}

async function open(kept: Kept, endpoint: string): Promise<void> {
  const { served, set, wanted } = kept;
  if (!served.has(endpoint)) return;
  if (set.has(endpoint) || !set.isFull()) {
    wanted.delete(endpoint);
    await set.open(endpoint);
  } else if (!isHeld(kept, endpoint)) wanted.add(endpoint);
}

/** Nothing is handed out there, so it need not be polled; the registry tells when that changes. */
function isHeld({ gates }: Kept, endpoint: string): boolean {
  return isShut(entryOf(gates, endpoint) ?? OPEN_GATE);
}

function openQuietly(kept: Kept, endpoint: string): void {
  open(kept, endpoint).catch((error: unknown) =>
    kept.options.log.warn({ endpoint, error: nameOf(error) }, "lane.not_opened"),
  );
}

async function sweepAll(kept: Kept): Promise<void> {
  const { served, set } = kept;
  let asked = 0;
  for (const endpoint of served) {
    if (kept.stopped) return;
    if (set.has(endpoint)) continue;
    if (((await backlogOf(kept, endpoint)) ?? 0) > 0) openQuietly(kept, endpoint);
    asked += 1;
    if (asked % SWEEP_AT_ONCE === 0) await pause(SWEEP_PAUSE_MS);
  }
}

async function closeIdle(kept: Kept, idleAfterMs: number): Promise<void> {
  for (const endpoint of kept.set.idleFor(idleAfterMs)) {
    if (kept.stopped) return;
    if ((await backlogOf(kept, endpoint)) === 0) await giveUp(kept, endpoint);
  }
}

async function pause(forMs: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, forMs).unref());
}

/** Null = the server does not say: then a lane stays as it is, since attempts may wait there. */
async function backlogOf({ options }: Kept, endpoint: string): Promise<number | null> {
  return await options.backlog(endpoint).catch(() => null);
}

/** Where more lanes are wanted than there may be, those go that have nothing to do, the longest idle first. */
async function makeRoom(kept: Kept): Promise<void> {
  const { set, wanted } = kept;
  openWanted(kept);
  if (wanted.size === 0) return;
  for (const endpoint of set.idleFor(SPARE_AFTER_MS)) {
    if (wanted.size === 0 || kept.stopped) return;
    if (isHeld(kept, endpoint)) await set.close(endpoint);
    else if ((await backlogOf(kept, endpoint)) === 0) await giveUp(kept, endpoint);
    openWanted(kept);
  }
}

function openWanted(kept: Kept): void {
  const { set, wanted } = kept;
  for (const endpoint of wanted) {
    if (set.isFull()) return;
    wanted.delete(endpoint);
    if (!isHeld(kept, endpoint)) openQuietly(kept, endpoint);
  }
}

/** What came in that very moment is found a little later. */
async function giveUp(kept: Kept, endpoint: string): Promise<void> {
  await kept.options.withdraw(endpoint);
  await kept.set.close(endpoint);
  const lookAgain = async (): Promise<void> => {
    if (kept.stopped) return;
    const waiting = await backlogOf(kept, endpoint);
    if (waiting === null) lookLater();
    else if (waiting > 0) await need(kept, endpoint);
  };
  const lookLater = (): void => void setTimeout(() => void lookAgain().catch(() => undefined), LOOK_AGAIN_MS).unref();
  lookLater();
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
