/** A person's word on an event: the HTTP face of what the workflow judges. */
import type { AmendmentWord, Countersign, DecisionWord, PersonsWord } from "../client/countersign.ts";
import { type JsonDocument, readJson } from "../client/read-event.ts";
import type { ApiKey } from "../config/config.ts";
import type { DecisionAction } from "../delivery/approval.ts";
import type { JsonValue } from "../delivery/event.ts";
import type { ResolutionAction, Verdict } from "../delivery/event-state.ts";
import { memberText } from "../delivery/json-text.ts";
import { answering, type Gatekeeper } from "./authorize.ts";
import { jsonComplaint, parsed, refusedVerdict, requireActor } from "./order-body.ts";
import { problemResponse } from "./problem.ts";
import { withBody } from "./read-body.ts";
import { keyOf } from "./read-routes.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";
import { amendmentSchema, decisionSchema, type ResolutionBody, resolutionSchema } from "./word-schemas.ts";

export type WordName = DecisionAction | ResolutionAction;

/** One word: who says it, about which event, in which JSON. */
interface Spoken {
  readonly name: WordName;
  readonly key: string;
  readonly apiKey: ApiKey;
  readonly document: JsonDocument;
}

export function createWordRoute(server: ServerContext, gatekeeper: Gatekeeper, name: WordName): Answer {
  return answering(gatekeeper, name, async (context, apiKey) => {
    const complaint = jsonComplaint(context);
    if (complaint !== null) return problemResponse(complaint);
    return await withBody(server, { context, maxBytes: server.limits.maxEventBytes }, async (body) => {
      const spoken = { name, key: keyOf(context), apiKey, document: readJson(body, "The body") };
      return verdictResponse(await say(server.countersign, spoken));
    });
  });
}

async function say(countersign: Countersign, spoken: Spoken): Promise<Verdict> {
  const { name, key } = spoken;
  switch (name) {
    case "approve":
    case "reject":
    case "withdraw":
      return await countersign[name](key, decisionOf(spoken));
    case "replay":
    case "discard":
    case "hurry":
    case "hold":
    case "release":
      return await countersign[name](key, resolutionOf(spoken));
    case "mark-delivered":
      return await countersign.markDelivered(key, resolutionOf(spoken));
    case "amend":
      return await countersign.amend(key, amendmentOf(spoken));
  }
}

function decisionOf(spoken: Spoken): DecisionWord {
  const { digest, note, delivery, signature, actor } = parsed(decisionSchema, spoken.document.value);
  return {
    actor: requireActor(spoken.apiKey, actor),
    digest,
    ...(note === undefined ? {} : { note }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(signature === undefined ? {} : { signature }),
  };
}

function resolutionOf(spoken: Spoken): PersonsWord {
  return wordOf(spoken, parsed(resolutionSchema, spoken.document.value));
}

function wordOf({ apiKey }: Spoken, { reason, delivery, actor }: ResolutionBody): PersonsWord {
  return { actor: requireActor(apiKey, actor), reason, ...(delivery === undefined ? {} : { delivery }) };
}

function amendmentOf(spoken: Spoken): AmendmentWord {
  const body = parsed(amendmentSchema, spoken.document.value);
  const { data_base64, endpoint } = body;
  return {
    ...wordOf(spoken, body),
    ...contentOf(spoken.document),
    ...(data_base64 === undefined ? {} : { data_base64 }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** JSON that would not be written again as it came in travels as its bytes. */
function contentOf({ text, value }: JsonDocument): Pick<AmendmentWord, "data" | "data_base64"> {
  const written = memberText(text, "data");
  if (written === null) return {};
  const { data } = value as { readonly data: JsonValue }; // an object with that member: its text was found
  if (typeof data === "string" || JSON.stringify(data) === written) return { data };
  return { data_base64: Buffer.from(written, "utf8").toString("base64") };
}

function verdictResponse({ counted, refusedBecause, at }: Verdict): Response {
  const members = { counted, refusedBecause, at };
  return counted ? Response.json(members, { headers: NO_STORE }) : refusedVerdict(members);
}
