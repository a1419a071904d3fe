/**
 * Vitest global setup: development servers for a whole run, in memory, on free ports, one for each file that runs at
 * the same time, so that no two files ever meet on one. Tests take theirs from `temporalAddress()` in `temporal.ts`.
 */
import type { TestProject } from "vitest/node";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";

/** Every project gets its own copy of this module; the process they share is where the servers are kept. */
const SHARED = Symbol.for("countersign.test.temporal-server");

interface Shared {
  readonly servers: Promise<DevServer>[];
  users: number;
}

/** Limits of a production cluster that a burst of tests would meet before anything of ours is at fault. */
const DYNAMIC_CONFIG = {
  "frontend.namespaceRPS": 20_000,
  "frontend.rps": 20_000,
  "frontend.namespaceRPS.visibility": 2_000,
  "frontend.namespaceCount": 20_000,
  "matching.rps": 20_000,
  "history.rps": 20_000,
  "system.visibilityPersistenceMaxReadQPS": 20_000,
} as const;

export async function setup(project: TestProject): Promise<void> {
  const shared = sharedServers();
  shared.users += 1;
  while (shared.servers.length < project.config.maxWorkers) shared.servers.push(start());
  const servers = await Promise.all(shared.servers);
  project.provide(
    "temporalAddresses",
    servers.map(({ address }) => address),
  );
}

export async function teardown(): Promise<void> {
  const shared = sharedServers();
  shared.users -= 1;
  if (shared.users > 0) return;
  Reflect.deleteProperty(globalThis, SHARED);
  for (const server of shared.servers) await (await server).stop();
}

function sharedServers(): Shared {
  const known: unknown = Reflect.get(globalThis, SHARED);
  // Only this function writes the property.
  if (known !== undefined) return known as Shared;
  const shared: Shared = { servers: [], users: 0 };
  Reflect.set(globalThis, SHARED, shared);
  return shared;
}

function start(): Promise<DevServer> {
  return startDevServer({
    environment: process.env,
    namespace: "default",
    dynamicConfig: DYNAMIC_CONFIG,
    announce: (sentence) => process.stderr.write(`${sentence}\n`),
  });
}
