/** What waits for a person, as it was last read from Temporal. What is not known is not shown: a gap is no zero. */
import { Gauge, type Registry } from "prom-client";
import type { AttentionReason } from "../delivery/attention.ts";

/** `other`: a word that is none of ours. */
export type WaitingReason = AttentionReason | "other";

export interface WaitingEvents {
  /** Of each reason that shall be shown, 0 included. */
  readonly needsAttention: ReadonlyMap<WaitingReason, WaitingGroup>;
  readonly approvals: WaitingGroup;
  /** When Temporal was asked, milliseconds since the epoch. */
  readonly readAtMs: number;
}

export interface WaitingGroup {
  readonly count: number;
  /** 0 when there is none; null = not known. */
  readonly oldestAgeSeconds: number | null;
}

export interface WaitingMetrics {
  /** Replaces what is known; null = nothing that could still be called true, so the gauges go away. */
  waiting(waiting: WaitingEvents | null): void;
}

export function createWaitingMetrics(registry: Registry): WaitingMetrics {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  const attention = gauge("needs_attention", "Events parked for a person", ["reason"]);
  const attentionAge = gauge("needs_attention_oldest_age_seconds", "Since the oldest of them was accepted", ["reason"]);
  const approvals = gauge("approvals_pending", "Events that wait for approval");
  const approvalsAge = gauge("approvals_oldest_age_seconds", "Since the oldest of their proposals was made");
  const readAt = gauge("waiting_read_timestamp_seconds", "When these were last read from Temporal, Unix time");
  const forget = (): void => {
    for (const labelled of [attention, attentionAge]) labelled.reset();
    // `reset` would show 0, which is a claim.
    for (const single of [approvals, approvalsAge]) single.remove();
  };
  forget();
  readAt.remove();
  return {
    waiting(found) {
      forget();
      if (found === null) return;
      for (const [reason, { count, oldestAgeSeconds }] of found.needsAttention) {
        attention.set({ reason }, count);
        if (oldestAgeSeconds !== null) attentionAge.set({ reason }, oldestAgeSeconds);
      }
      approvals.set(found.approvals.count);
      if (found.approvals.oldestAgeSeconds !== null) approvalsAge.set(found.approvals.oldestAgeSeconds);
      readAt.set(found.readAtMs / 1000);
    },
  };
}
