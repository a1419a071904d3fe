/** A way to a server that can be cut and mended, while its address stays. */
import type { Socket } from "node:net";
import { layLink, type Pair } from "./link.ts";

export interface BreakableLink {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Cuts every connection, and every new one. */
  cut(): void;
  /** Cuts every connection; new ones are taken and never answered, also after `mend`. */
  swallow(): void;
  /** What is asked still arrives; no answer comes back. */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

type State = "whole" | "silent" | "swallowing" | "cut";

export async function startBreakableLink(to: string): Promise<BreakableLink> {
  const swallowed = new Set<Socket>();
  let state: State = "whole";
  const keep = (near: Socket): boolean => {
    if (state === "cut") near.destroy();
    if (state === "swallowing") swallowed.add(near.resume());
    return state === "cut" || state === "swallowing";
  };
  const join = ({ near, far }: Pair): void => {
    near.on("data", (bytes) => void far.write(bytes));
    far.on("data", (bytes) => void (state === "whole" && near.write(bytes)));
  };
  const link = await layLink({ to, keep, join });
  return {
    address: link.address,
    cut() {
      state = "cut";
      link.cutAll();
    },
    swallow() {
      state = "swallowing";
      link.cutAll();
    },
    silence: () => void (state = "silent"),
    mend() {
      // A connection that has lost bytes is good for nothing.
      if (state === "silent") link.cutAll();
      state = "whole";
    },
    async close() {
      for (const socket of swallowed) socket.destroy();
      await link.close();
    },
  };
}
