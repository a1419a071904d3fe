/**
 * A bounded set of kept connections to one origin, one request at a time each.
 *
 * undici's own Pool would do, but requests it queues are stranded for ever once
 * a connection attempt fails while they wait, and it cannot take one back.
 */
import { Client } from "undici";
import type { buildConnector } from "undici";

export interface Connections {
  /**
   * Calls `use` with a connection as soon as one is free: at once, or when an
   * earlier lease is released, first come first served.
   */
  readonly lease: (use: (client: Client) => void) => Lease;
  readonly close: () => Promise<void>;
}

export interface Lease {
  /**
   * Gives the connection back, or the place in the queue. `"discard"` when the
   * request may still be waiting inside undici for a connection being made.
   */
  readonly release: (what: "keep" | "discard") => void;
}

export interface ConnectionOptions {
  readonly origin: string;
  readonly max: number;
  readonly connect: buildConnector.connector;
}

/** One request per connection; a pinned address is looked up anew after at most a minute of idleness. */
const CLIENT_OPTIONS = { pipelining: 1, allowH2: false, maxHeaderSize: 16 * 1024, keepAliveMaxTimeout: 60_000 };

export function createConnections({ origin, max, connect }: ConnectionOptions): Connections {
  const idle: Client[] = [];
  const waiting = new Set<() => void>();
  let leasedCount = 0;

  const startNext = (): void => {
    const [next] = waiting;
    if (next === undefined || leasedCount >= max) return;
    waiting.delete(next);
    next();
  };

  const lease: Connections["lease"] = (use) => {
    let client: Client | null = null;
    const start = (): void => {
      leasedCount += 1;
      // The last one used is the likeliest to be still connected.
      client = idle.pop() ?? new Client(origin, { ...CLIENT_OPTIONS, connect });
      use(client);
    };
    waiting.add(start);
    startNext();
    const release: Lease["release"] = (what) => {
      waiting.delete(start);
      if (client === null) return;
      leasedCount -= 1;
      if (what === "keep") idle.push(client);
      else void client.destroy();
      client = null;
      startNext();
    };
    return { release };
  };

  const close = async (): Promise<void> => {
    await Promise.all(idle.splice(0).map((client) => client.destroy()));
  };
  return { lease, close };
}
