/**
 * A slow network between two processes on this machine: every byte takes its time, and what is under way when one
 * side dies is lost, as it is between two machines. On bare loopback nothing is ever under way.
 */
import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface SlowLink {
  /** `127.0.0.1:port`, in place of the other end's own address. */
  readonly address: string;
  /** From now on nothing comes back from the other end; what it says is kept until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** `delayMs` is the way there; the way back takes as long again. */
export async function startSlowLink(to: string, delayMs: number): Promise<SlowLink> {
  const [host = "", port = ""] = to.split(":");
  const sockets = new Set<Socket>();
  let held: (() => void)[] | null = null;
  const pass = (bytes: Buffer, target: Socket): void => void (target.destroyed || target.write(bytes));
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .setNoDelay(true)
        .on("error", () => undefined)
        .on("end", () => other.destroy())
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
    }
    // Timers of one length run in the order they were set, so bytes stay in order.
    near.on("data", (bytes) => void setTimeout(() => pass(bytes, far), delayMs));
    far.on("data", (bytes) => {
      const deliver = (): void => pass(bytes, near);
      setTimeout(() => (held === null ? deliver() : held.push(deliver)), delayMs);
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo; // a listening TCP server has one
  return {
    address: `127.0.0.1:${own}`,
    hold: () => (held ??= []) && undefined,
    release() {
      for (const deliver of held ?? []) deliver();
      held = null;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
