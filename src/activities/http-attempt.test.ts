import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { anAnswer, anEvent, anInput, aStage, perform, stageConfig } from "../../test/support/activity-stage.ts";
import { NOON_MS } from "../../test/support/deliveries.ts";
import type { RawEndpoint } from "../config/raw-config.ts";
import { type ResolvedEndpoint, resolveEndpoint } from "../config/resolve-endpoint.ts";
import { HOUR_MS } from "../delivery/durations.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { judgeExchange, requestFor, type RequestFacts } from "./http-attempt.ts";

const OLD = `whsec_${Buffer.from("the old secret, 32 bytes long...").toString("base64")}`;
const NEW = `whsec_${Buffer.from("the new secret, 32 bytes long...").toString("base64")}`;

function anEndpoint(raw: Partial<RawEndpoint> = {}): ResolvedEndpoint {
  const endpoint = stageConfig({ crm: { url: "https://crm.example/hook?v=1", ...raw } }).endpoints["crm"];
  if (endpoint === undefined) throw new TypeError("The configuration has endpoint crm");
  return resolveEndpoint(endpoint, {});
}

function aRequestFor(event: BusinessEvent, endpoint = anEndpoint(), changes: Partial<RequestFacts> = {}) {
  const facts = {
    userAgent: "countersign/1.2.3",
    nowMs: NOON_MS,
    lastStatus: null,
    signal: new AbortController().signal,
  };
  return requestFor({ event, endpoint, idempotencyKey: "cs1_key", ...facts, ...changes });
}

const headersOf = (event: BusinessEvent, endpoint = anEndpoint()) => aRequestFor(event, endpoint).headers;
const textOf = ({ body }: { readonly body: Uint8Array }): string => new TextDecoder().decode(body);
const secretsOf = (...secrets: readonly string[]): Partial<RawEndpoint> => ({
  signing: { scheme: "standard-webhooks", secrets },
});

describe("what an endpoint receives", () => {
  test("is the event's body under exactly the headers of the contract", () => {
    const request = aRequestFor(anEvent());
    expect(request).toMatchObject({
      url: "https://crm.example/hook?v=1",
      method: "POST",
      allowPrivate: [],
      ports: [],
      freshConnection: false,
    });
    expect(textOf(request)).toBe('{"total":42}');
    expect(request.headers).toEqual({
      "content-type": "application/json",
      "accept-encoding": "identity",
      "user-agent": "countersign/1.2.3",
      "idempotency-key": "cs1_key",
      "webhook-id": "cs1_key",
      "ce-specversion": "1.0",
      "ce-id": "evt_1",
      "ce-source": "shop",
      "ce-type": "order.created",
    });
  });

  test("tells what the event tells besides", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const event = anEvent({ time: "2026-11-29T10:00:00Z", subject: "order 7", traceparent, synthetic: true });
    expect(headersOf(event)).toMatchObject({
      "ce-time": "2026-11-29T10:00:00Z",
      "ce-subject": "order%207",
      traceparent,
      "countersign-synthetic": "1",
    });
    expect(headersOf(anEvent({ synthetic: false }))).not.toHaveProperty("countersign-synthetic");
  });

  test("holds nothing that is ours alone", () => {
    const event = anEvent({ requestedBy: "ana@example.com", evidence: [{ title: "a mail" }] });
    const request = aRequestFor(event);
    const structured = aRequestFor(event, anEndpoint({ format: "cloudevents" }));
    expect(JSON.stringify([request.headers, textOf(request), structured.headers, textOf(structured)])).not.toMatch(
      /ana@|a mail/u,
    );
  });

  test("carries the endpoint's own headers, method, time-outs and address rules", () => {
    const endpoint = anEndpoint({
      method: "PUT",
      headers: { Authorization: "Bearer t", "X-Tenant": "7" },
      timeouts: { connect: "1s", headers: "3s", total: "9s" },
      allowPrivate: ["10.0.0.0/8"],
      ports: [9443],
    });
    const request = aRequestFor(anEvent(), endpoint);
    expect(request.headers).toMatchObject({ authorization: "Bearer t", "x-tenant": "7", "ce-id": "evt_1" });
    expect(request).toMatchObject({ method: "PUT", allowPrivate: ["10.0.0.0/8"], ports: [9443] });
    expect(request.timeouts).toEqual({ connectMs: 1000, headersMs: 3000, totalMs: 9000 });
  });

  test("cannot be spoofed by the endpoint's own headers", () => {
    const endpoint: ResolvedEndpoint = {
      ...anEndpoint(),
      headers: { "idempotency-key": "mine", "ce-id": "mine", "webhook-id": "mine", "content-type": "mine" },
    };
    const headers = headersOf(anEvent(), endpoint);
    expect(Object.values(headers)).not.toContain("mine");
  });

  test.each([
    ["evt-苗-1", "evt-%E8%8B%97-1"],
    ["evt-😀", "evt-%F0%9F%98%80"],
    ["café", "caf%C3%A9"],
    ['say "hi" 100%', "say%20%22hi%22%20100%25"],
    ["a/b:c~d!e", "a/b:c~d!e"],
  ])("writes the ID %s as ASCII that reads back", (id, header) => {
    const written = headersOf(anEvent({ id }))["ce-id"];
    expect(written).toBe(header);
    expect(decodeURIComponent(written ?? "")).toBe(id);
  });

  test("writes every text as visible ASCII that reads back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        const { "ce-type": type = "", "ce-subject": subject = "" } = headersOf(anEvent({ type: text, subject: text }));
        expect(type).toMatch(/^[\x21-\x7e]+$/u);
        expect([type, subject].map(decodeURIComponent)).toEqual([text, text]);
      }),
    );
  });

  test("is the structured form where the endpoint asks for it", () => {
    const event = anEvent({ time: "2026-11-29T10:00:00Z", evidence: [{ title: "x" }], synthetic: true });
    const request = aRequestFor(event, anEndpoint({ format: "cloudevents" }));
    expect(request.headers["content-type"]).toBe("application/cloudevents+json");
    expect(JSON.parse(textOf(request))).toEqual({
      specversion: "1.0",
      id: "evt_1",
      source: "shop",
      type: "order.created",
      time: "2026-11-29T10:00:00Z",
      data: { total: 42 },
    });
    const binary = aRequestFor(
      anEvent({ data_base64: "AAE=", datacontenttype: "image/png" }),
      anEndpoint({ format: "cloudevents" }),
    );
    expect(JSON.parse(textOf(binary))).toMatchObject({ datacontenttype: "image/png", data_base64: "AAE=" });
  });

  test("is the very bytes that came in", () => {
    const { data: _, ...bare } = anEvent();
    const bytes = Buffer.from('{"b":1e400, "a":12345678901234567890}\u2028');
    expect(aRequestFor({ ...bare, data_base64: bytes.toString("base64") }).body).toEqual(new Uint8Array(bytes));
    expect(aRequestFor(bare).body).toHaveLength(0);
    const form = aRequestFor({ ...bare, data: "a=1&a=2", datacontenttype: "application/x-www-form-urlencoded" });
    expect([textOf(form), form.headers["content-type"]]).toEqual(["a=1&a=2", "application/x-www-form-urlencoded"]);
  });
});

