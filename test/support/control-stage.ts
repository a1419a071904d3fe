/**
 * A stage for endpoints under control, as it is operated: a Temporal server on a database file, workers that are
 * `countersign worker` processes, endpoints with their own defaults at one destination. Each of them can be killed.
 */
import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawConfig, RawEndpoint } from "../../src/config/raw-config.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aFolder, type RunningCommand, startCommand } from "./command-line.ts";
import { type Destination, type DestinationRequest, type Script, startDestination } from "./destination.ts";
import { inBatches } from "./in-batches.ts";
import { patiently } from "./patiently.ts";

/** For a first answer of a server on a busy machine. */
const PATIENCE_MS = 60 * SECOND_MS;
/** A file system that Linux keeps in memory; containers often have next to none. */
const IN_MEMORY = "/dev/shm";
/** Far above the file of a run of thousands of events. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

export interface ControlStageOptions {
  /** An event of type `<endpoint>` goes to that endpoint. */
  readonly endpoints: Readonly<Record<string, RawEndpoint>>;
  /** By endpoint name; an endpoint without one is answered 200. */
  readonly scripts?: Readonly<Record<string, Script>>;
}

/** An event that was accepted. */
export interface Accepted {
  readonly id: string;
  readonly key: string;
  /** When it had been accepted, milliseconds since the epoch. */
  readonly atMs: number;
}

export interface Traffic {
  /** Submits no more; resolves with all that it has submitted. */
  stop(): Promise<readonly Accepted[]>;
}

export interface ControlStage {
  readonly destination: Destination;
  readonly client: ConnectedCountersign;
  /** A bare Temporal client. */
  readonly temporal: Client;
  /** Resolves once it polls. */
  startWorker(): Promise<RunningCommand>;
  /** SIGKILL to all that live. */
  killWorkers(): Promise<void>;
  /** SIGKILL: what is not in its file is lost. */
  killTemporal(): Promise<void>;
  /** On the same file and port. */
  startTemporal(): Promise<void>;
  submitMany(endpoint: string, count: number): Promise<readonly Accepted[]>;
  /** Submits at that pace until it is stopped. */
  submitSteadily(endpoint: string, perSecond: number): Traffic;
  requestsTo(endpoint: string): readonly DestinationRequest[];
  /** By the ID of their event, each in order. */
  requestsByEvent(): ReadonlyMap<string, readonly DestinationRequest[]>;
  /** Kills what still lives. */
  close(): Promise<void>;
}

export async function openControlStage({ endpoints, scripts = {} }: ControlStageOptions): Promise<ControlStage> {
  const destination = await startDestination(
    Object.fromEntries(Object.entries(scripts).map(([name, script]) => [`/${name}`, script])),
  );
  const raw = rawConfigOf(destination.url, endpoints);
  const folder = await aFolder({ "countersign.config.json": JSON.stringify(raw) });
  const temporal = await openTemporal(await databaseFolder());
  const { address } = temporal;
  const config = parseConfig(raw, { path: null });
  const connection = await Connection.connect({ address, connectTimeout: PATIENCE_MS });
  const client = await connect({ config, address, environment: {}, deadlineMs: PATIENCE_MS });
  const workers = openWorkers(folder.path, address);
  let submitted = 0;
  const submit = async (type: string): Promise<Accepted> => {
    submitted += 1;
    const id = `${type}-${submitted}`;
    const { key } = await patiently(async () => await client.submit({ source: "shop", id, type, data: { id } }));
    return { id, key, atMs: Date.now() };
  };
  return {
    destination,
    client,
    temporal: new Client({ connection }),
    startWorker: workers.start,
    killWorkers: workers.kill,
    killTemporal: temporal.kill,
    startTemporal: temporal.start,
    submitMany: async (endpoint, count) =>
      await inBatches(Array.from({ length: count }), async () => await submit(endpoint)),
    submitSteadily: (endpoint, perSecond) => steady(async () => await submit(endpoint), perSecond),
    requestsTo: (endpoint) => destination.requests.filter(({ path }) => path === `/${endpoint}`),
    requestsByEvent: () => byEvent(destination.requests),
    async close() {
      await workers.kill();
      await Promise.all([client.close(), connection.close(), destination.close()]);
      await Promise.all([temporal.remove(), folder.remove()]);
    },
  };
}

