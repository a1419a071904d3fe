/**
 * A memory of failed attempts: whoever keeps failing waits longer for each answer.
 *
 * It is asked only about attempts that have failed, after the key was judged. So a valid key is
 * never slowed, whatever others at its address do. Guessing is hopeless without it; it keeps logs
 * and counters readable, and a client with a wrong key from asking a thousand times a second.
 */
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { clientBlock } from "./client-block.ts";

export interface FailedAttempt {
  /** Of this client since it was last forgotten, with this one. */
  readonly failures: number;
  /** How long its answer is held back. */
  readonly delayMs: number;
}

export interface SlowDown {
  /** Counts an attempt that has failed; `address` as the socket or a trusted proxy says it. */
  recordFailure(address: string, nowMs: number): FailedAttempt;
  /** How many clients are remembered. */
  size(): number;
}

/** A typing mistake costs nobody anything. */
const FREE_FAILURES = 3;
const FIRST_DELAY_MS = 250;
/** Below the patience of HTTP clients, and little enough that answers held back do not pile up. */
const MAX_DELAY_MS = 5 * SECOND_MS;
/** After as long without a failure a client starts anew. */
const FORGET_MS = 15 * MINUTE_MS;
/** A few megabytes. Who was silent for longest is forgotten first. */
const MAX_CLIENTS = 10_000;
interface Client {
  readonly failures: number;
  readonly lastAtMs: number;
}

export function createSlowDown({ maxClients = MAX_CLIENTS }: { readonly maxClients?: number } = {}): SlowDown {
  /** In the order of their last failure. */
  const clients = new Map<string, Client>();
  return {
    recordFailure(address, nowMs) {
      const block = clientBlock(address);
      const failures = failuresBefore(clients.get(block), nowMs) + 1;
      clients.delete(block);
      clients.set(block, { failures, lastAtMs: nowMs });
      forgetOldest(clients, maxClients);
      return { failures, delayMs: delayAfter(failures) };
    },
    size: () => clients.size,
  };
}

/** A clock that was set back forgets nobody. */
function failuresBefore(client: Client | undefined, nowMs: number): number {
  return client === undefined || nowMs - client.lastAtMs >= FORGET_MS ? 0 : client.failures;
}

function forgetOldest(clients: Map<string, Client>, maxClients: number): void {
  for (const oldest of clients.keys()) {
    if (clients.size <= maxClients) return;
    clients.delete(oldest);
  }
}

/** Nothing for the first ones, then 250 ms, doubled by each further one, at most 5 s. */
function delayAfter(failures: number): number {
  if (failures <= FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES - 1));
}
