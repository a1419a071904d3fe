/** Mass replay over HTTP: start or preview one, look at it, steer it. */
import type { BulkReplayOrder } from "../client/bulk-replay-order.ts";
import type { ApiKey } from "../config/config.ts";
import { BULK_ACTIONS, type BulkAction } from "../delivery/bulk-replay/words.ts";
import { answering, type Gatekeeper } from "./authorize.ts";
import { bulkReplaySchema, steerSchema } from "./bulk-replay-schemas.ts";
import { parsed, refusedVerdict, requireActor, withJson } from "./order-body.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";

export interface BulkReplayRoutes {
  readonly start: Answer;
  readonly list: Answer;
  readonly show: Answer;
  /** By action. */
  readonly steer: Readonly<Record<BulkAction, Answer>>;
}

export { BULK_ACTIONS };

export function createBulkReplayRoutes(server: ServerContext, gatekeeper: Gatekeeper): BulkReplayRoutes {
  const { bulkReplays } = server.countersign;
  const steering = (action: BulkAction): Answer =>
    answering(gatekeeper, "bulk-replay", async (context, key) => await steer(server, { context, key, action }));
  return {
    start: answering(gatekeeper, "bulk-replay", async (context, key) => await start(server, context, key)),
    list: answering(gatekeeper, "read", async () => {
      const items = await bulkReplays.list();
      return Response.json({ items, asOf: new Date().toISOString(), exact: false }, { headers: NO_STORE });
    }),
    show: answering(gatekeeper, "read", async (context) =>
      Response.json(await bulkReplays.show(idOf(context)), { headers: NO_STORE }),
    ),
    steer: { pause: steering("pause"), resume: steering("resume"), cancel: steering("cancel") },
  };
}

function idOf({ req }: HttpContext): string {
  return req.param("id") ?? "";
}

async function start(server: ServerContext, context: HttpContext, key: ApiKey): Promise<Response> {
  return await withJson(server, context, async (document) => {
    const { dryRun = false, ...wish } = parsed(bulkReplaySchema, document);
    const { bulkReplays } = server.countersign;
    // What is absent is absent: zod's optional members are.
    const order = { ...wish, actor: requireActor(key, wish.actor) } as BulkReplayOrder;
    if (dryRun) return Response.json(await bulkReplays.preview(order), { headers: NO_STORE });
    const receipt = await bulkReplays.start(order);
    const headers = { ...NO_STORE, location: `/v1/bulk-replays/${receipt.id}` };
    return Response.json(receipt, { status: receipt.duplicate ? 200 : 202, headers });
  });
}

interface Steering {
  readonly context: HttpContext;
  readonly key: ApiKey;
  readonly action: BulkAction;
}

async function steer(server: ServerContext, { context, key, action }: Steering): Promise<Response> {
  return await withJson(server, context, async (document) => {
    const { actor, note } = parsed(steerSchema, document);
    const word = { actor: requireActor(key, actor), ...(note === undefined ? {} : { note }) };
    const verdict = await server.countersign.bulkReplays[action](idOf(context), word);
    return verdict.counted ? Response.json(verdict, { headers: NO_STORE }) : refusedVerdict(verdict);
  });
}
