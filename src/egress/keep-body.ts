/** The body of an answer, for the few requests that want it: whole and small, or not at all. */
import type { Answer } from "./exchange.ts";

export interface BodyKeeper {
  take(chunk: Uint8Array): void;
  /** To be called once all of it has come. */
  whole(): Pick<Answer, "body">;
}

/** `maxBytes` absent = nothing is kept. */
export function createKeeper(maxBytes: number | undefined): BodyKeeper {
  let chunks: Uint8Array[] = [];
  let size = 0;
  return {
    take(chunk) {
      if (maxBytes === undefined) return;
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks = [];
    },
    whole: () => (maxBytes === undefined || size > maxBytes ? {} : { body: Buffer.concat(chunks) }),
  };
}
