/** The routes of mass replay, as `/openapi.json` describes them. */
import { type RouteConfig, z } from "@hono/zod-openapi";
import {
  bulkReceiptSchema,
  bulkReplaySchema,
  bulkReportSchema,
  bulkVerdictSchema,
  steerSchema,
} from "./bulk-replay-schemas.ts";
import { body, json, problems, SECURITY } from "./openapi-parts.ts";

const PARAMS = { params: z.object({ id: z.string() }) };

export function bulkReplayPaths(): readonly RouteConfig[] {
  const word = (action: string, summary: string): RouteConfig => ({
    method: "post",
    path: `/v1/bulk-replays/{id}/${action}`,
    summary,
    ...SECURITY,
    request: { ...PARAMS, body: body(steerSchema) },
    responses: { 200: json(bulkVerdictSchema, "It counted"), ...problems(400, 401, 403, 404, 409, 415, 503) },
  });
  return [
    {
      method: "post",
      path: "/v1/bulk-replays",
      summary: "Replay many parked events at a pace, or with dryRun count them",
      ...SECURITY,
      request: { body: body(bulkReplaySchema) },
      responses: {
        200: json(bulkReceiptSchema, "It had been started before; or the preview of a dry run"),
        202: json(bulkReceiptSchema, "Started"),
        ...problems(400, 401, 403, 404, 409, 415, 503),
      },
    },
    {
      method: "get",
      path: "/v1/bulk-replays",
      summary: "Bulk replays, newest first; eventually consistent",
      ...SECURITY,
      responses: { 200: json(z.object({}).loose(), "The newest fifty"), ...problems(401, 403, 503) },
    },
    {
      method: "get",
      path: "/v1/bulk-replays/{id}",
      summary: "How far it has come, exact",
      ...SECURITY,
      request: PARAMS,
      responses: { 200: json(bulkReportSchema, "Its report"), ...problems(401, 403, 404, 409, 503) },
    },
    word("pause", "No further batch begins until it is resumed"),
    word("resume", "Go on where it stood"),
    word("cancel", "End it for good"),
  ];
}
