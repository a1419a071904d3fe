/** The two ways in which the fold changes an event: one delivery, and the answer to one message. */
import type { Verdict } from "./event-state.ts";
import type { Delivery, EventProgress } from "./progress.ts";

export function change(
  progress: EventProgress,
  endpoint: string,
  update: (delivery: Delivery) => Delivery,
): EventProgress {
  return {
    ...progress,
    deliveries: progress.deliveries.map((delivery) => (delivery.endpoint === endpoint ? update(delivery) : delivery)),
  };
}

/** Answers a message; `atMs` is its arrival. */
export function withVerdict(
  progress: EventProgress,
  { sequence, atMs }: { readonly sequence: number; readonly atMs: number },
  { counted, refusedBecause }: Pick<Verdict, "counted" | "refusedBecause">,
): EventProgress {
  const entry = { counted, refusedBecause, at: new Date(atMs).toISOString() };
  return { ...progress, verdicts: { ...progress.verdicts, [sequence]: entry } };
}
