/** What all requests together may take: places on the way to Temporal, and bytes of bodies. No queue: who finds none is turned away. */
import type { ServerLimits } from "./limits.ts";

/** Who has shown a key, or nobody knows who: signatures stand under bodies, which must be read for it. */
export type BytesOf = "key" | "stranger";

export interface Capacity {
  /** Takes one; false = there is none left. */
  enter(): boolean;
  leave(): void;
  /** Takes room for so many bytes; false = there is not as much. Strangers cannot take what producers need. */
  take(bytes: number, whose: BytesOf): boolean;
  give(bytes: number, whose: BytesOf): void;
  inFlight(): number;
  buffered(): number;
  /** Counts a request from now until the function it returns is called: its work may go on when its client has left. */
  begin(): () => void;
  /** Whether nothing is asked of Temporal any more. */
  isIdle(): boolean;
}

export function createCapacity({ maxInFlight, maxBufferedBytes }: ServerLimits): Capacity {
  let inFlight = 0;
  let requests = 0;
  const bytesOf = { key: 0, stranger: 0 };
  const buffered = (): number => bytesOf.key + bytesOf.stranger;
  return {
    enter() {
      if (inFlight >= maxInFlight) return false;
      inFlight += 1;
      return true;
    },
    leave() {
      inFlight -= 1;
    },
    take(bytes, whose) {
      if (buffered() + bytes > maxBufferedBytes) return false;
      if (whose === "stranger" && bytesOf.stranger + bytes > maxBufferedBytes / 2) return false;
      bytesOf[whose] += bytes;
      return true;
    },
    give(bytes, whose) {
      bytesOf[whose] -= bytes;
    },
    inFlight: () => inFlight,
    buffered,
    begin() {
      requests += 1;
      return () => void (requests -= 1);
    },
    isIdle: () => requests === 0 && inFlight === 0,
  };
}
