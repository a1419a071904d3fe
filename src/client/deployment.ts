/** Worker versioning seen from the side that starts runs: is there a version that takes them, is a ramp under way? */
import type { Client } from "@temporalio/client";
import type { Deployment } from "../config/config.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";

export interface DeploymentState {
  /** No version is current: an ordinary start would wait for ever. */
  readonly hasCurrentVersion: boolean;
  /** A ramp routes a share of the runs elsewhere; eager starts would ignore it. */
  readonly ramping: boolean;
}

export async function readDeployment(client: Client, { name }: Deployment): Promise<DeploymentState> {
  try {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
      namespace: client.options.namespace,
      deploymentName: name,
    });
    const { currentDeploymentVersion: current, rampingDeploymentVersion: ramping } =
      workerDeploymentInfo?.routingConfig ?? {};
    return { hasCurrentVersion: Boolean(current?.buildId), ramping: Boolean(ramping?.buildId) };
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.notFound) return { hasCurrentVersion: false, ramping: false };
    throw error;
  }
}

/** Throws `server_unavailable` with the command to run when nothing would take the run. */
export function requireCurrentVersion({ hasCurrentVersion }: DeploymentState, { name, build }: Deployment): void {
  if (hasCurrentVersion) return;
  throw new CountersignError(
    "server_unavailable",
    `Worker deployment ${name} has no current version, so nothing was started: a run would wait for ever. Start its workers, then run \`temporal worker deployment set-current-version --deployment-name ${name} --build-id ${build}\``,
  );
}
