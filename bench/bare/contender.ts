/** A worker and a producer with nothing but the SDK, in one process like the product's. */
import { fileURLToPath } from "node:url";
import { Client } from "@temporalio/client";
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import type { Contender, Stage } from "../scenario.ts";
import { createBareActivities } from "./activities.ts";

export interface BareOptions {
  readonly workflow: "plain" | "floor";
  /** Whether starts ask to be carried out by this very process. */
  readonly eager: boolean;
  /** Absent = the SDK's defaults. */
  readonly slots?: number;
}

export async function openBare(stage: Stage, { workflow, eager, slots }: BareOptions): Promise<Contender> {
  Runtime.install({
    logger: new DefaultLogger("WARN"),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }), forward: {} } },
    shutdownSignals: [],
  });
  const connection = await NativeConnection.connect({ address: stage.address });
  const taskQueue = `bare-${workflow}`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL("workflows.ts", import.meta.url)),
    activities: { ...createBareActivities(`${stage.destinationUrl}/quick`) },
    ...(slots === undefined ? {} : slotsOf(slots)),
  });
  const running = worker.run();
  const client = new Client({ connection });
  return {
    async submit(event) {
      const workflowId = `${event.source}/${event.id}`;
      await client.workflow.start(workflow, { taskQueue, workflowId, args: [event], requestEagerStart: eager });
      return workflowId;
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** As the product's worker sets them. */
function slotsOf(slots: number) {
  return {
    maxConcurrentWorkflowTaskExecutions: slots,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: slots,
    maxCachedWorkflows: 1000,
  };
}
