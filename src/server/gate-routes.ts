/** `POST /v1/endpoints/{name}/pause` and `/resume`: a person stops an endpoint, or lets it go on. */
import type { PauseOrder, ResumeOrder } from "../client/endpoint-words.ts";
import type { ApiKey } from "../config/config.ts";
import { answering, type Gatekeeper } from "./authorize.ts";
import { pauseSchema, resumeSchema } from "./gate-schemas.ts";
import { parsed, refusedVerdict, requireActor, withJson } from "./order-body.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, HttpContext, ServerContext } from "./server-context.ts";

export const GATE_WORDS = ["pause", "resume"] as const;
export type GateWord = (typeof GATE_WORDS)[number];

/** One word about one endpoint, as it came in. */
interface Spoken {
  readonly name: string;
  readonly key: ApiKey;
  readonly document: unknown;
}

export function createGateRoute(server: ServerContext, gatekeeper: Gatekeeper, word: GateWord): Answer {
  const say = { pause, resume }[word];
  return answering(
    gatekeeper,
    word,
    async (context, key) =>
      await withJson(server, context, async (document) => say(server, { name: nameOf(context), key, document })),
  );
}

function nameOf({ req }: HttpContext): string {
  return req.param("name") ?? "";
}

/** Answered once it holds everywhere, within three seconds. */
async function pause({ countersign }: ServerContext, { name, key, document }: Spoken): Promise<Response> {
  const { actor, ...rest } = parsed(pauseSchema, document);
  // What is absent is absent: zod's optional members are.
  const order = { ...rest, actor: requireActor(key, actor) } as PauseOrder;
  return Response.json(await countersign.pause(name, order), { headers: NO_STORE });
}

async function resume({ countersign }: ServerContext, { name, key, document }: Spoken): Promise<Response> {
  const { actor, ...rest } = parsed(resumeSchema, document);
  const order = { ...rest, actor: requireActor(key, actor) } as ResumeOrder; // as above
  const report = await countersign.resume(name, order);
  return report.counted === false ? refusedVerdict(report) : Response.json(report, { headers: NO_STORE });
}
