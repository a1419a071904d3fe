/** One attempt at a URL: the request an endpoint receives, and what its answer means. */
import type { ResolvedEndpoint } from "../config/resolve-endpoint.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import { bodyOf } from "../delivery/body.ts";
import { classifyFailure, classifyStatus } from "../delivery/classify-status.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { parseRetryAfter } from "../delivery/retry-after.ts";
import type { Answer, Exchange, OutgoingRequest } from "../egress/exchange.ts";
import { signStandardWebhook } from "../signing/standard-webhooks.ts";

export interface RequestFacts {
  readonly event: BusinessEvent;
  readonly endpoint: ResolvedEndpoint;
  readonly idempotencyKey: string;
  readonly userAgent: string;
  readonly nowMs: number;
  /** Status of the attempt before; 408 and 421 ask for a new connection (RFC 9110 §15.5.9, §15.5.20). */
  readonly lastStatus: number | null;
  readonly signal: AbortSignal;
}

/** Shapes the request: the event's bytes, one stable key, a fresh signature. */
export function requestFor(facts: RequestFacts): OutgoingRequest {
  const { endpoint, event, idempotencyKey } = facts;
  const { contentType, bytes } = endpoint.format === "cloudevents" ? structuredBody(event) : bodyOf(event);
  const signature =
    endpoint.signing === null
      ? { "webhook-id": idempotencyKey }
      : signStandardWebhook({
          id: idempotencyKey,
          timestampSeconds: Math.floor(facts.nowMs / 1000),
          body: bytes,
          secrets: endpoint.signing.secrets,
        });
  return {
    url: endpoint.url ?? "",
    method: endpoint.method,
    headers: {
      ...endpoint.headers,
      ...eventHeaders(event),
      "content-type": contentType,
      "accept-encoding": "identity",
      "user-agent": facts.userAgent,
      "idempotency-key": idempotencyKey,
      ...signature,
    },
    body: bytes,
    timeouts: endpoint.timeouts,
    allowPrivate: endpoint.allowPrivate,
    ports: endpoint.ports,
    freshConnection: facts.lastStatus === 408 || facts.lastStatus === 421,
    signal: facts.signal,
  };
}

/** CloudEvents HTTP binding, binary mode (§3.1.3.2: values outside printable ASCII are percent-encoded). */
function eventHeaders(event: BusinessEvent): Record<string, string> {
  const headers: Record<string, string> = {
    "ce-specversion": "1.0",
    "ce-id": headerText(event.id),
    "ce-source": headerText(event.source),
    "ce-type": headerText(event.type),
  };
  if (event.time !== undefined) headers["ce-time"] = headerText(event.time);
  if (event.subject !== undefined) headers["ce-subject"] = headerText(event.subject);
  if (event.traceparent !== undefined) headers["traceparent"] = event.traceparent;
  if (event.synthetic === true) headers["countersign-synthetic"] = "1";
  return headers;
}

function headerText(text: string): string {
  return text.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character));
}

/** The structured form: members of CloudEvents only, never ours (evidence, requester). */
function structuredBody(event: BusinessEvent): { readonly contentType: string; readonly bytes: Uint8Array } {
  const { id, source, type, time, subject, datacontenttype, data, data_base64 } = event;
  const members = { specversion: "1.0", id, source, type, time, subject, datacontenttype, data, data_base64 };
  return { contentType: "application/cloudevents+json", bytes: new TextEncoder().encode(JSON.stringify(members)) };
}

export interface JudgeFacts {
  readonly exchange: Exchange;
  readonly endpoint: Pick<ResolvedEndpoint, "classify" | "idempotent">;
  readonly nowMs: number;
}

export type HttpVerdict = Omit<AttemptRecord, "number" | "at" | "durationMs" | "via">;

/** What came back, as an outcome: a status decides by the table, a failure by its certainty. */
export function judgeExchange({ exchange, endpoint, nowMs }: JudgeFacts): HttpVerdict {
  if (exchange.kind === "failure") {
    const { code, certainty, progress = {} } = exchange;
    return { outcome: classifyFailure({ code, certainty }), certainty, code, ...progress };
  }
  return judgeAnswer(exchange, endpoint, nowMs);
}

function judgeAnswer(answer: Answer, endpoint: JudgeFacts["endpoint"], nowMs: number): HttpVerdict {
  const { status } = answer;
  const asked = parseRetryAfter({ values: answer.retryAfter, responseDate: answer.date, nowMs });
  const outcome = classifyStatus({
    status,
    overrides: endpoint.classify,
    idempotent: endpoint.idempotent,
    hasRetryAfter: asked.kind === "wait",
  });
  const verdict: HttpVerdict = { outcome, certainty: "answered", status, code: `http_${status}` };
  return {
    ...verdict,
    ...(asked.kind === "wait" && outcome !== "delivered" && outcome !== "refused"
      ? { retryAfterMs: asked.delayMs }
      : {}),
    ...(asked.kind === "none" ? {} : { retryAfterRaw: asked.raw }),
    ...(answer.location === null || outcome === "delivered" ? {} : { location: withoutSecrets(answer.location) }),
  };
}

const MAX_LOCATION = 300;

/** A Location may carry a token in its query or before an @; what is kept is where it pointed. */
function withoutSecrets(location: string): string {
  const [place = ""] = location.split(/[?#]/u);
  // Slashes may be backslashes or, after a scheme, missing: what reads a URL takes them all alike (WHATWG URL).
  return place.replace(/^([a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})[^/\\]*@/iu, "$1").slice(0, MAX_LOCATION);
}
