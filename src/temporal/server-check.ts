/** What a worker and `doctor` want to know of a server before they trust it with events. */
import type { Client } from "@temporalio/client";
import proto from "@temporalio/proto";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS } from "./grpc-status.ts";
import { readRetentionMs } from "./namespace.ts";
import { isSupportedServer, MINIMUM_SERVER_VERSION } from "./server-version.ts";

const ACTIVITY_QUEUE = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;
const CALL_DEADLINE_MS = 10_000;
const HOUR_MS = 60 * 60_000;

export interface ServerCheckRequest {
  readonly namespace: string;
  readonly taskQueue: string;
  readonly dedupeWindowMs: number;
}

export interface ServerCheck {
  readonly serverVersion: string;
  /** Whether task queues can be held and paced on the server; without it gates hold in the workers, and rates do not hold. */
  readonly taskQueueConfig: boolean;
  readonly retentionMs: number;
  /** Full sentences for a person; empty when all is well. */
  readonly warnings: readonly string[];
}

/**
 * Asks the server for its version, probes its task queue configuration and reads the namespace's retention.
 *
 * Throws `unsupported_server` below `MINIMUM_SERVER_VERSION`, `not_found` when the namespace does not exist.
 */
export function checkServer(client: Client, request: ServerCheckRequest): Promise<ServerCheck> {
  return client.withDeadline(Date.now() + CALL_DEADLINE_MS, () => check(client, request));
}

async function check(client: Client, request: ServerCheckRequest): Promise<ServerCheck> {
  const { connection } = client;
  const serverVersion = (await connection.workflowService.getSystemInfo({})).serverVersion ?? "";
  if (!isSupportedServer(serverVersion)) {
    throw new CountersignError(
      "unsupported_server",
      `The Temporal server is version ${serverVersion || "unknown"}; at least ${MINIMUM_SERVER_VERSION} is needed, because endpoints are held and paced through its task queue configuration.`,
    );
  }
  const retentionMs = await readRetentionMs(connection, request.namespace);
  if (retentionMs === null) {
    throw new CountersignError(
      "not_found",
      `Namespace ${request.namespace} does not exist on this Temporal server: create it with \`temporal operator namespace create --namespace ${request.namespace}\`.`,
    );
  }
  const taskQueueConfig = await canConfigureQueues(client, request);
  return {
    serverVersion,
    taskQueueConfig,
    retentionMs,
    warnings: warningsFor(request, { taskQueueConfig, retentionMs }),
  };
}

/** Removes a limit that was never set, on a queue nobody polls: the answer is all we want. */
async function canConfigureQueues(client: Client, { namespace, taskQueue }: ServerCheckRequest): Promise<boolean> {
  try {
    await client.workflowService.updateTaskQueueConfig({
      namespace,
      identity: client.options.identity,
      taskQueue: `${taskQueue}/probe`,
      taskQueueType: ACTIVITY_QUEUE,
      updateQueueRateLimit: { reason: "probe: does this server configure task queues" },
    });
    return true;
  } catch (error) {
    const status = grpcFailure(error)?.status;
    if (status === GRPC_STATUS.unimplemented || status === GRPC_STATUS.permissionDenied) return false;
    throw error;
  }
}

function warningsFor(
  request: ServerCheckRequest,
  found: Pick<ServerCheck, "taskQueueConfig" | "retentionMs">,
): readonly string[] {
  const warnings: string[] = [];
  if (!found.taskQueueConfig) {
    warnings.push(
      "The server refuses rate limits on task queues (updateTaskQueueConfig): gates hold in the workers, which take up what waits and put it back, and neither limits.rate nor a slow drain (--ramp) is kept. Allow UpdateTaskQueueConfig to these credentials.",
    );
  }
  if (found.retentionMs < request.dedupeWindowMs) {
    warnings.push(
      `Namespace ${request.namespace} keeps finished events for ${hours(found.retentionMs)}, shorter than the dedupeWindow of ${hours(request.dedupeWindowMs)}: a repeat after that is delivered again. ` +
        `Raise it with \`temporal operator namespace update --namespace ${request.namespace} --retention ${hours(request.dedupeWindowMs)}\`.`,
    );
  }
  return warnings;
}

/** In whole hours, rounded up: the unit the Temporal CLI takes. */
function hours(durationMs: number): string {
  return `${Math.ceil(durationMs / HOUR_MS)}h`;
}
