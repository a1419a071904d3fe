/** Looking without changing anything: events and endpoints. */
import { CountersignError, isCountersignError } from "../errors.ts";
import { answering, type Gatekeeper } from "./authorize.ts";
import { readListQuery } from "./list-query.ts";
import { type Problem, problemOf, problemResponse } from "./problem.ts";
import { NO_STORE } from "./receipt-response.ts";
import { eventKey, isEventId, isName } from "../delivery/names.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";

export interface ReadRoutes {
  readonly list: Answer;
  readonly event: Answer;
  readonly endpoints: Answer;
  readonly endpoint: Answer;
}

export function createReadRoutes(server: ServerContext, gatekeeper: Gatekeeper): ReadRoutes {
  const reading = (read: (context: HttpContext) => Promise<unknown>): Answer =>
    answering(gatekeeper, "read", async (context) => {
      const found = await read(context);
      return found instanceof Response ? found : Response.json(found, { headers: NO_STORE });
    });
  const { countersign } = server;
  return {
    list: reading(async ({ req }) => await answerList(server, req.queries())),
    event: reading(async (context) => await readEvent(server, keyOf(context))),
    endpoints: reading(async () => ({ items: await countersign.endpoints(), ...APPROXIMATE() })),
    endpoint: reading(async ({ req }) => {
      const detail = await countersign.endpoint(req.param("name") ?? "");
      return { ...detail, ...APPROXIMATE() };
    }),
  };
}

/** What lists hold may be seconds old. */
const APPROXIMATE = () => ({ asOf: new Date().toISOString(), exact: false });

async function answerList(
  { countersign }: ServerContext,
  query: Readonly<Record<string, readonly string[]>>,
): Promise<unknown> {
  const asked = readListQuery(query);
  if (asked.read === "refused") return problemResponse(asked.problem);
  return { ...(await countersign.listPage(asked.filter, asked.page)), ...APPROXIMATE() };
}

/**
 * As it stands in the path, decoded.
 *
 * Throws `not_found` for what can be no key, without asking Temporal: `shop%2Fa/b` must not be a second path to
 * `shop/a%2Fb`, and NUL is nothing that a query can hold.
 */
export function keyOf({ req }: HttpContext): string {
  const [source, id] = [req.param("source") ?? "", req.param("id") ?? ""];
  if (isName(source) && isEventId(id)) return eventKey(source, id);
  throw new CountersignError("not_found", "No event can have such a key");
}

async function readEvent({ countersign }: ServerContext, key: string): Promise<unknown> {
  try {
    return await countersign.get(key);
  } catch (error) {
    // What a plain start put there is no event: the fault is not in this request.
    if (isCountersignError(error) && NO_EVENT.has(error.code)) return problemResponse(unreadable(problemOf(error)));
    throw error;
  }
}

const NO_EVENT: ReadonlySet<string> = new Set([
  "bad_event",
  "bad_id",
  "body_too_large",
  "duplicate_member",
  "invalid_json",
]);

function unreadable(problem: Problem): Problem {
  return { ...problem, status: 422 };
}
