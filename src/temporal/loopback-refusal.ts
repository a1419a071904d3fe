/** Notices that nothing listens on a port of this machine, long before a gRPC deadline would. */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 250;
/** A server being restarted is given this long; after that a refused loopback port means nobody is there. */
const REFUSED_GRACE_MS = 2_000;
const LOOPBACK_ADDRESS = /^(?<host>127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::(?<port>\d{1,5}))?$/;
const DEFAULT_PORT = 7233;

/**
 * Resolves true once the loopback port has refused for `REFUSED_GRACE_MS` in a row; false as soon as something
 * listens, or at once for any other address (a proxy may stand in between there), or when `signal` aborts.
 */
export async function isRefusedForGood(address: string, signal: AbortSignal): Promise<boolean> {
  const parts = LOOPBACK_ADDRESS.exec(address)?.groups;
  if (parts === undefined) return false;
  const host = (parts["host"] ?? "").replaceAll(/[[\]]/g, "");
  const port = Number(parts["port"] ?? DEFAULT_PORT);
  const giveUpAt = Date.now() + REFUSED_GRACE_MS;
  while (!signal.aborted) {
    if (!(await isRefused(host, port))) return false;
    if (Date.now() >= giveUpAt) return true;
    await delay(POLL_MS, undefined, { ref: false });
  }
  return false;
}

function isRefused(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}
