/** Pausing and resuming an endpoint over HTTP: what is sent, and what is answered. */
import { z } from "@hono/zod-openapi";
import { actor, text } from "./word-schemas.ts";

/** Strict: a misspelled `until` would pause for ever. */
export const pauseSchema = z
  .strictObject({
    reason: text(500).min(1).openapi({ description: "Why; kept in the ledger" }),
    for: text(40).optional().openapi({ description: "How long, such as 2h; absent = until somebody resumes it" }),
    until: text(40).optional().openapi({ description: "RFC 3339, in the future; not beside for" }),
    actor,
  })
  .openapi("Pause");

export const resumeSchema = z
  .strictObject({
    reason: text(500).optional(),
    probe: z
      .boolean()
      .optional()
      .openapi({ description: "Where one of the first attempts fails, it is paused again as before" }),
    ramp: text(40)
      .optional()
      .openapi({ description: "How long the drain takes to reach full speed, such as 10m; absent = at once" }),
    actor,
  })
  .openapi("Resume");

const at = z.string().openapi({ description: "RFC 3339" });

export const pauseReportSchema = z
  .object({
    endpoint: z.string(),
    at,
    until: z.string().nullable(),
    workers: z.number().openapi({ description: "Seen polling for event workflows within 75 s; 0 = none runs" }),
    confirmed: z.boolean().openapi({ description: "No attempt begins anywhere from now on" }),
    heldOnServer: z.boolean().openapi({ description: "False = the server allows no rates on queues: workers hold" }),
    inFlight: z.number().openapi({ description: "Attempts that had begun before and have not ended; approximate" }),
    replaces: z
      .object({ who: z.string(), why: z.string(), until: z.string().nullable() })
      .nullable()
      .openapi({ description: "The pause that stood before, also a longer one; null = none is known" }),
  })
  .openapi("PauseReport");

export const resumeReportSchema = z
  .object({
    endpoint: z.string(),
    at,
    counted: z
      .literal(true)
      .nullable()
      .openapi({ description: "Null = no worker has answered; it takes effect later" }),
    refusedBecause: z.null(),
    workers: z.number(),
  })
  .openapi("ResumeReport");

const gate = z.object({
  state: z.enum(["open", "paused", "tripped", "throttled"]),
  until: z.string().nullable(),
  probing: z.boolean(),
  ramping: z.boolean(),
});

const overview = z.object({
  name: z.string(),
  destination: z.string(),
  isolated: z.boolean(),
  idempotent: z.boolean(),
  inProgress: z.number(),
  awaitingApproval: z.number(),
  needsAttention: z.number(),
  delivered: z.number(),
  gate,
});

/** What lists hold may be seconds old. */
const dated = { asOf: at, exact: z.literal(false) };

export const endpointPageSchema = z.object({ items: z.array(overview.loose()), ...dated }).openapi("EndpointPage");

export const endpointDetailSchema = overview
  .extend({
    ...dated,
    gate: gate.extend({ who: z.string().nullable(), why: z.string().nullable(), since: z.string().nullable() }),
    lane: z.object({
      held: z
        .number()
        .nullable()
        .openapi({ description: "Attempts that wait, as the server counts; null = not known" }),
      oldestAgeMs: z.number().nullable(),
      approximate: z.literal(true),
      ratePerSecond: z.number().nullable().openapi({ description: "Limit on the server; 0 = held, null = none" }),
      pollers: z.number(),
    }),
    workers: z.number(),
    inFlight: z.number(),
    ledger: z.array(
      z.object({
        n: z.number(),
        at,
        what: z.string(),
        who: z.string(),
        why: z.string(),
        until: z.string().nullable(),
      }),
    ),
  })
  .loose()
  .openapi("Endpoint");
