/** Ports for a server this process is about to start. */
import { createServer } from "node:net";

export type PortResult =
  | { readonly kind: "free"; readonly port: number }
  | { readonly kind: "taken"; readonly reason: string };

/** Asks the system whether `port` can be bound; 0 = any free one. */
export function claimPort(ip: string, port: number): Promise<PortResult> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resolve({ kind: "taken", reason: error.code ?? "cannot be bound" }),
    );
    probe.listen({ host: ip, port, exclusive: true }, () => {
      const address = probe.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      probe.close(() => resolve({ kind: "free", port: bound }));
    });
  });
}
