/** The answer to an event that is safe. */
import type { Receipt } from "../client/submit.ts";
import { parseEventKey } from "../delivery/names.ts";

/** 202 for a new event, 200 for one that was there: RFC 9110 §15.3.3, and the marker that clients of Stripe know. */
export function receiptResponse(receipt: Receipt): Response {
  return Response.json(receipt, { status: statusOf(receipt), headers: { ...NO_STORE, ...headersOf(receipt) } });
}

export const NO_STORE = { "cache-control": "no-store" } as const;

export function statusOf({ duplicate }: Receipt): 200 | 202 {
  return duplicate ? 200 : 202;
}

function headersOf({ key, duplicate }: Receipt): Readonly<Record<string, string>> {
  return { location: eventPath(key), ...(duplicate ? { "idempotent-replayed": "true" } : {}) };
}

/** Where an event is found: any id stands in a path, encoded. */
export function eventPath(key: string): string {
  const { source, id } = parseEventKey(key) ?? { source: "", id: key };
  return `/v1/events/${source}/${encodeURIComponent(id)}`;
}
