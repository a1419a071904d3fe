/** A stage for tests on a real server: a destination, a configuration, a worker in this process and clients. */
import type { Client } from "@temporalio/client";
import { expect } from "vitest";
import type { Handler } from "../../src/activities/handler.ts";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import type { EventReport } from "../../src/client/get-event.ts";
import type { Config } from "../../src/config/config.ts";
import { endpointWorkflowId, GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { type RunningWorker, startWorker, type WorkerSettings } from "../../src/worker/start-worker.ts";
import { aConfig, type ConfigParts } from "./a-config.ts";
import { type Destination, type Script, startDestination } from "./destination.ts";
import { connectTestClient, temporalAddress } from "./temporal.ts";

export interface StageOptions extends Omit<ConfigParts, "baseUrl"> {
  /** By endpoint name; an endpoint without one is answered 200. */
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly handlers?: readonly Handler[];
  /** Workflow task slots of each worker. */
  readonly concurrency?: number;
}

export interface Stage {
  readonly destination: Destination;
  readonly config: Config;
  readonly address: string;
  /** A bare Temporal client on a connection of its own. */
  readonly temporal: Client;
  /** The facade on a connection of its own, as another process has it. */
  readonly far: ConnectedCountersign;
  /** The facade of the worker that was started last: its submits start eagerly. */
  near(): RunningWorker["client"];
  startWorker(settings?: WorkerSettings): Promise<RunningWorker>;
  /** Stops the workers that run now, but for those with `only`. */
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything; the caller closes it. One stage per file: a worker takes seconds to start. */
export async function openStage(options: StageOptions): Promise<Stage> {
  const { scripts = {}, handlers = [], concurrency, ...parts } = options;
  const address = temporalAddress();
  const destination = await startDestination(
    Object.fromEntries(Object.entries(scripts).map(([name, script]) => [`/${name}`, script])),
  );
  const config = aConfig({ ...parts, baseUrl: destination.url });
  const { client: temporal, close: closeClient } = await connectTestClient();
  const far = await connect({ config, address });
  const log = createLogger("silent");
  const running = new Set<RunningWorker>();
  const stage: Stage = {
    destination,
    config,
    address,
    temporal,
    far,
    near: () => [...running].at(-1)?.client ?? far,
    async startWorker(settings = {}) {
      const worker = await startWorker({
        config,
        address,
        handlers,
        log,
        environment: {},
        ...(concurrency === undefined ? {} : { concurrency }),
        ...settings,
      });
      if (settings.only === undefined) running.add(worker);
      return worker;
    },
    async stopWorker() {
      await Promise.all([...running].map(async (worker) => await worker.stop()));
      running.clear();
    },
    async close() {
      await stage.stopWorker();
      await endRegistry(temporal, Object.keys(config.endpoints));
      await Promise.all([far.close(), closeClient(), destination.close()]);
    },
  };
  await stage.startWorker();
  return stage;
}

/** Registry and endpoints are one per namespace and run on the queue that started them, which ends with this file. */
async function endRegistry(temporal: Client, endpoints: readonly string[]): Promise<void> {
  const ids = [GATES_WORKFLOW_ID, ...endpoints.map(endpointWorkflowId)];
  await Promise.all(
    ids.map(async (id) => {
      await temporal.workflow
        .getHandle(id)
        .terminate("end of a test file")
        .catch(() => undefined);
    }),
  );
}

/**
 * The state by `get`, after making sure that it equals the workflow's own word: the result of
 * a closed run, the `state` query of an open one. Conflicts are `get`'s alone.
 */
export async function exactState(
  { far, temporal }: Pick<Stage, "far" | "temporal">,
  key: string,
): Promise<EventReport> {
  const handle = temporal.workflow.getHandle(key);
  const { status } = await handle.describe();
  // Asked first: what the workflow has seen, the server has recorded before.
  const own: unknown = status.name === "RUNNING" ? await handle.query("state") : await handle.result();
  const state = await far.get(key);
  expect({ ...state, conflicts: [] }).toEqual(own);
  return state;
}

/** Every payload of a run's history as text, summaries included: what may hold no secret. */
export async function historyText(temporal: Client, key: string): Promise<string> {
  const { events } = await temporal.workflow.getHandle(key).fetchHistory();
  return textsIn(events).join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString("utf8")];
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
