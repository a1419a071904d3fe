/** Retention of a namespace: how long the server keeps closed runs, and so how long it recognizes a repeated event. */
import type { ConnectionLike } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time.js";
import { grpcFailure, GRPC_STATUS } from "./grpc-status.ts";

/** The server refuses less for a namespace that is not global (1.32.0). */
const MINIMUM_RETENTION_MS = 60 * 60_000;
const SECOND_MS = 1_000;

/** Milliseconds; null when there is no such namespace. */
export async function readRetentionMs(connection: ConnectionLike, namespace: string): Promise<number | null> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * SECOND_MS;
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.notFound) return null;
    throw error;
  }
}

/** Sets it, in whole seconds, raised to what the server accepts at least: longer only means safer. */
export async function setRetention(connection: ConnectionLike, namespace: string, retentionMs: number): Promise<void> {
  const wholeSecondsMs = Math.ceil(Math.max(retentionMs, MINIMUM_RETENTION_MS) / SECOND_MS) * SECOND_MS;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(wholeSecondsMs) },
  });
}
