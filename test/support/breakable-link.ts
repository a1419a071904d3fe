/** A way to a server that can be cut and mended, while its address stays. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface BreakableLink {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Cuts every connection, and every new one. */
  cut(): void;
  /** What is asked still arrives; no answer comes back. */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

type State = "whole" | "silent" | "cut";

export async function startBreakableLink(to: string): Promise<BreakableLink> {
  const [host = "", port = ""] = to.split(":");
  const sockets = new Set<Socket>();
  let state: State = "whole";
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined).on("close", () => (sockets.delete(one), other.destroy()));
    }
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (bytes) => void (state === "whole" && near.write(bytes)));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo; // a listening TCP server has one
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${own}`,
    cut() {
      state = "cut";
      cutAll();
    },
    silence: () => void (state = "silent"),
    mend() {
      // A connection that has lost bytes is good for nothing.
      if (state === "silent") cutAll();
      state = "whole";
    },
    async close() {
      cutAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
