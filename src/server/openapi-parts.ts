/** What every described route is made of. */
import type { RouteConfig, z } from "@hono/zod-openapi";
import { problemSchema } from "./openapi-schemas.ts";

export const SECURITY = { security: [{ key: [] }] };

export function body(schema: z.ZodType) {
  return { content: { "application/json": { schema } } };
}

export function json(schema: z.ZodType, description: string) {
  return { description, ...body(schema) };
}

export function problems(...statuses: readonly (number | string)[]): RouteConfig["responses"] {
  const content = { "application/problem+json": { schema: problemSchema } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: PROBLEMS[status] ?? "Refused", content }]),
  );
}

const PROBLEMS: Readonly<Record<string, string>> = {
  400: "Not an event, or not understood",
  401: "No valid key, or no valid signature",
  403: "The key may not do this",
  404: "There is no such thing",
  408: "The body took too long",
  409: "The id was used for other content; or it did not count, and refusedBecause says why",
  413: "Too large",
  415: "Not in this form",
  422: "No route, unknown source, or a requester is required",
  429: "Too many failed attempts",
  503: "Not safe yet: send it again after Retry-After",
};
