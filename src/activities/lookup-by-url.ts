/** A lookup over HTTP: one GET through egress; of the answer only its status and whether the named members match. */
import { parseJsonBody } from "../delivery/body.ts";
import { judgeLookup } from "../delivery/lookup.ts";
import { lookupUrlFor } from "../delivery/lookup-url.ts";
import { parseRetryAfter } from "../delivery/retry-after.ts";
import type { OutgoingRequest } from "../egress/exchange.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import type { DueLookup, LookupAnswered } from "./reconcile-delivery.ts";

const MAX_BODY_BYTES = 64 * 1024;

export async function askUrl(deps: ActivityDependencies, due: DueLookup): Promise<LookupAnswered> {
  const endpoint = deps.routing.resolved(due.endpoint);
  const { reconcile } = endpoint;
  if (reconcile?.kind !== "url") return { found: "unclear", code: "not_configured", retryAfterMs: null };
  const { source, id } = due.event;
  const url = lookupUrlFor(reconcile.url, { idempotencyKey: due.settings.idempotencyKey, source, id });
  if (url === null) return { found: "unclear", code: "request_invalid", retryAfterMs: null };
  const { timeouts, allowPrivate, ports } = endpoint;
  const request: OutgoingRequest = {
    url,
    method: "GET",
    headers: {
      accept: "application/json",
      ...reconcile.headers,
      "accept-encoding": "identity",
      "user-agent": deps.userAgent,
    },
    body: new Uint8Array(0),
    timeouts,
    allowPrivate,
    ports,
    keepBodyBytes: MAX_BODY_BYTES,
    signal: due.signal,
  };
  const exchange = await deps.send(request);
  if (exchange.kind === "failure") return { found: "unclear", code: exchange.code, retryAfterMs: null };
  const { status, body, retryAfter, date } = exchange;
  const { found, matched } = judgeLookup({ status, body: body && parseJsonBody(body) }, reconcile.rules);
  const hint = parseRetryAfter({ values: retryAfter, responseDate: date, nowMs: deps.now() });
  return {
    found,
    code: `http_${status}`,
    status,
    ...(Object.keys(matched).length === 0 ? {} : { matched }),
    retryAfterMs: hint.kind === "wait" ? hint.delayMs : null,
  };
}
