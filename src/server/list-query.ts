/** The query of `GET /v1/events`. */
import { z } from "@hono/zod-openapi";
import { type ListFilter, PAGE_ROWS } from "../client/list-events.ts";
import type { PageRequest } from "../client/list-page.ts";
import { LISTED_STATES } from "../client/listed-state.ts";
import { visibleTextProblem } from "../delivery/visible-text.ts";
import type { Problem } from "./problem.ts";

const DEFAULT_LIMIT = 100;
/** What is said of a name that is not known. */
const MAX_NAME = 40;

/** What no name and no type can hold, no query can ask for either. */
const name = z
  .string()
  .refine((text) => visibleTextProblem(text, { max: 200, unit: "characters" }) === null)
  .optional();

/** Strict: a misspelled `state` would list everything. */
export const listQuerySchema = z.strictObject({
  state: z.enum(LISTED_STATES).optional(),
  type: name,
  endpoint: name,
  source: name,
  cursor: z.string().max(4096).optional().openapi({ description: "nextCursor of the page before" }),
  limit: z.coerce.number().int().min(1).max(PAGE_ROWS).default(DEFAULT_LIMIT),
});

export type ListQuery =
  | { readonly read: "query"; readonly filter: ListFilter; readonly page: PageRequest }
  | { readonly read: "refused"; readonly problem: Problem };

/** An empty value counts as absent: it is what a form leaves. */
export function readListQuery(query: Readonly<Record<string, string>>): ListQuery {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  const result = listQuerySchema.safeParse(given);
  if (!result.success) return { read: "refused", problem: badQuery(result.error.issues) };
  const { cursor, limit, state, type, endpoint, source } = result.data;
  const filter: ListFilter = {
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { type }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(source === undefined ? {} : { source }),
  };
  return { read: "query", filter, page: { cursor, limit } };
}

const ACCEPTED: Readonly<Record<string, string>> = {
  state: `one of ${LISTED_STATES.join(", ")}`,
  limit: `a whole number from 1 to ${PAGE_ROWS}`,
};

function badQuery(issues: readonly z.core.$ZodIssue[]): Problem {
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []));
  if (unknown.length > 0) {
    const accepted = Object.keys(listQuerySchema.shape).join(", ");
    const given = unknown.map((query) => JSON.stringify(query.slice(0, MAX_NAME))).join(", ");
    const detail = `The query must not have ${given}; accepted: ${accepted}.`;
    return { status: 400, code: "bad_argument", detail };
  }
  const names = [...new Set(issues.map(({ path }) => String(path[0] ?? "")))];
  const detail = names.map((query) => `The query ${query} must be ${ACCEPTED[query] ?? "a short text"}.`).join(" ");
  return { status: 400, code: "bad_argument", detail };
}
