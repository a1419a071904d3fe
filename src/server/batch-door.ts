/** A batch of CloudEvents: each event is judged by itself, and only a batch that is safe as a whole is answered 2xx. */
import type { Receipt } from "../client/submit.ts";
import type { ApiKey } from "../config/config.ts";
import { eventKey } from "../delivery/names.ts";
import { childrenOf } from "../signing/verify/json-children.ts";
import { decodeUtf8, isJson } from "../signing/verify/members.ts";
import { acceptEvent } from "./accept-event.ts";
import { type Admission, admitEvent } from "./admit-event.ts";
import { type Problem, problemResponse, unavailable } from "./problem.ts";
import { readBatchItem } from "./read-request-event.ts";
import { NO_STORE, statusOf } from "./receipt-response.ts";
import type { ServerContext } from "./server-context.ts";

/** What became of one event of the batch. */
type Item =
  | { readonly kind: "safe"; readonly receipt: Receipt }
  | { readonly kind: "refused"; readonly problem: Problem };

export async function answerBatch(server: ServerContext, key: ApiKey, body: Uint8Array): Promise<Response> {
  const texts = textsOf(body);
  const complaint = texts === null ? NOT_A_LIST : countProblem(texts.length, server.limits.maxBatch);
  if (texts === null || complaint !== null) return problemResponse(complaint ?? NOT_A_LIST);
  const admissions = texts.map((text) => admitEvent(server, key, () => readBatchItem(server, text)));
  const items: Item[] = [];
  const endsAtMs = Date.now() + server.limits.acceptTimeMs;
  while (items.length < admissions.length) {
    const turn = { trouble: items.find(isTrouble), endsAtMs };
    const wave = waveFrom(admissions, items.length);
    items.push(...(await Promise.all(wave.map(async (admission) => await answerItem(server, admission, turn)))));
  }
  return batchResponse(items);
}

/** A hundred one after the other would not be done in time where Temporal is far, and never get further when sent again. */
const AT_ONCE = 16;

/** The next ones, up to the first whose id is among them: of two events of one id the first is the new one. */
function waveFrom(admissions: readonly Admission[], from: number): readonly Admission[] {
  const keys = new Set<string>();
  const next = admissions.slice(from, from + AT_ONCE);
  const end = next.findIndex((admission) => {
    if (admission.kind === "refused") return false;
    const key = eventKey(admission.event.source, admission.event.id);
    return keys.has(key) || !keys.add(key);
  });
  return end === -1 ? next : next.slice(0, end);
}

/** The items as they are written; null when the body is no JSON list. */
function textsOf(body: Uint8Array): readonly string[] | null {
  const text = decodeUtf8(body);
  if (text === null || !isJson(text) || !text.trimStart().startsWith("[")) return null;
  return childrenOf(text).map((child) => child.text);
}

const NOT_A_LIST: Problem = {
  status: 400,
  code: "invalid_json",
  detail: "A batch is a JSON list of CloudEvents, in UTF-8.",
};

function countProblem(count: number, max: number): Problem | null {
  if (count > max)
    return {
      status: 413,
      code: "body_too_large",
      detail: `A batch holds at most ${max} events.`,
      members: { maxEvents: max },
    };
  return count === 0 ? { status: 400, code: "bad_event", detail: "The batch is empty." } : null;
}

const TOO_LONG = "The batch took too long; nothing was started for this event. Send it again.";

interface Turn {
  /** When Temporal is gone, the rest of the batch would only wait for it. */
  readonly trouble: Item | undefined;
  /** The batch as a whole gets no longer than one event. */
  readonly endsAtMs: number;
}

function isTrouble(item: Item): boolean {
  return item.kind === "refused" && item.problem.status === 503;
}

async function answerItem(server: ServerContext, admission: Admission, { trouble, endsAtMs }: Turn): Promise<Item> {
  if (admission.kind === "refused") return admission;
  if (trouble !== undefined) return trouble;
  if (Date.now() >= endsAtMs) return { kind: "refused", problem: unavailable("overloaded", TOO_LONG) };
  return await acceptEvent(server, admission.event, { via: "http" });
}

/** All safe: 202, or 200 when none is new. Else the first problem that another try may mend, or else the first one. */
function batchResponse(items: readonly Item[]): Response {
  const problems = items.flatMap((item) => (item.kind === "refused" ? [item.problem] : []));
  const worst = problems.find(({ status }) => status >= 500) ?? problems[0];
  const shown = items.map(shownItem);
  if (worst !== undefined) {
    const detail = `${problems.length} of ${items.length} events were not accepted: see items. To send the whole batch again is safe.`;
    const { status, headers = {} } = worst;
    return problemResponse({ status, code: "batch_incomplete", detail, headers, members: { items: shown } });
  }
  const isNew = items.some((item) => item.kind === "safe" && !item.receipt.duplicate);
  return Response.json({ items: shown }, { status: isNew ? 202 : 200, headers: NO_STORE });
}

function shownItem(item: Item): Readonly<Record<string, unknown>> {
  if (item.kind === "safe") return { status: statusOf(item.receipt), ...item.receipt };
  const { status, code, detail, members = {} } = item.problem;
  return { ...members, status, code, detail };
}
