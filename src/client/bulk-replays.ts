/** Mass replay, as one member of the facade. */
import type { BulkReplayOrder } from "./bulk-replay-order.ts";
import { type BulkReplayRow, listBulkReplays } from "./bulk-replay-list.ts";
import { bulkReplayItems, type BulkReplayItems, type BulkReplayStatus, showBulkReplay } from "./bulk-replay-show.ts";
import {
  type BulkReplayPreview,
  type BulkReplayReceipt,
  previewBulkReplay,
  startBulkReplay,
} from "./bulk-replay-start.ts";
import { type BulkReplayVerdict, type BulkReplayWord, steerBulkReplay } from "./bulk-replay-steer.ts";
import type { Session } from "./session.ts";

export interface BulkReplays {
  /** Counts what a start would replay, and shows a few; starts nothing. */
  preview(order: BulkReplayOrder): Promise<BulkReplayPreview>;
  /** Starts it, or finds the one that this is; each event is told to go on at most once. */
  start(order: BulkReplayOrder): Promise<BulkReplayReceipt>;
  /** Exact up to what the server has recorded; needs no worker. Throws `not_found`. */
  show(id: string): Promise<BulkReplayStatus>;
  /** What became of each event. Throws `not_found`. */
  items(id: string): Promise<BulkReplayItems>;
  /** No further batch begins until somebody resumes it. */
  pause(id: string, word: BulkReplayWord): Promise<BulkReplayVerdict>;
  resume(id: string, word: BulkReplayWord): Promise<BulkReplayVerdict>;
  /** Ends it for good: no further batch begins. */
  cancel(id: string, word: BulkReplayWord): Promise<BulkReplayVerdict>;
  /** Newest first; eventually consistent. */
  list(options?: { readonly limit?: number }): Promise<readonly BulkReplayRow[]>;
}

const DEFAULT_LIMIT = 50;

export function createBulkReplays(session: Session): BulkReplays {
  return {
    preview: async (order) => await previewBulkReplay(session, order),
    start: async (order) => await startBulkReplay(session, order),
    show: async (id) => await showBulkReplay(session, id),
    items: async (id) => await bulkReplayItems(session, id),
    pause: async (id, word) => await steerBulkReplay(session, id, { ...word, action: "pause" }),
    resume: async (id, word) => await steerBulkReplay(session, id, { ...word, action: "resume" }),
    cancel: async (id, word) => await steerBulkReplay(session, id, { ...word, action: "cancel" }),
    list: async ({ limit = DEFAULT_LIMIT } = {}) => await listBulkReplays(session, limit),
  };
}
