/** Mass replay over HTTP: what is sent, and what is shown of it. */
import { z } from "@hono/zod-openapi";
import { MAX_RATE, MIN_RATE } from "../delivery/bulk-replay/pace.ts";
import { ATTENTION_REASONS } from "../delivery/attention.ts";
import { actor, text } from "./word-schemas.ts";

const when = text(40)
  .optional()
  .openapi({ description: "When the event was accepted: RFC 3339, or how long ago, such as 2h" });

/** Strict: a misspelled member might have narrowed the selection. */
export const bulkReplaySchema = z
  .strictObject({
    state: z.literal("needs-attention"),
    endpoint: text(63).optional(),
    source: text(63).optional(),
    type: text(200).optional(),
    reason: text(40)
      .optional()
      .openapi({ description: `Why it is parked, one of ${ATTENTION_REASONS.join(", ")}` }),
    since: when,
    until: when,
    rate: z
      .number()
      .optional()
      .openapi({ description: `Events a second, ${MIN_RATE} to ${MAX_RATE}; 10 by default` }),
    note: text(1000).optional().openapi({ description: "Why; kept with every event" }),
    id: text(63)
      .optional()
      .openapi({ description: "The same id is the same bulk replay; absent = made of the selection" }),
    dryRun: z.boolean().optional().openapi({ description: "Count and show a few; start nothing" }),
    actor,
  })
  .openapi("BulkReplay");

export const steerSchema = z.object({ actor, note: text(1000).optional() }).openapi("BulkReplayWord");

const stop = z.object({ actor: z.string(), note: z.string(), at: z.string() }).nullable();

export const bulkReportSchema = z
  .object({
    v: z.literal(1),
    id: z.string(),
    state: z.enum(["running", "paused", "canceled", "finished"]),
    rate: z.number(),
    actor: z.string(),
    note: z.string(),
    startedAt: z.string(),
    endedAt: z.string().nullable(),
    expected: z.number(),
    done: z.number(),
    replayed: z.number(),
    notReplayed: z.number(),
    because: z.record(z.string(), z.number()),
    paused: stop,
    canceled: stop,
  })
  .loose()
  .openapi("BulkReplayReport");

export const bulkReceiptSchema = z
  .object({ id: z.string(), duplicate: z.boolean(), workflowId: z.string(), runId: z.string() })
  .openapi("BulkReplayReceipt");

export const bulkVerdictSchema = z
  .object({
    counted: z.boolean(),
    refusedBecause: z.string().nullable(),
    at: z.string(),
    pending: z
      .literal(true)
      .optional()
      .openapi({ description: "No worker has answered; it takes effect once one runs" }),
  })
  .openapi("BulkReplayVerdict");
