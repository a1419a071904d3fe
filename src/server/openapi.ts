/** `/openapi.json`: OpenAPI 3.1 of the routes, written beside the schemas that check requests. */
import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { VERSION } from "../version.ts";
import { bulkReplayPaths } from "./openapi-bulk-replay.ts";
import { endpointPaths } from "./openapi-endpoints.ts";
import { body, json, problems, SECURITY } from "./openapi-parts.ts";
import { listQuerySchema } from "./list-query.ts";
import { eventSchema, pageSchema, receiptSchema, verdictSchema } from "./openapi-schemas.ts";
import { amendmentSchema, decisionSchema, resolutionSchema } from "./word-schemas.ts";

export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

export function createDocument(): OpenApiDocument {
  // Only its registry is used: requests are checked by the handlers, which know more than a schema.
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono();
  registry.registerComponent("securitySchemes", "key", {
    type: "http",
    scheme: "bearer",
    description: "An API key: csk_…",
  });
  const operations = [...readRoutes(), ...endpointPaths(), ...wordRoutes(), ...bulkReplayPaths()];
  for (const route of [...ingestRoutes(), ...operations, ...processRoutes()]) registry.registerPath(route);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version: VERSION,
      description: "Deliver business events as durable workflows on Temporal.",
    },
  });
}

const EVENT_PARAMS = z.object({
  source: z.string().openapi({ description: "Configured name" }),
  id: z.string().openapi({ description: "The event's id, percent-encoded whole: its slashes too" }),
});

function ingestRoutes(): readonly RouteConfig[] {
  return [
    {
      method: "post",
      path: "/v1/events",
      summary: "Accept an event",
      ...SECURITY,
      request: {
        headers: z.object({
          "idempotency-key": z.string().optional().openapi({ description: "The event's id when it has none" }),
        }),
        body: {
          content: {
            "application/json": { schema: eventSchema },
            "application/cloudevents+json": { schema: eventSchema },
            "application/cloudevents-batch+json": { schema: z.array(eventSchema) },
          },
        },
      },
      responses: {
        200: json(receiptSchema, "The same event was accepted before (header Idempotent-Replayed)"),
        202: json(receiptSchema, "Accepted: it survives any crash"),
        ...problems(400, 401, 403, 408, 409, 413, 415, 422, 429, 503),
      },
    },
    {
      method: "post",
      path: "/v1/hooks/{source}",
      summary: "Take in a provider's webhook, verified by its signature",
      request: { params: z.object({ source: z.string() }) },
      responses: {
        200: { description: 'Taken; or no route wants it, {"ignored":true}; or a handshake\'s answer' },
        202: json(receiptSchema, "Taken"),
        ...problems(400, 401, 404, 408, 413, 415, 503),
      },
    },
  ];
}

function readRoutes(): readonly RouteConfig[] {
  const read = (path: string, summary: string, rest: Pick<RouteConfig, "request" | "responses">): RouteConfig => ({
    method: "get",
    path,
    summary,
    ...SECURITY,
    ...rest,
  });
  const open = (description: string) => json(z.object({}).loose(), description);
  return [
    read(
      "/v1/events",
      "List events, newest first, those that have not ended before the others; eventually consistent",
      {
        request: { query: listQuerySchema },
        responses: { 200: json(pageSchema, "A page"), ...problems(400, 401, 403, 503) },
      },
    ),
    read("/v1/events/{source}/{id}", "The whole state of one event, exact", {
      request: { params: EVENT_PARAMS },
      responses: { 200: open("Its state"), ...problems(401, 403, 404, 503) },
    }),
  ];
}

function wordRoutes(): readonly RouteConfig[] {
  const word = (name: string, summary: string, schema: z.ZodType): RouteConfig => ({
    method: "post",
    path: `/v1/events/{source}/{id}/${name}`,
    summary,
    ...SECURITY,
    request: { params: EVENT_PARAMS, body: body(schema) },
    responses: { 200: json(verdictSchema, "It counted"), ...problems(400, 401, 403, 404, 409, 415, 503) },
  });
  return [
    word("approve", "Say yes to what the digest stands for", decisionSchema),
    word("reject", "Say no to it", decisionSchema),
    word("withdraw", "Take one's own decision back", decisionSchema),
    word("replay", "Try a parked delivery again", resolutionSchema),
    word("discard", "End a delivery without sending it", resolutionSchema),
    word("mark-delivered", "Record that the endpoint has it", resolutionSchema),
    word("amend", "Replace what a delivery sends, or where", amendmentSchema),
    word("hurry", "End a retry wait now, never before Retry-After", resolutionSchema),
    word("hold", "Stop one delivery", resolutionSchema),
    word("release", "Let a delivery that is held go on", resolutionSchema),
  ];
}

function processRoutes(): readonly RouteConfig[] {
  const plain = (path: string, summary: string, statuses: readonly number[]): RouteConfig => ({
    method: "get",
    path,
    summary,
    responses: Object.fromEntries(statuses.map((status) => [status, { description: summary }])),
  });
  return [
    plain("/healthz", "The process answers", [200]),
    plain("/readyz", "Events would be taken and delivered", [200, 503]),
    plain("/metrics", "Prometheus metrics", [200]),
  ];
}
