/** The whole API without a socket: what `listen.ts` serves and tests ask. */
import { Hono } from "hono";
import { routePath } from "hono/route";
import { createGatekeeper } from "./authorize.ts";
import { BULK_ACTIONS, createBulkReplayRoutes } from "./bulk-replay-routes.ts";
import { createEventsDoor } from "./events-door.ts";
import { answerHealth, createReadiness } from "./health-routes.ts";
import { createGateRoute, GATE_WORDS } from "./gate-routes.ts";
import { createHooksDoor } from "./hooks-door.ts";
import { createMetricsRoute } from "./metrics-route.ts";
import { createDocument } from "./openapi.ts";
import { type Problem, problemOf, problemResponse } from "./problem.ts";
import { createReadRoutes } from "./read-routes.ts";
import type { Answer, HttpContext, HttpEnv, ServerContext } from "./server-context.ts";
import { createTestRoute } from "./test-route.ts";
import { DECISION_ACTIONS } from "../delivery/approval.ts";
import { RESOLUTION_ACTIONS } from "../delivery/event-state.ts";
import { createWordRoute } from "./word-routes.ts";

/** `path` as Hono has it: `/v1/events/:source/:id`. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly answer: Answer;
}

export type App = Hono<HttpEnv>;

export function createApp(server: ServerContext): App {
  const app: App = new Hono<HttpEnv>();
  const routes = routesOf(server);
  app.use(async (context, next) => {
    const startedMs = performance.now();
    const end = server.capacity.begin();
    await next();
    end();
    if (server.stopping()) context.header("connection", "close");
    const seconds = (performance.now() - startedMs) / 1000;
    server.metrics.answered({ ...routeOf(routes, context), status: context.res.status }, seconds);
  });
  app.use(async (context, next) => (isPath(context.req.url) ? await next() : problemResponse(BAD_PATH)));
  for (const { method, path, answer } of routes) app.on(method, path, answer);
  for (const path of new Set(routes.map((route) => route.path))) app.all(path, refuseMethod(routes, path));
  app.notFound(() => problemResponse(NOT_FOUND));
  app.onError((error, context) => {
    const problem = problemOf(error);
    if (problem.status === 500) server.log.error({ err: error, ...routeOf(routes, context) }, "request.failed");
    return problemResponse(problem);
  });
  return app;
}

function routesOf(server: ServerContext): readonly Route[] {
  const gatekeeper = createGatekeeper(server);
  const read = createReadRoutes(server, gatekeeper);
  const bulk = createBulkReplayRoutes(server, gatekeeper);
  const document = createDocument();
  const get = (path: string, answer: Answer): Route => ({ method: "GET", path, answer });
  const post = (path: string, answer: Answer): Route => ({ method: "POST", path, answer });
  return [
    post("/v1/events", createEventsDoor(server, gatekeeper)),
    post("/v1/hooks/:source", createHooksDoor(server)),
    get("/v1/events", read.list),
    get("/v1/events/:source/:id", read.event),
    ...[...DECISION_ACTIONS, ...RESOLUTION_ACTIONS].map((name) =>
      post(`/v1/events/:source/:id/${name}`, createWordRoute(server, gatekeeper, name)),
    ),
    get("/v1/endpoints", read.endpoints),
    get("/v1/endpoints/:name", read.endpoint),
    ...GATE_WORDS.map((word) => post(`/v1/endpoints/:name/${word}`, createGateRoute(server, gatekeeper, word))),
    post("/v1/endpoints/:name/test", createTestRoute(server, gatekeeper)),
    post("/v1/bulk-replays", bulk.start),
    get("/v1/bulk-replays", bulk.list),
    get("/v1/bulk-replays/:id", bulk.show),
    ...BULK_ACTIONS.map((action) => post(`/v1/bulk-replays/:id/${action}`, bulk.steer[action])),
    get("/healthz", answerHealth),
    get("/readyz", createReadiness(server)),
    get("/metrics", createMetricsRoute(server)),
    get("/openapi.json", async () => await Promise.resolve(Response.json(document))),
  ];
}

/** RFC 9110 §15.5.6. Hono answers HEAD as GET without its body. */
function refuseMethod(routes: readonly Route[], path: string): Answer {
  const methods = routes
    .filter((route) => route.path === path)
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = methods.join(", ");
  const detail = `This address takes ${allow}.`;
  return async () =>
    await Promise.resolve(problemResponse({ status: 405, code: "method_not_allowed", detail, headers: { allow } }));
}

const NOT_FOUND: Problem = {
  status: 404,
  code: "not_found",
  detail: "There is nothing at this address; /openapi.json lists what there is.",
};
const BAD_PATH: Problem = { status: 400, code: "bad_request", detail: "The path must be percent-encoded UTF-8." };

/** Two spellings of nonsense must not become one id. */
function isPath(url: string): boolean {
  try {
    decodeURIComponent(new URL(url).pathname);
    return true;
  } catch {
    return false;
  }
}

/** Patterns only: a path holds ids, and would make a label of each. */
function routeOf(routes: readonly Route[], context: HttpContext): { readonly method: string; readonly route: string } {
  const { method } = context.req;
  const matched = routes.find(({ path }) => path === routePath(context, -1))?.path ?? "none";
  return { method: KNOWN_METHODS.has(method) ? method : "other", route: matched };
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
