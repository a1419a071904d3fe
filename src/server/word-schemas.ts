/** What a person's word over HTTP is made of. Members that are not known are passed over. */
import { z } from "@hono/zod-openapi";

const MAX_TEXT = 10_000;
export const text = (max = MAX_TEXT) => z.string().max(max);

export const actor = text(200)
  .optional()
  .openapi({ description: "Who says so; a key bound to a person speaks for that person, whatever stands here" });
const delivery = text(63).optional().openapi({ description: "Endpoint; only needed when several could be meant" });

export const decisionSchema = z
  .object({
    digest: text(200).openapi({ description: "The whole sha256:… of the proposal that was looked at" }),
    note: text().optional().openapi({ description: "reject needs one" }),
    signature: text(1000).optional().openapi({ description: "Base64; needed where decisions must be signed" }),
    actor,
    delivery,
  })
  .openapi("Decision");

export const resolutionSchema = z.object({ reason: text().min(1), actor, delivery }).openapi("Resolution");

export const amendmentSchema = resolutionSchema
  .extend({
    data: z.unknown().optional().openapi({ description: "The new body as JSON" }),
    data_base64: z.string().optional().openapi({ description: "The new body as bytes; not beside data" }),
    endpoint: text(63).optional(),
  })
  .openapi("Amendment");

export type ResolutionBody = z.infer<typeof resolutionSchema>;
