/** Which bodies came lately, and under which id: what one process remembers, so a reason to look and never one to refuse. */
import { createHash } from "node:crypto";

export interface Sighting {
  readonly source: string;
  readonly id: string;
  readonly body: Uint8Array;
}

export interface BodyMemory {
  /** The other id under which the same body of that source came first; null = none that is remembered. */
  otherIdOf(sighting: Sighting): string | null;
}

/** Per source, so that a busy one does not push out what is known of another; some 300 KiB each. */
const MAX_BODIES = 1000;

export function createBodyMemory(maxBodies = MAX_BODIES): BodyMemory {
  const idsBySource = new Map<string, Map<string, string>>();
  return {
    otherIdOf({ source, id, body }) {
      const ids = idsBySource.get(source) ?? new Map<string, string>();
      idsBySource.set(source, ids);
      const digest = createHash("sha256").update(body).digest("base64");
      const first = ids.get(digest) ?? id;
      // At the end again: the body that keeps coming is the one to remember.
      ids.delete(digest);
      ids.set(digest, first);
      for (const oldest of ids.keys()) {
        if (ids.size <= maxBodies) break;
        ids.delete(oldest);
      }
      return first === id ? null : first;
    },
  };
}
