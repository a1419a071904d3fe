/** What travels between a workflow and its activities: shapes only, read again by `get` from the history. */
import type { Way } from "./attempt.ts";
import type { BusinessEvent } from "./event.ts";
import type { AttemptResult } from "./facts.ts";
import type { DeliverySettings, EventPlan } from "./plan.ts";

/** Clues for telling a re-run of a local attempt; never recorded, because inputs of local activities are not. */
export interface LocalClues {
  readonly historyLength: number;
  /** Null = cannot be told. */
  readonly expectedLength: number | null;
  readonly scheduledAtMs: number;
  /** A message has arrived meanwhile: report what an earlier execution did, but begin none. */
  readonly recallOnly: boolean;
}

export interface AttemptInput {
  readonly v: 1;
  readonly endpoint: string;
  /** Counts from 1 over the whole delivery. */
  readonly number: number;
  readonly via: Way;
  readonly settings: DeliverySettings;
  /** Null = too large to repeat in the history: read it from the run's first event. */
  readonly event: BusinessEvent | null;
  /** Status of the attempt before, null = none: 408 and 421 ask for a new connection. */
  readonly lastStatus: number | null;
  /** Only with `via: "local"`. */
  readonly clues?: LocalClues;
}

/** A plan may name an endpoint that does not exist: its lane would never be polled, so nothing is put there. */
export type LaneAnswer = { readonly kind: "opened" } | Extract<AttemptResult, { readonly kind: "withheld" }>;

export interface ResolveInput {
  readonly v: 1;
  /** As parsed from the input; its body may differ from the bytes that came in. */
  readonly event: BusinessEvent;
  /** Present = a lone delivery that may go locally is tried in the same step. */
  readonly clues?: LocalClues;
}

export interface ResolvedEvent {
  /** The configured name behind the source or alias. */
  readonly source: string;
  readonly plan: EventPlan;
  /** Present when the body as sent differs from what JSON parsing would give back. */
  readonly exactBody?: string;
  /** The first attempt, made in the same step. */
  readonly first?: AttemptResult;
}
