/** What a bulk replay makes of one event: which of its deliveries it replays, and why not the others. */
import type { AttentionReason } from "../attention.ts";
import { type DeliveryStatus, isTerminal, type Resolution, type Verdict } from "../event-state.ts";

/** Why nothing of an event was replayed. */
export type NotReplayed =
  | "already-ended"
  | "attempt-in-flight"
  | "awaiting-approval"
  /** On its way again: a retry is waited for, a gate holds it, or it is looked into. */
  | "not-parked"
  /** Whether the last attempt took effect is not known, and the selection does not name that reason. */
  | "outcome-uncertain"
  /** Parked, but for another reason than the selection names. */
  | "other-reason"
  /** The event has no delivery to that endpoint any more. */
  | "unknown-delivery"
  /** There is no such event any more, or it was ended from outside in Temporal. */
  | "not-found"
  /** No verdict came, several times; the word may still take effect. */
  | "no-answer";

export interface ItemResult {
  /** Of the event. */
  readonly key: string;
  /** Deliveries that were told to go on; 0 = none. */
  readonly replayed: number;
  /** Null when something was replayed. */
  readonly because: NotReplayed | null;
}

/** What a delivery is selected by. */
export interface ItemTerms {
  readonly endpoint: string | null;
  readonly reason: AttentionReason | null;
  /** What the reason of every replay of this bulk replay begins with: by it an earlier one is known again. */
  readonly mark: string;
}

export type Finding =
  | { readonly endpoint: string; readonly do: "replay" }
  /** By this very bulk replay, before the worker that asked was lost. */
  | { readonly endpoint: string; readonly do: "count" }
  | { readonly endpoint: string; readonly do: "leave"; readonly because: NotReplayed };

/** Looks at an event as it stands now. */
export function examineItem(deliveries: readonly DeliveryStatus[], terms: ItemTerms): readonly Finding[] {
  const meant = terms.endpoint === null ? deliveries : deliveries.filter(({ endpoint }) => endpoint === terms.endpoint);
  return meant.map((delivery) => examine(delivery, terms));
}

function examine(delivery: DeliveryStatus, terms: ItemTerms): Finding {
  const { endpoint } = delivery;
  if (delivery.resolutions.some((resolution) => isOurs(resolution, terms.mark))) return { endpoint, do: "count" };
  const because = whyNot(delivery, terms);
  return because === null ? { endpoint, do: "replay" } : { endpoint, do: "leave", because };
}

function isOurs({ action, counted, reason }: Resolution, mark: string): boolean {
  return action === "replay" && counted && reason.startsWith(mark);
}

function whyNot({ state, attention }: DeliveryStatus, { reason }: ItemTerms): NotReplayed | null {
  if (isTerminal(state)) return "already-ended";
  if (state === "delivering") return "attempt-in-flight";
  if (state === "awaiting-approval") return "awaiting-approval";
  if (state !== "needs-attention" || attention === null) return "not-parked";
  if (reason !== null) return attention.reason === reason ? null : "other-reason";
  return attention.reason === "outcome-uncertain" ? "outcome-uncertain" : null;
}

/** The closest reason that a refused replay has among ours. */
export function refusedReplay({ refusedBecause }: Verdict): NotReplayed {
  const known = REFUSALS.find((because) => because === refusedBecause);
  return known ?? "not-parked";
}

const REFUSALS: readonly NotReplayed[] = ["already-ended", "attempt-in-flight", "unknown-delivery"];

/** The result of an event from what became of its deliveries; null = replayed. */
export function resultOf(key: string, fates: readonly (NotReplayed | null)[]): ItemResult {
  const replayed = fates.filter((fate) => fate === null).length;
  if (replayed > 0) return { key, replayed, because: null };
  // A delivery that has ended says nothing about the one that has not.
  const telling = fates.find((fate) => fate !== "already-ended") ?? fates[0] ?? "unknown-delivery";
  return { key, replayed, because: telling };
}
