/** Starts a worker process: connect, check, load, poll. */
import { setMaxListeners } from "node:events";
import { createActivities } from "../activities/create-activities.ts";
import type { Handler } from "../activities/handler.ts";
import { type Countersign, createCountersign } from "../client/countersign.ts";
import { requireEndpoint } from "../client/endpoint-words.ts";
import { createReadiness } from "../client/readiness.ts";
import { putLaneInUse } from "../client/gate-registry.ts";
import { ensureLimit, readLane } from "../client/lane-queue.ts";
import type { Session } from "../client/session.ts";
import type { Config } from "../config/config.ts";
import { chooseConfig } from "../config/choose-config.ts";
import type { RawConfig } from "../config/raw-config.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import type { GateChange } from "../delivery/gates/gate-entry.ts";
import { createSend } from "../egress/send.ts";
import { createLogger, type Logger } from "../telemetry/logger.ts";
import { connectNative } from "../temporal/connect-native.ts";
import { ensureSearchAttributes } from "../temporal/search-attributes.ts";
import { checkServer } from "../temporal/server-check.ts";
import { USER_AGENT } from "../version.ts";
import { activityLog, composeActivities, type CountedAttempt, type CountedLookup, resolveServed } from "./compose.ts";
import { createEndpointControl } from "./endpoint-control.ts";
import { watchGatesOn } from "./gate-repairs.ts";
import { createLaneAnnouncer } from "./lane-announcer.ts";
import { openLane, withdrawLane } from "./lane-worker.ts";
import { type LostAttempt, tellingLost } from "./lost-attempts.ts";
import { keepLanes } from "./lanes.ts";
import { handlersFor, loadHandlers } from "./load-handlers.ts";
import { createMainWorker } from "./main-worker.ts";
import { installRuntime } from "./runtime.ts";
import { runWorkers } from "./run-workers.ts";

export interface WorkerSettings {
  /** What `defineConfig` takes; absent = found from the working directory. */
  readonly config?: Config | RawConfig;
  /** Poll only these endpoints' lanes and run no workflows: the place for credentials that must live apart. */
  readonly only?: readonly string[];
  /** Besides those of the configuration's handler modules. */
  readonly handlers?: readonly Handler[];
  /** Workflow task slots, 200 by default; the bulkheads follow from it. */
  readonly concurrency?: number;
  /** Aborting it stops the worker like `stop()`. */
  readonly signal?: AbortSignal;
  /** How long the lane of an endpoint stays open without work; ten minutes by default. */
  readonly laneIdleMs?: number;
  /** A failure that ended the worker; by default it is logged. */
  readonly onError?: (error: unknown) => void;
  /** Told of each attempt this process makes, for counters of your own. */
  readonly onAttempt?: (attempt: CountedAttempt) => void;
  /** Told each time this process has asked what became of an attempt, and what was found. */
  readonly onLookup?: (lookup: CountedLookup) => void;
  /** Told of each change of an endpoint's gate that this process has applied. */
  readonly onGate?: (change: GateChange) => void;
  /** Told of each attempt that this process finds lost with the worker that made it. */
  readonly onLostAttempt?: (lost: LostAttempt) => void;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly log?: Logger;
  /** A server this process started itself; absent = `TEMPORAL_*` variables or a profile. */
  readonly address?: string;
}

export interface RunningWorker {
  /** Shares the worker's connection, so its submits start eagerly. */
  readonly client: Countersign;
  /** Resolves once the worker polls. */
  readonly ready: Promise<void>;
  /** Lets requests in flight finish within their time-outs, then leaves. */
  stop(): Promise<void>;
}

const DEFAULT_SLOTS = 200;
/** What a request in flight may need beyond its own deadline to be reported. */
const REPORT_MS = 5 * SECOND_MS;

/**
 * Starts a worker in this process.
 *
 * Throws `config_invalid`, `missing_env`, `handler_missing`, `unknown_endpoint` before
 * anything is polled; `temporal_unreachable`, `unsupported_server`,
 * `search_attributes_missing` when the server cannot be used.
 */
export async function startWorker(settings: WorkerSettings = {}): Promise<RunningWorker> {
  const environment = settings.environment ?? process.env;
  const config = await chooseConfig(settings.config, environment);
  const log = settings.log ?? createLogger();
  const served = servedEndpoints(config, settings.only);
  const resolved = resolveServed(config, served, environment);
  const handlers = handlersFor(
    [...resolved.values()],
    [...(settings.handlers ?? []), ...(await loadHandlers(config.handlers))],
  );
  installRuntime(log);
  const connected = await connectNative({ temporal: config.temporal, environment, address: settings.address });
  try {
    await prepare(config, connected, log);
    return await run({ settings, config, log, served, resolved, handlers, connected });
  } catch (error) {
    await connected.close();
    throw error;
  }
}

type Connected = Awaited<ReturnType<typeof connectNative>>;

/** Absent `only`: everything that is not isolated. */
function servedEndpoints(config: Config, only: readonly string[] | undefined): readonly string[] {
  if (only !== undefined) {
    for (const name of only) requireEndpoint({ config }, name);
    return [...new Set(only)];
  }
  return Object.values(config.endpoints).flatMap(({ name, isolated }) => (isolated ? [] : [name]));
}

