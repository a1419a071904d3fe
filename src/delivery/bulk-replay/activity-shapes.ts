/** What a bulk replay and its activities hand to each other. */
import type { ItemTerms } from "./item.ts";
import type { ListedItem, Position } from "./position.ts";
import type { BulkSelection } from "./selection.ts";

export interface ListOrder {
  readonly selection: BulkSelection;
  readonly position: Position;
  /** So many at most. */
  readonly items: number;
}

export interface ListedPage {
  /** Newest first. */
  readonly items: readonly ListedItem[];
  /** There may be more behind them. */
  readonly more: boolean;
  /** How many the list counts behind them; approximate. */
  readonly beyond: number;
}

export interface ItemOrder extends ItemTerms {
  readonly actor: string;
  readonly note: string;
}

export interface ReplayBatch extends ItemOrder {
  readonly keys: readonly string[];
  /** Between the beginnings of two of them, milliseconds; the batch lasts so long for each of them. */
  readonly gapMs: number;
}
