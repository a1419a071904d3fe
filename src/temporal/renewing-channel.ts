/**
 * A gRPC channel that starts anew when it hangs while it connects.
 *
 * grpc-js (1.14) waits without end for the first words of HTTP/2 on a connection that TCP has accepted: behind a host
 * that froze, or a load balancer whose backend has died, it never tries another one, although that would be answered.
 */
import { type Channel, type ChannelInterface, connectivityState } from "@grpc/grpc-js";

/** The specification's 20 s (gRPC, "connection backoff") would outlast the callers, who wait for ten. */
const HANGS_AFTER_MS = 5000;
/** Doubled up to this, because what was given up stays open until its other end says something. */
const MAX_PATIENCE_MS = 40_000;

/** `open` makes a channel that shares no connection with another one. Calls in flight on what is given up fail as unavailable. */
export function renewingChannel(open: () => Channel, hangsAfterMs = HANGS_AFTER_MS): ChannelInterface {
  let current = open();
  let patienceMs = hangsAfterMs;
  let timer: NodeJS.Timeout | null = null;
  const renewIfHanging = (): void => {
    timer = null;
    if (current.getConnectivityState(false) !== connectivityState.CONNECTING) return;
    patienceMs = Math.min(2 * patienceMs, MAX_PATIENCE_MS);
    const hanging = current;
    current = open();
    hanging.close();
  };
  return {
    createCall(...call) {
      if (current.getConnectivityState(false) === connectivityState.READY) patienceMs = hangsAfterMs;
      else timer ??= setTimeout(renewIfHanging, patienceMs).unref();
      return current.createCall(...call);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      current.close();
    },
    getTarget: () => current.getTarget(),
    getConnectivityState: (tryToConnect) => current.getConnectivityState(tryToConnect),
    watchConnectivityState: (...watch) => current.watchConnectivityState(...watch),
    getChannelzRef: () => current.getChannelzRef(),
  };
}