async function prepare(config: Config, { client, connection, namespace }: Connected, log: Logger): Promise<void> {
  await ensureSearchAttributes(connection, namespace);
  const { taskQueue } = config.temporal;
  const check = await checkServer(client, { namespace, taskQueue, dedupeWindowMs: config.dedupeWindowMs });
  for (const warning of check.warnings) log.warn({ warning }, "server.warning");
}

interface WorkerParts {
  readonly settings: WorkerSettings;
  readonly config: Config;
  readonly log: Logger;
  readonly served: readonly string[];
  readonly resolved: ReturnType<typeof resolveServed>;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly connected: Connected;
}

/** Everything of a worker process but its polling. */
function assemble({ settings, config, log, served, resolved, handlers, connected }: WorkerParts) {
  const { client, connection, namespace } = connected;
  const session: Session = { client, config, eager: false, ...createReadiness({ client, config, eager: false }) };
  const slots = settings.concurrency ?? DEFAULT_SLOTS;
  const stopping = new AbortController();
  // Every attempt in flight listens to it: there are as many listeners as attempts, and that is no leak.
  setMaxListeners(0, stopping.signal);
  const { send, close: closeSend } = createSend();
  const graceMs = Math.max(0, ...[...resolved.values()].map(({ timeouts }) => timeouts.totalMs)) + REPORT_MS;
  const onLaneError = (error: unknown): void => log.error({ err: error }, "lane.failed");
  const laneParts = { session, connection, namespace, graceMs, onError: onLaneError };
  const control = createEndpointControl({
    session,
    resolved,
    log,
    activityLog: activityLog({ log, onAttempt: settings.onAttempt }),
    onRegistry: (map) => lanes.follow(map),
    onGate: settings.onGate,
  });
  const lanes = keepLanes({
    served,
    async open(endpoint) {
      await ensureLimit(session, endpoint, control.limitOf(endpoint));
      return await openLane(laneParts, endpoint, () => activities);
    },
    backlog: async (endpoint) => (await readLane(session, endpoint)).held,
    announce: createLaneAnnouncer({
      isShown: (endpoint) => control.snapshot.entry(endpoint)?.laneInUse === true,
      enter: async (endpoint) => await putLaneInUse(session, endpoint),
      now: () => performance.now(),
    }),
    withdraw: async (endpoint) => await withdrawLane(session, endpoint, control.snapshot.entry(endpoint)),
    idleAfterMs: settings.laneIdleMs,
    log,
  });
  const made = createActivities(
    composeActivities({
      session,
      resolved,
      handlers,
      send,
      slots,
      stopping: stopping.signal,
      log,
      onAttempt: settings.onAttempt,
      onLookup: settings.onLookup,
      userAgent: USER_AGENT,
      gates: control.gates,
      gateOpen: control.gateOpen,
      openLane: async (endpoint) => await lanes.need(endpoint),
    }),
  );
  const activities = tellingLost(made, { log, onLost: settings.onLostAttempt });
  const known = settings.only === undefined ? Object.keys(config.endpoints) : served;
  const watch = watchGatesOn({ session, control, known, openLanes: () => lanes.openLanes(), log });
  const mainParts = { ...laneParts, activities: { ...activities, ...control.activities }, slots };
  return { control, lanes, watch, mainParts, stopping, graceMs, closeSend };
}

type Assembly = ReturnType<typeof assemble>;

async function run(parts: WorkerParts): Promise<RunningWorker> {
  const { settings, config, log, connected } = parts;
  const assembly = assemble(parts);
  const { control, lanes, watch, stopping, graceMs, closeSend } = assembly;
  const stopLanes = async (): Promise<void> => {
    watch.stop();
    await lanes.stop();
  };
  // After the last attempt: what that one meets, a Retry-After say, is still told.
  const release = async (): Promise<void> => {
    await control.stop();
    await closeSend();
  };
  const main = await begin(parts, assembly).catch(async (error: unknown) => {
    await stopLanes();
    await release();
    throw error;
  });
  if (main !== null) void lanes.sweep().catch((error: unknown) => log.warn({ err: error }, "lanes.not_swept"));
  void watch.look().catch((error: unknown) => log.warn({ err: error }, "gates.not_compared"));
  return runWorkers({
    main,
    client: createCountersign({ client: connected.client, config, eager: main !== null }),
    signal: settings.signal,
    onError: settings.onError ?? ((error) => log.error({ err: error }, "worker.failed")),
    stopLanes,
    async release() {
      await release();
      await connected.close();
    },
    cutAfter: { graceMs, cut: () => stopping.abort() },
  });
}

/** Null with `only`: lanes alone. */
async function begin({ settings, served }: WorkerParts, { control, lanes, mainParts }: Assembly) {
  const { snapshot } = control;
  await snapshot.refresh();
  const main = settings.only === undefined ? await createMainWorker(mainParts) : null;
  // Bundling takes seconds, and an old copy would send first attempts to the lanes.
  await snapshot.refresh();
  if (main === null) for (const endpoint of served) await lanes.need(endpoint);
  return main;
}
