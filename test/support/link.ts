/** A way between two processes over two sockets, in the hands of the test that lays it. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Link {
  /** `127.0.0.1:port`, in place of the other end's own address. */
  readonly address: string;
  /** Ends every connection; new ones are taken as before. */
  cutAll(): void;
  close(): Promise<void>;
}

/** Both ends of one connection; where one closes, the other is destroyed. */
export interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

export interface Laying {
  /** `host:port` of the other end. */
  readonly to: string;
  /** True = the connection is the caller's affair, and goes nowhere. */
  readonly keep?: (near: Socket) => boolean;
  /** Joins the two ends. */
  readonly join: (pair: Pair) => void;
}

export async function layLink({ to, keep, join }: Laying): Promise<Link> {
  const [host = "", port = ""] = to.split(":");
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    near.on("error", () => undefined);
    if (keep?.(near) === true) return;
    const far = connect(Number(port), host).on("error", () => undefined);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("close", () => (sockets.delete(one), other.destroy()));
    }
    join({ near, far });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo; // a listening TCP server has one
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${own}`,
    cutAll,
    async close() {
      cutAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
