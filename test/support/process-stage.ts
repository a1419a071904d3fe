/** A stage whose workers are processes of their own; the caller's process only submits, looks and kills. */
import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import type { Config } from "../../src/config/config.ts";
import { GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { aConfig, type ConfigParts } from "./a-config.ts";
import { type Child, startChild } from "./child.ts";
import { type Destination, type DestinationRequest, type Script, startDestination } from "./destination.ts";
import type { ProducerOrder } from "./producer-process.ts";
import type { WorkerOrder } from "./worker-process.ts";

/** For a first answer of a server on a busy machine. */
const PATIENCE_MS = 60_000;

export interface ProcessStageOptions extends Omit<ConfigParts, "baseUrl"> {
  readonly address: string;
  /** By endpoint name; an endpoint without one is answered 200. */
  readonly scripts?: Readonly<Record<string, Script>>;
}

export interface StageEvent {
  readonly source: "shop";
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string };
}

export interface ProcessStage {
  /** An event whose ID no other run on this server has; its body holds the ID. */
  anEvent(type: string, name?: string): StageEvent;
  /** The requests that an event led to at one endpoint, in order. */
  requestsFor(event: StageEvent, endpoint?: string): readonly DestinationRequest[];
  readonly destination: Destination;
  readonly config: Config;
  /** A bare Temporal client. */
  readonly temporal: Client;
  readonly client: ConnectedCountersign;
  /** Resolves once it polls. */
  startWorker(options?: Pick<WorkerOrder, "only" | "concurrency">): Promise<Child>;
  /** Resolves once it is connected; it submits when told a line. */
  startProducer(events: readonly unknown[]): Promise<Child>;
  /** Kills every process that still lives. */
  close(): Promise<void>;
}

export async function openProcessStage({
  address,
  scripts = {},
  ...parts
}: ProcessStageOptions): Promise<ProcessStage> {
  const destination = await startDestination(
    Object.fromEntries(Object.entries(scripts).map(([name, script]) => [`/${name}`, script])),
  );
  const config = aConfig({ ...parts, baseUrl: destination.url });
  const connection = await Connection.connect({ address, connectTimeout: PATIENCE_MS });
  const temporal = new Client({ connection });
  const client = await connect({ config, address, environment: {}, deadlineMs: PATIENCE_MS });
  const children: Child[] = [];
  const start = async (script: string, order: WorkerOrder | ProducerOrder): Promise<Child> => {
    const child = startChild(script, order);
    children.push(child);
    await child.line("ready", (line) => line["ready"] === true);
    return child;
  };
  const tag = randomUUID().slice(0, 8);
  return {
    anEvent(type, name = type) {
      const id = `${name}-${tag}`;
      return { source: "shop", id, type, data: { id } };
    },
    requestsFor({ id, type }, endpoint = type) {
      const mark = JSON.stringify({ id });
      return destination.requests.filter(({ path, body }) => path === `/${endpoint}` && body.toString() === mark);
    },
    destination,
    config,
    temporal,
    client,
    startWorker: async (options = {}) => await start("worker-process.ts", { address, config, ...options }),
    startProducer: async (events) => await start("producer-process.ts", { address, config, events }),
    async close() {
      await Promise.all(children.map((child) => child.kill()));
      // One per namespace, on the queue of whoever started it: that queue ends here.
      await temporal.workflow
        .getHandle(GATES_WORKFLOW_ID)
        .terminate("end of a scenario")
        .catch(() => undefined);
      await Promise.all([client.close(), connection.close(), destination.close()]);
    },
  };
}

export function keyOf({ source, id }: StageEvent): string {
  return `${source}/${id}`;
}
