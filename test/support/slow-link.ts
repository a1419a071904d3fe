/**
 * A slow network between two processes on this machine: every byte takes its time, and what is under way when one
 * side dies is lost, as it is between two machines. On bare loopback nothing is ever under way.
 */
import type { Socket } from "node:net";
import { layLink, type Pair } from "./link.ts";

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
  let held: (() => void)[] | null = null;
  const pass = (bytes: Buffer, target: Socket): void => void (target.destroyed || target.write(bytes));
  const join = ({ near, far }: Pair): void => {
    near.setNoDelay(true).on("end", () => far.destroy());
    far.setNoDelay(true).on("end", () => near.destroy());
    // Timers of one length run in the order they were set, so bytes stay in order.
    near.on("data", (bytes) => void setTimeout(() => pass(bytes, far), delayMs));
    far.on("data", (bytes) => {
      const deliver = (): void => pass(bytes, near);
      setTimeout(() => (held === null ? deliver() : held.push(deliver)), delayMs);
    });
  };
  const link = await layLink({ to, join });
  return {
    address: link.address,
    hold: () => (held ??= []) && undefined,
    release() {
      for (const deliver of held ?? []) deliver();
      held = null;
    },
    close: link.close,
  };
}
