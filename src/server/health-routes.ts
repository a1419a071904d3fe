/** `/healthz`: this process answers. `/readyz`: events that come in now would be taken and delivered. */
import type { Health } from "../client/health.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";

/** Looking costs two calls, and load balancers look often. */
const LOOK_AGAIN_MS = 1000;

export async function answerHealth(): Promise<Response> {
  return await Promise.resolve(Response.json({ status: "ok" }, { headers: NO_STORE }));
}

export function createReadiness({ countersign, now, stopping }: ServerContext): Answer {
  let looked: { readonly atMs: number; readonly health: Promise<Health> } | null = null;
  return async () => {
    if (looked === null || now() - looked.atMs >= LOOK_AGAIN_MS) looked = { atMs: now(), health: countersign.health() };
    const health = await looked.health;
    const ready = !stopping() && health.temporal && health.searchAttributes && health.workers > 0;
    const body = { ready, ...health, ...(stopping() ? { stopping: true } : {}) };
    return Response.json(body, { status: ready ? 200 : 503, headers: NO_STORE });
  };
}
