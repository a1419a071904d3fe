/** `/healthz`: this process answers. `/readyz`: events that come in now would be taken and delivered. */
import type { Health } from "../client/health.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";
import { shareLook } from "./shared-look.ts";

/** Looking costs two calls, and load balancers look often. */
const LOOK_AGAIN_MS = SECOND_MS;
/** The calls give up after three seconds by themselves; this holds whatever they do. */
const WAIT_MS = 4 * SECOND_MS;

/** What cannot be asked is not there. */
const SILENCE: Health = { temporal: false, searchAttributes: false, workers: 0 };

export async function answerHealth(): Promise<Response> {
  return await Promise.resolve(Response.json({ status: "ok" }, { headers: NO_STORE }));
}

/** Answers within `waitMs`, and has one look under way at most, however many ask. */
export function createReadiness(
  { countersign, now, stopping }: Pick<ServerContext, "countersign" | "now" | "stopping">,
  waitMs: number = WAIT_MS,
): Answer {
  const look = shareLook({
    look: async () => await countersign.health(),
    now,
    everyMs: LOOK_AGAIN_MS,
    waitMs,
  });
  return async () => {
    const looked = await look();
    const health = looked === "late" ? SILENCE : looked.found;
    const ready = !stopping() && health.temporal && health.searchAttributes && health.workers > 0;
    const body = { ready, ...health, ...(stopping() ? { stopping: true } : {}) };
    return Response.json(body, { status: ready ? 200 : 503, headers: NO_STORE });
  };
}
