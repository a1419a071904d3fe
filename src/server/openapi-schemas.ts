/** Shapes of the documentation that no handler checks by a schema. */
import { z } from "@hono/zod-openapi";

const anything = () => z.unknown();

export const eventSchema = z
  .object({
    source: z.string().openapi({ description: "A configured source, or one of its aliases" }),
    id: z
      .string()
      .optional()
      .openapi({ description: "1–160 bytes of visible text; absent with Idempotency-Key or idFrom" }),
    type: z.string(),
    time: z.string().optional(),
    subject: z.string().optional(),
    datacontenttype: z.string().optional(),
    data: anything().optional().openapi({ description: "Delivered byte for byte as it stands in the request" }),
    data_base64: z.string().optional(),
    specversion: z.string().optional(),
    requestedBy: z.string().optional(),
    evidence: z
      .array(z.object({ title: z.string(), url: z.string().optional(), text: z.string().optional() }))
      .optional(),
    traceparent: z.string().optional(),
    synthetic: z.boolean().optional(),
  })
  .openapi("Event");

export const receiptSchema = z
  .object({ key: z.string(), duplicate: z.boolean(), state: z.string(), workflowId: z.string(), runId: z.string() })
  .openapi("Receipt");

export const problemSchema = z
  .object({ type: z.string(), title: z.string(), status: z.number(), detail: z.string(), code: z.string() })
  .loose()
  .openapi("Problem");

export const verdictSchema = z
  .object({ counted: z.boolean(), refusedBecause: z.string().nullable(), at: z.string() })
  .openapi("Verdict");

export const pageSchema = z
  .object({
    items: z.array(z.object({ key: z.string(), state: z.string(), type: z.string(), startedAt: z.string() }).loose()),
    nextCursor: z.string().nullable(),
    asOf: z.string(),
    exact: z.literal(false),
  })
  .openapi("EventPage");
