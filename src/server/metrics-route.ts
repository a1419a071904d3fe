/** `/metrics`: what this process counted, and what waits for a person. */
import type { EventRow } from "../client/list-events.ts";
import type { WaitingEvents, WaitingGroup } from "../telemetry/metrics.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";

/** Lists are read at most so often, however many scrape. */
const LOOK_AGAIN_MS = 15_000;
/** One page of the server. */
const MAX_ROWS = 1000;

export function createMetricsRoute(server: ServerContext): Answer {
  const { metrics, now, log } = server;
  let looked: { readonly atMs: number; readonly done: Promise<void> } | null = null;
  const look = async (): Promise<void> => {
    try {
      metrics.waiting(await readWaiting(server));
    } catch (error) {
      // The counters of this process are worth reading also while Temporal is gone.
      log.warn({ err: error }, "metrics.stale");
    }
  };
  return async () => {
    if (looked === null || now() - looked.atMs >= LOOK_AGAIN_MS) looked = { atMs: now(), done: look() };
    await looked.done;
    return new Response(await metrics.text(), { headers: { ...NO_STORE, "content-type": metrics.contentType } });
  };
}

async function readWaiting({ countersign, now }: ServerContext): Promise<WaitingEvents> {
  const page = { limit: MAX_ROWS };
  const [parked, asking, askingCount] = await Promise.all([
    countersign.listPage({ state: "needs-attention" }, page),
    countersign.listPage({ state: "awaiting-approval" }, page),
    countersign.count({ state: "awaiting-approval" }),
  ]);
  const reasons = new Map<string, string[]>();
  for (const { reason, startedAt } of parked.items) {
    const times = reasons.get(reason ?? "unknown") ?? [];
    reasons.set(reason ?? "unknown", [...times, startedAt]);
  }
  const sinceOf = ({ approval, startedAt }: EventRow): string => approval?.since ?? startedAt;
  return {
    needsAttention: new Map([...reasons].map(([reason, times]) => [reason, groupOf(times, now())])),
    approvals: { ...groupOf(asking.items.map(sinceOf), now()), count: askingCount },
  };
}

function groupOf(times: readonly string[], nowMs: number): WaitingGroup {
  const oldestMs = times.reduce((oldest, time) => Math.min(oldest, Date.parse(time)), nowMs);
  return { count: times.length, oldestAgeSeconds: (nowMs - oldestMs) / 1000 };
}
