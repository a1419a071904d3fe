/** The routes of endpoints, as `/openapi.json` describes them. */
import { type RouteConfig, z } from "@hono/zod-openapi";
import {
  endpointDetailSchema,
  endpointPageSchema,
  pauseReportSchema,
  pauseSchema,
  resumeReportSchema,
  resumeSchema,
} from "./gate-schemas.ts";
import { body, json, problems, SECURITY } from "./openapi-parts.ts";
import { receiptSchema } from "./openapi-schemas.ts";

const PARAMS = { params: z.object({ name: z.string() }) };

export function endpointPaths(): readonly RouteConfig[] {
  return [
    {
      method: "get",
      path: "/v1/endpoints",
      summary: "Endpoints, what holds them and what is counted for them",
      ...SECURITY,
      responses: { 200: json(endpointPageSchema, "All endpoints"), ...problems(401, 403, 503) },
    },
    {
      method: "get",
      path: "/v1/endpoints/{name}",
      summary: "One endpoint: its gate and who holds it, its lane, what is in flight, its last changes",
      ...SECURITY,
      request: PARAMS,
      responses: { 200: json(endpointDetailSchema, "The endpoint"), ...problems(401, 403, 404, 503) },
    },
    {
      method: "post",
      path: "/v1/endpoints/{name}/pause",
      summary: "Stop every attempt to it; answered once that holds everywhere, within three seconds",
      ...SECURITY,
      request: { ...PARAMS, body: body(pauseSchema) },
      responses: { 200: json(pauseReportSchema, "It is paused"), ...problems(400, 401, 403, 404, 415, 503) },
    },
    {
      method: "post",
      path: "/v1/endpoints/{name}/resume",
      summary: "Let it go on: a few attempts try it, then it opens",
      ...SECURITY,
      request: { ...PARAMS, body: body(resumeSchema) },
      responses: { 200: json(resumeReportSchema, "It counted"), ...problems(400, 401, 403, 404, 409, 415, 503) },
    },
    {
      method: "post",
      path: "/v1/endpoints/{name}/test",
      summary: "Send one synthetic event there; 409 while it is held",
      ...SECURITY,
      request: PARAMS,
      responses: { 200: json(receiptSchema, "On its way"), ...problems(401, 403, 404, 409, 503) },
    },
  ];
}
