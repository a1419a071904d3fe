/** The worker that runs event workflows, local attempts and direct attempts. */
import { type NativeConnection, Worker } from "@temporalio/worker";
import type { EndpointActivities, EventActivities } from "../activities/contract.ts";
import type { Session } from "../client/session.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { PAYLOAD_CONVERTER, workflowCode } from "./workflow-code.ts";

export interface MainWorkerParts {
  readonly session: Session;
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: EventActivities & EndpointActivities;
  /** Workflow task slots, and as many for local attempts. */
  readonly slots: number;
  /** How long requests in flight may take to finish after a stop. */
  readonly graceMs: number;
}

/** A parked event costs nothing while it is not cached, so the cache only has to hold what is moving. */
const MIN_CACHED_WORKFLOWS = 1000;
/** After the grace time attempts are cut off; reporting that must not take longer. */
const FORCE_AFTER_GRACE_MS = 10 * SECOND_MS;

export async function createMainWorker(parts: MainWorkerParts): Promise<Worker> {
  const { session, slots, graceMs } = parts;
  const { deployment } = session.config;
  return await Worker.create({
    ...(await workflowCode()),
    dataConverter: { payloadConverterPath: PAYLOAD_CONVERTER },
    connection: parts.connection,
    namespace: parts.namespace,
    identity: session.client.options.identity,
    taskQueue: session.config.temporal.taskQueue,
    activities: { ...parts.activities },
    maxConcurrentWorkflowTaskExecutions: slots,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: slots,
    maxCachedWorkflows: Math.max(MIN_CACHED_WORKFLOWS, 2 * slots),
    shutdownGraceTime: graceMs,
    shutdownForceTime: graceMs + FORCE_AFTER_GRACE_MS,
    ...(deployment === null
      ? {}
      : {
          workerDeploymentOptions: {
            version: { deploymentName: deployment.name, buildId: deployment.build },
            useWorkerVersioning: true,
            // Parked events must reach new code: pinned to a version that has left, they would hang for ever.
            defaultVersioningBehavior: "AUTO_UPGRADE" as const,
          },
        }),
  });
}
