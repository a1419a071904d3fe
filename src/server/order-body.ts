/** An order: its body, a JSON object of known members; in whose name it is given; the answer where it does not count. */
import type { z } from "@hono/zod-openapi";
import { actorFor } from "../access/actor-for.ts";
import { readJson } from "../client/read-event.ts";
import type { ApiKey } from "../config/config.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import { membersOf } from "../delivery/message-members.ts";
import { CountersignError } from "../errors.ts";
import { encodedBody, isUtf8 } from "./content-mode.ts";
import { type Problem, problemResponse } from "./problem.ts";
import { withBody } from "./read-body.ts";
import { headersOf, oneHeader } from "./request-headers.ts";
import type { HttpContext, ServerContext } from "./server-context.ts";

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

/** What is wrong with the form of a body that should be JSON. */
export function jsonComplaint(context: HttpContext): Problem | null {
  const headers = headersOf(context);
  return encodedBody(headers) ?? jsonProblem(oneHeader(headers, "content-type"));
}

function jsonProblem(contentType: string | null): Problem | null {
  if (contentType !== null && isJsonContentType(contentType) && isUtf8(contentType)) return null;
  return { status: 415, code: "unsupported_media_type", detail: "The body must be application/json in UTF-8." };
}

/** Throws `bad_argument`, naming the members that are wrong. */
export function parsed<Body>(schema: z.ZodType<Body>, document: unknown): Body {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const complaints = [...new Set(result.error.issues.map((issue) => complaintOf(issue, document)))].slice(0, MOST);
  throw new CountersignError("bad_argument", `${complaints.join(". ")}. /openapi.json lists what the body may have`);
}

function complaintOf(issue: z.core.$ZodIssue, document: unknown): string {
  if (issue.code === "unrecognized_keys")
    return `The body must not have ${issue.keys.slice(0, MOST).map(quoted).join(", ")}`;
  const [name, ...inner] = issue.path.map(String);
  if (name === undefined) return "The body must be a JSON object";
  const isMissing = inner.length === 0 && membersOf(document)[name] === undefined;
  if (isMissing) return `The body's ${name} is missing`;
  // What was expected, never what was given.
  return `The body's ${[name, ...inner].join(".")} cannot be used: ${issue.message}`;
}

/** As JSON, so that no name can break out of the sentence. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

const MAX_NAME = 40;
/** Whoever sends more wrong members than that has sent something else. */
const MOST = 5;

/** Throws `bad_argument`. */
export function requireActor(key: ApiKey, claimed: string | undefined): string {
  const actor = actorFor(key, claimed);
  if (actor !== null) return actor;
  throw new CountersignError("bad_argument", 'The body must say who asks, as "actor": this key belongs to no person');
}

/** The answer to a word that did not count; `members` are those of its verdict. */
export function refusedVerdict(members: { readonly refusedBecause: string | null }): Response {
  const detail = `It did not count and changed nothing (${members.refusedBecause ?? "no reason given"}).`;
  return problemResponse({ status: 409, code: "refused", detail, members: { ...members } });
}
