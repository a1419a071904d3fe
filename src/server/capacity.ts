/** What all requests together may take: places on the way to Temporal, and bytes of bodies. No queue: who finds none is turned away. */
import type { ServerLimits } from "./limits.ts";

export interface Capacity {
  /** Takes one; false = there is none left. */
  enter(): boolean;
  leave(): void;
  /** Takes room for so many bytes; false = there is not as much. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  inFlight(): number;
  buffered(): number;
}

export function createCapacity({ maxInFlight, maxBufferedBytes }: ServerLimits): Capacity {
  let [inFlight, buffered] = [0, 0];
  return {
    enter() {
      if (inFlight >= maxInFlight) return false;
      inFlight += 1;
      return true;
    },
    leave() {
      inFlight -= 1;
    },
    take(bytes) {
      if (buffered + bytes > maxBufferedBytes) return false;
      buffered += bytes;
      return true;
    },
    give(bytes) {
      buffered -= bytes;
    },
    inFlight: () => inFlight,
    buffered: () => buffered,
  };
}
