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

export const listQuerySchema = z.object({
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

/** An empty value counts as absent: it is what a form leaves. `query` has every value of a name. */
export function readListQuery(query: Readonly<Record<string, readonly string[]>>): ListQuery {
  const misnamed = misnamedQuery(Object.entries(query));
  if (misnamed !== null) return { read: "refused", problem: misnamed };
  const given = Object.entries(query).flatMap(([key, [value = ""]]) => (value === "" ? [] : [[key, value] as const]));
  const result = listQuerySchema.safeParse(Object.fromEntries(given));
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

/** A misspelled `state`, or one of two, would list more than was asked for. */
function misnamedQuery(query: readonly (readonly [string, readonly string[]])[]): Problem | null {
  const known = Object.keys(listQuerySchema.shape);
  const wrong = query.find(([asked, values]) => !known.includes(asked) || values.length > 1);
  if (wrong === undefined) return null;
  const shown = JSON.stringify(wrong[0].slice(0, MAX_NAME));
  const complaint = known.includes(wrong[0]) ? `${shown} more than once` : shown;
  const detail = `The query must not have ${complaint}; accepted: ${known.join(", ")}, once each.`;
  return { status: 400, code: "bad_argument", detail };
}

const ACCEPTED: Readonly<Record<string, string>> = {
  state: `one of ${LISTED_STATES.join(", ")}`,
  limit: `a whole number from 1 to ${PAGE_ROWS}`,
};

function badQuery(issues: readonly z.core.$ZodIssue[]): Problem {
  const names = [...new Set(issues.map(({ path }) => String(path[0] ?? "")))];
  const detail = names.map((query) => `The query ${query} must be ${ACCEPTED[query] ?? "a short text"}.`).join(" ");
  return { status: 400, code: "bad_argument", detail };
}
