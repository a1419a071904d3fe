/**
 * The lanes of this process: each endpoint's own activity queue, polled only while needed.
 *
 * A lane opens when an attempt is about to be put on it, when the registry says it is in
 * use, or when a sweep finds work waiting there; it closes once it has been idle.
 */
import { MINUTE_MS } from "../delivery/durations.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { GateMap } from "./gate-snapshot.ts";

const MAX_LANES = 100;
/** At most 20 a second: the server limits how many pollers may arrive at once. */
const OPEN_PAUSE_MS = 50;
const SWEEP_EVERY_MS = 10 * MINUTE_MS;
const IDLE_AFTER_MS = 10 * MINUTE_MS;

/** A polling worker of one lane. */
export interface Lane {
  /** When it last had an attempt in hand, milliseconds since the epoch. */
  lastUsedMs(): number;
  /** Settles when it polls no more, for whatever reason; never rejects. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface LaneKeeperOptions {
  /** Endpoints whose lanes this process may poll. */
  readonly served: readonly string[];
  open(endpoint: string): Promise<Lane>;
  /** Tasks waiting on the lane, as the server counts them (approximate). */
  backlog(endpoint: string): Promise<number>;
  /** Enters a lane in the registry unless it stands there. */
  announce(endpoint: string): Promise<void>;
  /** Takes an idle lane out of the registry. */
  withdraw(endpoint: string): Promise<void>;
  readonly log: Logger;
}

export interface LaneKeeper {
  /** Opens the lane here if it is served, and makes sure other processes hear of it. */
  need(endpoint: string): Promise<void>;
  /** Follows the registry: opens what others use. */
  follow(gates: GateMap): void;
  /** Opens every served lane on which work waits, and closes those that have been idle. */
  sweep(): Promise<void>;
  openLanes(): readonly string[];
  stop(): Promise<void>;
}

export function keepLanes(options: LaneKeeperOptions): LaneKeeper {
  const served = new Set(options.served);
  const lanes = new Map<string, Promise<Lane>>();
  let turn: Promise<void> = Promise.resolve();
  let stopped = false;

  const open = async (endpoint: string): Promise<void> => {
    const known = lanes.get(endpoint);
    if (known !== undefined) return void (await known);
    if (stopped || !served.has(endpoint) || lanes.size >= MAX_LANES) return;
    const opening = turn.then(async () => await options.open(endpoint));
    turn = opening.then(pause, pause);
    lanes.set(endpoint, opening);
    opening.catch(() => lanes.delete(endpoint));
    const lane = await opening;
    // One that died is taken off, so that the next need or sweep opens it anew.
    void lane.ended.then(() => {
      if (lanes.get(endpoint) === opening) lanes.delete(endpoint);
    });
  };
  const close = async (endpoint: string): Promise<void> => {
    const lane = lanes.get(endpoint);
    lanes.delete(endpoint);
    // One that could not be opened needs no stopping.
    await (await lane?.catch(() => undefined))?.stop();
  };
  const openQuietly = (endpoint: string): void => {
    open(endpoint).catch((error: unknown) => options.log.warn({ endpoint, error: nameOf(error) }, "lane.not_opened"));
  };
  const sweep = async (): Promise<void> => {
    for (const endpoint of served) {
      if (stopped) return;
      const waiting = await options.backlog(endpoint).catch(() => 0);
      const lane = await lanes.get(endpoint)?.catch(() => undefined);
      if (waiting > 0) openQuietly(endpoint);
      else if (lane !== undefined && Date.now() - lane.lastUsedMs() > IDLE_AFTER_MS) {
        await options.withdraw(endpoint);
        await close(endpoint);
      }
    }
  };
  const timer = setInterval(() => void sweep().catch(() => undefined), SWEEP_EVERY_MS);

  return {
    async need(endpoint) {
      await Promise.all([open(endpoint), options.announce(endpoint)]);
    },
    follow(gates) {
      for (const [endpoint, entry] of Object.entries(gates))
        if (entry.laneInUse && served.has(endpoint)) openQuietly(endpoint);
    },
    sweep,
    openLanes: () => [...lanes.keys()],
    async stop() {
      stopped = true;
      clearInterval(timer);
      await Promise.all([...lanes.keys()].map(close));
    },
  };
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, OPEN_PAUSE_MS));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