function rawConfigOf(url: string, endpoints: ControlStageOptions["endpoints"]): RawConfig {
  const own = Object.entries(endpoints).map(([name, endpoint]) => [
    name,
    { url: `${url}/${name}`, allowPrivate: ["127.0.0.0/8"], ...endpoint },
  ]);
  return {
    sources: { shop: {} },
    endpoints: Object.fromEntries(own),
    routes: Object.keys(endpoints).map((name) => ({ match: { type: name }, to: [name] })),
  };
}

function byEvent(requests: readonly DestinationRequest[]): ReadonlyMap<string, readonly DestinationRequest[]> {
  const groups = new Map<string, DestinationRequest[]>();
  for (const request of requests) {
    const id = request.headers["ce-id"] ?? "";
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [request]);
    else group.push(request);
  }
  return groups;
}

interface TemporalOnFile {
  readonly address: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Kills it, and its file goes. */
  remove(): Promise<void>;
}

async function openTemporal(folder: string): Promise<TemporalOnFile> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
  const dbFilename = join(folder, "temporal.db");
  const start = async (): Promise<DevServer> =>
    await startDevServer({ environment: process.env, namespace: "default", port: claimed.port, dbFilename });
  let server = await start();
  let lives = true;
  const kill = async (): Promise<void> => {
    if (!lives) return;
    lives = false;
    process.kill(server.pid, "SIGKILL");
    await server.exited;
  };
  return {
    address: server.address,
    kill,
    async start() {
      server = await start();
      lives = true;
    },
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * In memory where there is room: processes are killed here, not machines, so what matters is that the file outlives
 * them. The server commits each step by itself, and a slow disk would be all that is measured.
 */
async function databaseFolder(): Promise<string> {
  const room = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return await mkdtemp(join(room >= ENOUGH_BYTES ? IN_MEMORY : tmpdir(), "countersign-control-"));
}

interface Workers {
  start(): Promise<RunningCommand>;
  kill(): Promise<void>;
}

function openWorkers(cwd: string, address: string): Workers {
  const living = new Set<RunningCommand>();
  const foreign = Object.keys(process.env).filter((name) => name.startsWith("TEMPORAL_"));
  const cleared = Object.fromEntries(foreign.map((name) => [name, undefined]));
  const environment = {
    ...process.env,
    ...cleared,
    TEMPORAL_ADDRESS: address,
    COUNTERSIGN_LOG: "info",
    NODE_OPTIONS: `--import ${new URL("ends-with-parent.mjs", import.meta.url).href}`,
  };
  return {
    async start() {
      const command = startCommand(["worker"], { cwd, environment });
      living.add(command);
      await command.says("Stop with Ctrl-C");
      return command;
    },
    async kill() {
      const all = [...living];
      living.clear();
      for (const command of all) command.signal("SIGKILL");
      await Promise.all(all.map(async ({ finished }) => await finished));
    },
  };
}

function steady(submit: () => Promise<Accepted>, perSecond: number): Traffic {
  const over = new AbortController();
  const startedMs = Date.now();
  const run = async (): Promise<readonly Accepted[]> => {
    const submits: Promise<Accepted>[] = [];
    while (!over.signal.aborted) {
      const one = submit();
      // Told to whoever stops it, not before.
      one.catch(() => undefined);
      submits.push(one);
      await pause(Math.max(0, startedMs + (submits.length * SECOND_MS) / perSecond - Date.now()));
    }
    return await Promise.all(submits);
  };
  const running = run();
  return {
    async stop() {
      over.abort();
      return await running;
    },
  };
}
