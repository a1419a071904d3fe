/** The messages of workflow type `bulk-replay`, as plain definitions. */
import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { BulkProgress } from "../delivery/bulk-replay/progress.ts";
import type { BulkReplayReport } from "../delivery/bulk-replay/report.ts";
import type { BulkSelection } from "../delivery/bulk-replay/selection.ts";
import type { BulkVerdict } from "../delivery/bulk-replay/words.ts";

/** Argument of the signals; `steer` adds the action. Untrusted when it arrives. */
export interface BulkWordArgument {
  readonly v?: 1;
  readonly actor: string;
  readonly note?: string;
}

export interface SteerArgument extends BulkWordArgument {
  readonly action: string;
}

export const pauseBulkSignal = defineSignal<[BulkWordArgument]>("pause");
export const resumeBulkSignal = defineSignal<[BulkWordArgument]>("resume");
export const cancelBulkSignal = defineSignal<[BulkWordArgument]>("cancel");
export const steerUpdate = defineUpdate<BulkVerdict, [SteerArgument]>("steer");
export const progressQuery = defineQuery<BulkReplayReport>("progress");

/** What starts one. Anybody may write it. */
export interface BulkReplayInput {
  readonly v?: 1;
  readonly selection: Partial<BulkSelection>;
  /** Events a second; absent = 10. */
  readonly rate?: number;
  readonly actor: string;
  readonly note?: string;
}

/** What a run hands to the next one of its chain. */
export interface BulkReplayCarried {
  readonly v: 1;
  readonly carried: BulkProgress;
}

/** Memo key under which a bulk replay says how it stands whenever that changes, for lists. */
export const BULK_MEMO = "countersign.bulk-replay";
/** Memo key of the digest of the selection as it was given, on runs our client starts. */
export const BULK_SELECTION_MEMO = "countersign.bulk-replay-selection";

export type BulkReplayMemo = Omit<BulkReplayReport, "words" | "lastNotReplayed">;
