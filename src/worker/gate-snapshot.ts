/** This process's copy of the registry: which endpoints are not plain open, which lanes are in use. */
import { readRegistry } from "../client/gate-registry.ts";
import type { Session } from "../client/session.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { entryOf, type GateEntry, type GateMap } from "../delivery/gates/gate-entry.ts";
import { afterReading, gatesIn, NO_KNOWN_GATES } from "../delivery/gates/known-gates.ts";
import { everySoOften } from "./every-so-often.ts";

/** Read this often … */
const READ_EVERY_MS = 0.75 * SECOND_MS;
/** … and trusted only while younger than this. Whoever holds an endpoint waits it out, so it stays well below 3 s. */
const TRUSTED_FOR_MS = 2 * SECOND_MS;

export interface GateSnapshot {
  /** False when the copy is too old: then the lane, which the server itself holds, is the way. */
  isTrusted(): boolean;
  entry(endpoint: string): GateEntry | null;
  /** As the registry itself has it, without what one that was lost had shown: that is to be put right. */
  registry(): GateMap;
  /** Reads once now; throws when the server cannot be asked. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Starts following the registry; `onRead` hears of every copy that was read. */
export function followGates(session: Session, onRead: (gates: GateMap) => void): GateSnapshot {
  let known = NO_KNOWN_GATES;
  let gates: GateMap = {};
  let readAtMs = Number.NEGATIVE_INFINITY;
  let inHand: { readonly task: string; readonly sinceMs: number } | null = null;
  const refresh = async (): Promise<void> => {
    const startedMs = performance.now();
    const copy = await readRegistry(session, TRUSTED_FOR_MS);
    const { taskInHand: task } = copy;
    if (task === null) inHand = null;
    else if (inHand?.task !== task) inHand = { task, sinceMs: startedMs };
    // A worker took the registry's task and does not come back: the server holds back what came since.
    if (inHand !== null && startedMs - inHand.sinceMs >= READ_EVERY_MS / 2) return;
    known = afterReading(known, copy, Date.now());
    gates = gatesIn(known);
    readAtMs = startedMs;
    onRead(gates);
  };
  // A server that cannot be asked shows as an old copy, which nobody trusts.
  const timer = everySoOften(refresh, READ_EVERY_MS);
  return {
    isTrusted: () => performance.now() - readAtMs < TRUSTED_FOR_MS,
    entry: (endpoint) => entryOf(gates, endpoint),
    registry: () => known.shown,
    refresh,
    stop: () => clearInterval(timer),
  };
}
