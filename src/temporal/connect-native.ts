/** The connection of a process that also runs workers; apart, because it loads the SDK's native part. */
import { NativeConnection } from "@temporalio/worker";
import { connectWith, type Connected, type ConnectRequest } from "./connect.ts";

/**
 * Connects a process that also runs workers: one native connection shared by worker and client, so that starts
 * can be eager. Installs the SDK's runtime unless the caller has installed its own before. Throws as `connectClient`.
 *
 * A native connect cannot be aborted: after a failure at a silent server the pending one keeps the process alive, so
 * an entry file ends with `process.exit`.
 */
export function connectNative(request: ConnectRequest): Promise<Connected<NativeConnection>> {
  return connectWith(request, (profile) => NativeConnection.connect(profile.options));
}