describe("the signature", () => {
  const verifies = (
    secret: string,
    { headers, body }: { headers: Readonly<Record<string, string>>; body: Uint8Array },
  ): boolean => {
    try {
      new Webhook(secret).verify(new TextDecoder().decode(body), { ...headers });
      return true;
    } catch {
      return false;
    }
  };

  test("is checked by the reference library, over the bytes and the stable ID", () => {
    const request = aRequestFor(anEvent(), anEndpoint(secretsOf(OLD)), { nowMs: Date.now() });
    expect(request.headers["webhook-id"]).toBe("cs1_key");
    expect(verifies(OLD, request)).toBe(true);
    expect(verifies(OLD, { ...request, body: Buffer.from('{"total":43}') })).toBe(false);
    expect(headersOf(anEvent())).not.toHaveProperty("webhook-signature");
  });

  test("is made with every secret while one takes the other's place", () => {
    const overlap = aRequestFor(anEvent(), anEndpoint(secretsOf(NEW, OLD)), { nowMs: Date.now() });
    expect(overlap.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    expect([verifies(OLD, overlap), verifies(NEW, overlap)]).toEqual([true, true]);
    const after = aRequestFor(anEvent(), anEndpoint(secretsOf(NEW)), { nowMs: Date.now() });
    expect([verifies(OLD, after), verifies(NEW, after)]).toEqual([false, true]);
  });

  test("is fresh on each attempt, the ID and the key the same", async () => {
    const config = stageConfig({ crm: { url: "https://crm.example/", ...secretsOf(OLD) } });
    const stage = aStage(config, { answers: [anAnswer({ status: 503 })] });
    for (const number of [1, 2, 3, 4]) {
      stage.clock.nowMs = Date.now() - HOUR_MS + number * 60_000;
      await perform(stage.deps, ["attemptDelivery", anInput({ number })]);
    }
    const sent = stage.sent.map(({ headers }) => headers);
    expect(new Set(sent.map((headers) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(sent.map((headers) => headers["idempotency-key"])).size).toBe(1);
    expect(sent[0]?.["webhook-id"]).toBe(sent[0]?.["idempotency-key"]);
    expect(new Set(sent.map((headers) => headers["webhook-timestamp"])).size).toBe(4);
    expect(new Set(sent.map((headers) => headers["webhook-signature"])).size).toBe(4);
  });
});

describe("what came back", () => {
  const judge = (exchange: Parameters<typeof judgeExchange>[0]["exchange"], raw: Partial<RawEndpoint> = {}) =>
    judgeExchange({ exchange, endpoint: anEndpoint(raw), nowMs: NOON_MS });

  test("is decided by the status", () => {
    expect(judge(anAnswer({ status: 204 }))).toEqual({
      outcome: "delivered",
      certainty: "answered",
      status: 204,
      code: "http_204",
    });
    expect(judge(anAnswer({ status: 404 }))).toMatchObject({ outcome: "refused", code: "http_404" });
    expect(judge(anAnswer({ status: 404 }), { classify: { 404: "retry" } })).toMatchObject({ outcome: "retry" });
    expect(judge(anAnswer({ status: 500 }), { idempotent: false })).toMatchObject({
      outcome: "uncertain",
      certainty: "answered",
    });
  });

  test("is decided by its certainty where no status came", () => {
    const failure = { kind: "failure", elapsedMs: 3 } as const;
    expect(judge({ ...failure, code: "connect_refused", certainty: "not-sent" })).toEqual({
      outcome: "retry",
      certainty: "not-sent",
      code: "connect_refused",
    });
    expect(judge({ ...failure, code: "reset_after_send", certainty: "unknown" })).toEqual({
      outcome: "uncertain",
      certainty: "unknown",
      code: "reset_after_send",
    });
    expect(judge({ ...failure, code: "canceled", certainty: "not-sent" })).toMatchObject({ outcome: "canceled" });
  });

  test("tells how far the request got where that is known", () => {
    const progress = { phase: "sent", bytesSent: 812, bytesReceived: 0 } as const;
    const cut = { kind: "failure", code: "closed_after_send", certainty: "unknown", elapsedMs: 3, progress } as const;
    expect(judge(cut)).toMatchObject({ outcome: "uncertain", ...progress });
  });

  test("keeps a usable Retry-After and what it looked like", () => {
    const asked = { retryAfterMs: 120_000, retryAfterRaw: "120" };
    expect(judge(anAnswer({ status: 503, retryAfter: ["120"] }))).toMatchObject({ outcome: "retry", ...asked });
    const dated = anAnswer({
      status: 429,
      retryAfter: ["Sun, 29 Nov 2026 12:02:00 GMT"],
      date: "Sun, 29 Nov 2026 12:00:00 GMT",
    });
    expect(judge(dated)).toMatchObject({ retryAfterMs: 120_000 });
    expect(judge(anAnswer({ status: 413, retryAfter: ["120"] }))).toMatchObject({ outcome: "retry", ...asked });
  });

  test("keeps junk as it came and lets the own schedule decide", () => {
    const junk = judge(anAnswer({ status: 503, retryAfter: ["soon"] }));
    expect(junk).toMatchObject({ outcome: "retry", retryAfterRaw: "soon" });
    expect(junk).not.toHaveProperty("retryAfterMs");
    expect(judge(anAnswer({ status: 503 }))).not.toHaveProperty("retryAfterRaw");
  });

  test.each([200, 400, 301])("plans nothing by the Retry-After of a %i", (status) => {
    const verdict = judge(anAnswer({ status, retryAfter: ["120"] }));
    expect(verdict).not.toHaveProperty("retryAfterMs");
    expect(verdict.retryAfterRaw).toBe("120");
  });

  test.each([
    ["https://new.example/hook?token=s3cret#s3cret", "https://new.example/hook"],
    ["https://user:s3cret@new.example/hook", "https://new.example/hook"],
    ["https://s3cret@a@new.example/hook", "https://new.example/hook"],
    ["https:\\\\user:s3cret@new.example\\hook", "https:\\\\new.example\\hook"],
    ["https:user:s3cret@new.example/hook", "https:new.example/hook"],
    ["//user:s3cret@new.example/hook", "//new.example/hook"],
    ["/people/@ana?s3cret", "/people/@ana"],
    ["https://new.example/@ana", "https://new.example/@ana"],
    ["", ""],
    [`https://new.example/${"x".repeat(500)}`, `https://new.example/${"x".repeat(280)}`],
  ])("keeps of the Location %s where it pointed, no query and no credentials", (location, kept) => {
    expect(judge(anAnswer({ status: 302, location }))).toMatchObject({ outcome: "refused", location: kept });
  });

  test("keeps no Location of a success", () => {
    expect(judge(anAnswer({ status: 201, location: "https://crm.example/orders/7" }))).not.toHaveProperty("location");
  });
});
