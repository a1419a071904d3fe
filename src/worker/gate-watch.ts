/**
 * Compares, every minute, what the workflows of endpoints, the registry and the lanes say,
 * and has put right what differs. Also tells the circuit of a changed configuration.
 */
import { entryOf, type GateMap, OPEN_GATE, sameGate } from "../delivery/gates/gate-entry.ts";
import { refusedVersions } from "../delivery/gates/control.ts";
import { compareGates, type Repair, type SeenGate } from "../delivery/gates/compare-gates.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import type { LaneRate } from "../delivery/gates/lane-rate.ts";
import type { Logger } from "../telemetry/logger.ts";

export interface GateWatchParts {
  /** Endpoints whose workflow runs, as far as visibility knows. */
  running(): Promise<readonly string[]>;
  registry(): GateMap;
  /** Endpoints whose lanes are polled here. */
  openLanes(): readonly string[];
  /** Only these are looked at: what this process does not know is others' business. */
  readonly known: readonly string[];
  control(endpoint: string): Promise<{ readonly isRunning: boolean; readonly control: SeenGate["control"] }>;
  lane(endpoint: string): Promise<SeenGate["lane"]>;
  limitOf(endpoint: string): LaneRate;
  /** What the endpoint is here; null = this process does not deliver to it. */
  versionOf(endpoint: string): string | null;
  repair(endpoint: string, repair: Exclude<Repair, { readonly do: "nothing" }>): Promise<void>;
  configured(endpoint: string, version: string): Promise<void>;
  readonly log: Logger;
}

export interface GateWatch {
  /** Compares everything once. */
  look(): Promise<void>;
  stop(): void;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** Not all processes at the same moment. */
const SPREAD_MS = 10 * SECOND_MS;
/** What is being changed just now looks like a difference for a moment. */
const LOOK_AGAIN_MS = 3 * SECOND_MS;

export function watchGates(parts: GateWatchParts): GateWatch {
  let stopped = false;
  const isStopped = (): boolean => stopped;
  let underWay: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    underWay ??= lookAtAll(parts, isStopped).finally(() => (underWay = null));
    await underWay;
  };
  const lookQuietly = (): void => {
    look().catch((error: unknown) => parts.log.warn({ err: error }, "gates.not_compared"));
  };
  const timer = setInterval(() => void (underWay ?? lookQuietly()), LOOK_EVERY_MS + Math.random() * SPREAD_MS);
  return {
    look,
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** What differs is looked at once more, all of it after one wait: when the registry is lost, everything differs. */
async function lookAtAll(parts: GateWatchParts, isStopped: () => boolean): Promise<void> {
  const names = new Set([...(await parts.running()), ...notPlain(parts.registry()), ...parts.openLanes()]);
  const different: { readonly endpoint: string; readonly repair: Repair }[] = [];
  for (const endpoint of parts.known) {
    if (isStopped()) return;
    const repair = names.has(endpoint) ? await comparedQuietly(parts, endpoint) : NOTHING;
    if (repair.do !== "nothing") different.push({ endpoint, repair });
  }
  if (different.length === 0) return;
  await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_AGAIN_MS).unref());
  for (const { endpoint, repair } of different) {
    if (isStopped()) return;
    await putRight(parts, endpoint, repair).catch(notCompared(parts, endpoint));
  }
}

const NOTHING: Repair = { do: "nothing" };

async function putRight(parts: GateWatchParts, endpoint: string, first: Repair): Promise<void> {
  const second = await compared(parts, endpoint);
  if (second.do === "nothing" || second.do !== first.do) return;
  parts.log.warn({ endpoint, repair: second.do }, "gate.put_right");
  await parts.repair(endpoint, second);
}

async function comparedQuietly(parts: GateWatchParts, endpoint: string): Promise<Repair> {
  return await compared(parts, endpoint).catch((error: unknown) => {
    notCompared(parts, endpoint)(error);
    return NOTHING;
  });
}

function notCompared({ log }: GateWatchParts, endpoint: string): (error: unknown) => void {
  return (error) => log.warn({ endpoint, err: error }, "gate.not_compared");
}

/** A lane in use and plain open is looked at by those that have it open: there may be very many. */
function notPlain(gates: GateMap): readonly string[] {
  return Object.keys(gates).filter((endpoint) => !sameGate(gates[endpoint] ?? OPEN_GATE, OPEN_GATE));
}

async function compared(parts: GateWatchParts, endpoint: string): Promise<Repair> {
  const [run, lane] = await Promise.all([parts.control(endpoint), parts.lane(endpoint)]);
  // It has been started and no worker has taken it in hand: what it will say is not known.
  if (run.isRunning && run.control === null) return { do: "nothing" };
  const control = run.isRunning ? run.control : null;
  const version = parts.versionOf(endpoint);
  const trip = control?.trip ?? null;
  if (trip?.untilMs === null && version !== null && !refusedVersions(trip).includes(version)) {
    await parts.configured(endpoint, version);
  }
  const entry = entryOf(parts.registry(), endpoint);
  return compareGates({ control, entry, lane, limit: parts.limitOf(endpoint) }, Date.now());
}
