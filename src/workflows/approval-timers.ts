/** The clocks of one proposal: its expiry, its reminders, its escalation. Durable, one set per revision. */
import { CancellationScope, isCancellation, sleep } from "@temporalio/workflow";
import type { ApprovalProgress } from "../delivery/approval.ts";
import { openApproval } from "../delivery/next-action.ts";
import { expirySummary, reminderSummary } from "../delivery/summaries.ts";
import { apply, deliveryAt, type EventRun } from "./event-run.ts";
import { notify } from "./notices.ts";

export interface ApprovalTimers {
  /** Of the proposal they belong to; null = none run. */
  revision: number | null;
  scope: CancellationScope;
}

export function newApprovalTimers(): ApprovalTimers {
  return { revision: null, scope: new CancellationScope() };
}

/** Starts the clocks of a new proposal, and stops those of one that is sent, decided against, or replaced. */
export function keepTimers(run: EventRun, index: number, timers: ApprovalTimers): void {
  const open = openApproval(deliveryAt(run, index));
  const revision = open?.draft.revision ?? null;
  if (revision === timers.revision) return;
  timers.scope.cancel();
  if (timers.revision !== null) tellEnd(run, index);
  timers.revision = revision;
  timers.scope = new CancellationScope();
  if (open !== null) void timers.scope.run(async () => await runClocks(run, index, open)).catch(ignoreCancellation);
}

/** Whoever was asked hears how it ended. */
function tellEnd(run: EventRun, index: number): void {
  const { standing = "asking", executedAt = null } = deliveryAt(run, index).approval ?? {};
  const isOver = standing === "rejected" || standing === "expired" || executedAt !== null;
  if (isOver && standing !== "asking") notify(run, index, { kind: standing, count: 1 });
}

async function runClocks(run: EventRun, index: number, approval: ApprovalProgress): Promise<void> {
  notify(run, index, { kind: "requested", count: 1 });
  await Promise.all([expireInTime(run, index, approval), remind(run, index, approval), escalate(run, index, approval)]);
}

/** The summary stays in the history: it tells a person which digest to approve, and how. */
async function expireInTime(run: EventRun, index: number, approval: ApprovalProgress): Promise<void> {
  const { endpoint } = deliveryAt(run, index);
  await until(approval.expiresAtMs, expirySummary(endpoint, approval.draft));
  apply(run, { fact: "time-passed" });
}

async function remind(run: EventRun, index: number, { draft, createdAtMs }: ApprovalProgress): Promise<void> {
  for (const [position, ageMs] of draft.terms.remindMs.entries()) {
    const { endpoint } = deliveryAt(run, index);
    await until(createdAtMs + ageMs, reminderSummary(endpoint, position + 1));
    apply(run, { fact: "time-passed" });
    if (isAsking(run, index)) notify(run, index, { kind: "reminder", count: position + 1 });
  }
}

async function escalate(run: EventRun, index: number, { draft, createdAtMs }: ApprovalProgress): Promise<void> {
  const ages = draft.terms.rules.flatMap(({ escalate: step }) => (step === null ? [] : [step.afterMs]));
  if (ages.length === 0 || draft.terms.notify === null) return;
  const { endpoint } = deliveryAt(run, index);
  await until(createdAtMs + Math.min(...ages), `${endpoint}: ask further approvers`);
  apply(run, { fact: "time-passed" });
  if (isAsking(run, index)) notify(run, index, { kind: "escalated", count: 1 });
}

/** An approved request may still wait for its turn: then there is nobody to remind. */
function isAsking(run: EventRun, index: number): boolean {
  return deliveryAt(run, index).approval?.standing === "asking";
}

/** A clock that was set back a little must not let a timer end before its time. */
async function until(atMs: number, summary: string): Promise<void> {
  for (let leftMs = atMs - Date.now(); leftMs > 0; leftMs = atMs - Date.now()) await sleep(leftMs, { summary });
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
