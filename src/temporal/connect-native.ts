/** The connection of a process that also runs workers; apart, because it loads the SDK's native part. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { NativeConnection } from "@temporalio/worker";
import { connectWith, type Connected, type ConnectRequest } from "./connect.ts";

/**
 * Connects a process that also runs workers: one native connection shared by worker and client, so that starts
 * can be eager. Installs the SDK's runtime unless the caller has installed its own before. Throws as `connectClient`.
 *
 * A native connect cannot be aborted: after a failure at a silent server the pending one keeps the process alive, so
 * an entry file ends with `process.exit`.
 *
 * Its client has an identity that no other process has, nor this one after a restart: what it is handed can be told
 * from what anybody else is.
 */
export function connectNative(request: ConnectRequest): Promise<Connected<NativeConnection>> {
  return connectWith({ ...request, identity: newIdentity() }, (profile) => NativeConnection.connect(profile.options));
}

/** As the SDK makes it, which is the same for two containers of one image: hence the random part. */
function newIdentity(): string {
  return `${process.pid}@${hostname()}-${randomBytes(4).toString("hex")}`;
}
