/** The body of an order: a JSON object of known members, and in whose name it is given. */
import type { z } from "@hono/zod-openapi";
import { actorFor } from "../access/actor-for.ts";
import { readJson } from "../client/read-event.ts";
import type { ApiKey } from "../config/config.ts";
import { CountersignError } from "../errors.ts";
import { problemResponse } from "./problem.ts";
import { withBody } from "./read-body.ts";
import type { HttpContext, ServerContext } from "./server-context.ts";
import { jsonComplaint } from "./word-routes.ts";

/** An empty body is an empty object: an order needs no members where the key has a person. */
export async function withJson(
  server: ServerContext,
  context: HttpContext,
  use: (document: unknown) => Promise<Response>,
): Promise<Response> {
  return await withBody(server, { context, maxBytes: server.limits.maxEventBytes }, async (body) => {
    if (body.length === 0) return await use({});
    const complaint = jsonComplaint(context);
    return complaint === null ? await use(readJson(body, "The body").value) : problemResponse(complaint);
  });
}

/** Throws `bad_argument`, naming the members that are wrong. */
export function parsed<Body>(schema: z.ZodType<Body>, document: unknown): Body {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const names = [...new Set(result.error.issues.flatMap((issue) => namesOf(issue)))].join(", ") || "the body itself";
  const sentence = `The body must be a JSON object with only the members that /openapi.json lists; look at ${names}`;
  throw new CountersignError("bad_argument", sentence);
}

function namesOf(issue: z.core.$ZodIssue): readonly string[] {
  return issue.code === "unrecognized_keys" ? issue.keys : issue.path.map(String);
}

/** Throws `bad_argument`. */
export function requireActor(key: ApiKey, claimed: string | undefined): string {
  const actor = actorFor(key, claimed);
  if (actor !== null) return actor;
  throw new CountersignError("bad_argument", 'The body must say who asks, as "actor": this key belongs to no person');
}
