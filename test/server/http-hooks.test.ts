/** `POST /v1/hooks/{source}` without a socket: what providers send is verified first, taken once, and acknowledged as they expect. */
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCHEME_NAMES } from "../../src/signing/verify/schemes.ts";
import type { VerifyScheme } from "../../src/signing/verify/settings.ts";
import { anApp, type AnApp, read } from "../support/an-app.ts";
import { ALL_VECTORS, requestOf, type SignatureVector, vectorOf } from "../support/signature-vectors.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const [OLD, NEW] = ["whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk", "whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3"];

let stage: Stage;
let app: AnApp["app"];
let context: AnApp["context"];

beforeAll(async () => {
  const standard = { verify: { scheme: "standard-webhooks", secrets: [OLD, NEW] } } as const;
  stage = await openStage({
    endpoints: { crm: {} },
    routes: [
      { match: { type: "invoice.*" }, to: ["crm"] },
      { match: { type: "issues.opened" }, to: ["crm"] },
      { match: { type: "untyped" }, to: ["crm"] },
    ],
    rest: {
      sources: {
        shop: {},
        // No route wants what comes from there: what a verified request leads to is tested elsewhere.
        vector: {},
        partner: standard,
        other: standard,
        stripe: { verify: { scheme: "stripe", secrets: ["stripe secret"] } },
        github: { verify: { scheme: "github", secrets: ["github secret"] } },
        slack: { verify: { scheme: "slack", secrets: ["slack secret"] } },
      },
    },
  });
  ({ app, context } = anApp({ countersign: stage.far, config: stage.config }));
});

afterAll(async () => await stage.close());

type Headers = Readonly<Record<string, string>>;
interface Signed {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

const JSON_TYPE = { "content-type": "application/json" };
const seconds = (offset = 0): string => String(Math.floor(Date.now() / 1000) + offset);
const hmac = (secret: string | Buffer, ...parts: readonly (string | Uint8Array)[]) =>
  parts.reduce((mac, part) => mac.update(part), createHmac("sha256", secret));

function byStripe(body: string, time = seconds()): Signed {
  return {
    body,
    headers: {
      ...JSON_TYPE,
      "stripe-signature": `t=${time},v1=${hmac("stripe secret", `${time}.`, body).digest("hex")}`,
    },
  };
}

function byGitHub(body: string, event: string, delivery: string): Signed {
  const signature = `sha256=${hmac("github secret", body).digest("hex")}`;
  return {
    body,
    headers: { ...JSON_TYPE, "x-hub-signature-256": signature, "x-github-event": event, "x-github-delivery": delivery },
  };
}

function byPartner(
  body: string | Uint8Array<ArrayBuffer>,
  id: string,
  { secret = NEW, time = seconds() } = {},
): Signed {
  const mac = hmac(Buffer.from(secret.slice("whsec_".length), "base64"), `${id}.${time}.`, body).digest("base64");
  return {
    body,
    headers: { ...JSON_TYPE, "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${mac}` },
  };
}

async function post(source: string, { body, headers }: Signed, { app: to = app } = {}) {
  return await read(to.request(`/v1/hooks/${source}`, { method: "POST", body, headers }));
}

const requestsFor = (id: string) =>
  stage.destination.requests.filter(({ headers }) => headers["ce-id"] === encodeURIComponent(id));

describe("a provider's event", () => {
  test("is taken under the provider's own id and type, and delivered byte for byte", async () => {
    const id = uniqueName("evt");
    const body = `{ "id": "${id}", "type": "invoice.paid", "created": 1760000000, "amount": 1.0, "pending_webhooks": 2 }`;
    const answer = await post("stripe", byStripe(body));
    expect(answer).toMatchObject({ status: 200, body: { key: `stripe/${id}`, duplicate: false } });
    await stage.far.settled(`stripe/${id}`);
    expect(requestsFor(id).map((request) => request.body.toString())).toEqual([body]);
    expect(await stage.far.event(`stripe/${id}`)).toMatchObject({
      type: "invoice.paid",
      time: "2025-10-09T08:53:20.000Z",
    });
  });

  test("told again is the same workflow, also where a count has changed that providers change", async () => {
    const id = uniqueName("evt");
    const told = (pending: number, amount = 1) =>
      byStripe(`{"id":"${id}","type":"invoice.paid","amount":${amount},"pending_webhooks":${pending}}`);
    const first = await post("stripe", told(2));
    const again = await post("stripe", told(1));
    expect(again).toMatchObject({
      status: 200,
      body: { key: `stripe/${id}`, duplicate: true, runId: first.body["runId"] },
    });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    await stage.far.settled(`stripe/${id}`);
    expect(await stage.far.get(`stripe/${id}`)).toMatchObject({ conflicts: [] });
    expect(requestsFor(id)).toHaveLength(1);
  });

  test("with other content is acknowledged, recorded and counted, and not delivered", async () => {
    const id = uniqueName("evt");
    const told = (amount: number) => byStripe(`{"id":"${id}","type":"invoice.paid","amount":${amount}}`);
    await post("stripe", told(1));
    expect(await post("stripe", told(2))).toMatchObject({ status: 200, body: { key: `stripe/${id}`, conflict: true } });
    await stage.far.settled(`stripe/${id}`);
    expect(requestsFor(id)).toHaveLength(1);
    expect(await context.metrics.text()).toMatch(
      /countersign_ingest_duplicates_total\{source="stripe",match="other_body"\} 1/u,
    );
    const { conflicts } = await until("it is on record", async () => {
      const report = await stage.far.get(`stripe/${id}`);
      return report.conflicts.length > 0 && report;
    });
    expect(conflicts).toMatchObject([{ via: "hook" }]);
  });

  test("that no route wants is acknowledged, counted, and starts nothing", async () => {
    const id = uniqueName("evt");
    expect(await post("stripe", byStripe(`{"id":"${id}","type":"payout.paid"}`))).toMatchObject({
      status: 200,
      body: { ignored: true },
    });
    await expect(stage.far.get(`stripe/${id}`)).rejects.toMatchObject({ code: "not_found" });
    expect(await context.metrics.text()).toMatch(
      /countersign_ingest_requests_total\{source="stripe",result="unrouted"\} 1/u,
    );
  });

  test("has its action in its type, and its ping is answered", async () => {
    const id = uniqueName("guid");
    expect(await post("github", byGitHub('{"zen":"Keep it logically awesome."}', "ping", id))).toMatchObject({
      status: 200,
      body: "pong",
    });
    expect(await post("github", byGitHub('{"action":"opened"}', "issues", id))).toMatchObject({
      status: 202,
      body: { key: `github/${id}` },
    });
    expect(await stage.far.event(`github/${id}`)).toMatchObject({ type: "issues.opened" });
  });

  test("sent two hundred times at once is one workflow, and every answer is 2xx", async () => {
    const id = uniqueName("evt");
    const signed = byStripe(`{"id":"${id}","type":"invoice.paid"}`);
    const answers = await Promise.all(Array.from({ length: 200 }, async () => await post("stripe", signed)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body["runId"])).size).toBe(1);
    expect(answers.filter(({ body }) => body["duplicate"] === false)).toHaveLength(1);
    await stage.far.settled(`stripe/${id}`);
    expect(requestsFor(id)).toHaveLength(1);
  });

  test("of one id from two sources is two, signed by either secret of one source it is one", async () => {
    const id = uniqueName("msg");
    const body = '{"a":1}';
    expect(await post("partner", byPartner(body, id))).toMatchObject({ status: 202, body: { key: `partner/${id}` } });
    expect(await post("other", byPartner(body, id))).toMatchObject({ status: 202, body: { key: `other/${id}` } });
    expect(await post("partner", byPartner(body, id, { secret: OLD }))).toMatchObject({
      status: 202,
      body: { duplicate: true },
    });
  });

  test("of equal bodies under two ids is two", async () => {
    const [one, two] = [uniqueName("msg"), uniqueName("msg")];
    expect(await post("partner", byPartner("{}", one))).toMatchObject({ body: { duplicate: false } });
    expect(await post("partner", byPartner("{}", two))).toMatchObject({ body: { duplicate: false } });
  });

  test("that comes late keeps the time it speaks of: arrival is no order", async () => {
    const ids = [uniqueName("late"), uniqueName("late")];
    const times = ["2026-01-01T17:27:00Z", "2026-01-01T17:25:00Z"];
    for (const [index, id] of ids.entries())
      await post("partner", byPartner(`{"timestamp":"${times[index] ?? ""}"}`, id));
    for (const [index, id] of ids.entries()) {
      await stage.far.settled(`partner/${id}`);
      expect(requestsFor(id)[0]?.body.toString()).toBe(`{"timestamp":"${times[index] ?? ""}"}`);
    }
  });

  test("sent within a run of the server is known to the next one", async () => {
    const id = uniqueName("msg");
    await post("partner", byPartner("{}", id));
    const replica = anApp({ countersign: stage.far, config: stage.config });
    const later = byPartner("{}", id, { time: seconds(120) });
    expect(await post("partner", later, replica)).toMatchObject({ status: 202, body: { duplicate: true } });
  });
});

describe("a provider's batch", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const secrets = [publicKey.export({ format: "der", type: "spki" }).toString("base64")];
  const scheme: VerifyScheme = { scheme: "sendgrid", secrets, toleranceMs: 300_000, idFrom: null };

  async function postBatch(events: readonly object[], limits: Partial<AnApp["context"]["limits"]> = {}) {
    const { app: to } = anApp({
      countersign: stage.far,
      config: stage.config,
      limits,
      changes: { schemes: new Map([["partner", scheme]]) },
    });
    const [body, time] = [JSON.stringify(events), seconds()];
    const signature = sign("sha256", Buffer.from(time + body), privateKey).toString("base64");
    const prefix = "x-twilio-email-event-webhook";
    const headers = { ...JSON_TYPE, [`${prefix}-signature`]: signature, [`${prefix}-timestamp`]: time };
    return await post("partner", { body, headers }, { app: to });
  }

  test("is as many events, each under its own id, and taken as a whole or not at all", async () => {
    const ids = Array.from({ length: 40 }, () => uniqueName("sg"));
    const events = ids.map((id) => ({ sg_event_id: id, event: "invoice.sent" }));
    const first = await postBatch([...events, ...events.slice(0, 1)]);
    expect(first.status).toBe(202);
    expect(first.body["items"]).toHaveLength(41);
    await Promise.all(ids.map(async (id) => await stage.far.settled(`partner/${id}`)));
    for (const id of ids)
      expect(requestsFor(id).map(({ body }) => body.toString())).toEqual([
        JSON.stringify({ sg_event_id: id, event: "invoice.sent" }),
      ]);
    const again = await postBatch(events);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
  });

  test("is 503 when one of its events finds no place, and 400 when one is none", async () => {
    const events = Array.from({ length: 20 }, () => ({ sg_event_id: uniqueName("sg"), event: "invoice.sent" }));
    expect(await postBatch(events, { maxInFlight: 3 })).toMatchObject({ status: 503, body: { code: "overloaded" } });
    expect(await postBatch([...events, { event: "invoice.sent" }])).toMatchObject({ status: 400 });
    expect(await postBatch(events)).toMatchObject({ status: 202 });
  });
});

describe("the signature", () => {
  test("over other bytes is 401, and nothing is parsed or started", async () => {
    const id = uniqueName("msg");
    const signed = byPartner('{"a":1}', id);
    for (const body of ['{"a": 1}', '{"a":1}\n', '{"a":2}', "", "{"]) {
      const answer = await post("partner", { ...signed, body });
      expect(answer).toMatchObject({ status: 401, body: { code: "bad_signature", reason: "signature_mismatch" } });
    }
    await expect(stage.far.get(`partner/${id}`)).rejects.toMatchObject({ code: "not_found" });
    expect(await context.metrics.text()).toMatch(
      /signature_failures_total\{scheme="standard-webhooks",reason="signature_mismatch"\} 5/u,
    );
  });

  test.each([
    [-300, 202],
    [-301, 401],
    [300, 202],
    [301, 401],
    [86_400, 401],
  ])("made %i s from now is %i", async (offset, status) => {
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    const { app: frozen } = anApp({ countersign: stage.far, config: stage.config, changes: { now: () => nowMs } });
    const signed = byPartner("{}", uniqueName("msg"), { time: String(nowMs / 1000 + offset) });
    expect((await post("partner", signed, { app: frozen })).status).toBe(status);
  });

  test.each([
    ["no id", {}],
    ["an empty id", { "webhook-id": "" }],
    ["a blank id", { "webhook-id": " " }],
    ["a dot in its id", { "webhook-id": "a.1760000000" }],
  ])("with %s is 401: no two events share an empty key", async (_what, change) => {
    const { body, headers } = byPartner("{}", "x");
    const { "webhook-id": _id, ...rest } = headers;
    expect((await post("partner", { body, headers: { ...rest, ...change } })).status).toBe(401);
  });

  test("is asked of whoever pings with a form", async () => {
    expect(
      await post("partner", { body: "webhook_id=7", headers: { "content-type": "application/x-www-form-urlencoded" } }),
    ).toMatchObject({ status: 401 });
  });

  test("is asked before the content type: a stranger learns nothing about what would be read", async () => {
    expect((await post("partner", { body: "{}", headers: { "content-type": "text/plain" } })).status).toBe(401);
  });

  test("given twice is refused", async () => {
    const { body, headers } = byPartner("{}", uniqueName("msg"));
    const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const twice = { ...distinct, "webhook-id": [headers["webhook-id"], headers["webhook-id"]] };
    const { Readable } = await import("node:stream");
    const incoming = Object.assign(Readable.from([Buffer.from(body)]), { headersDistinct: twice });
    const answer = await read(app.request("/v1/hooks/partner", { method: "POST", body, headers }, { incoming }));
    expect(answer).toMatchObject({ status: 401, body: { reason: "malformed_header" } });
  });
});

describe("a genuine request that is no event", () => {
  test.each([
    ["empty", "", 400, "bad_event"],
    ["not JSON", "{", 400, "bad_event"],
    ["bad UTF-8", new Uint8Array(Buffer.from("7b22613a22ff227d", "hex")), 400, "bad_event"],
    ["a member twice", '{"action":"hold","action":"release"}', 400, "duplicate_member"],
    ["a byte order mark", '\ufeff{"a":1}', 400, "bad_event"],
  ] as const)("is 400 after its signature was verified: %s", async (_what, body, status, code) => {
    const id = uniqueName("msg");
    expect(await post("partner", byPartner(body, id))).toMatchObject({ status, body: { code } });
    await expect(stage.far.get(`partner/${id}`)).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([
    ["__proto__", '{"a":1,"__proto__":{"admin":true}}'],
    ["numbers", '{"id":1152921506151679042,"amt":1.0,"max":1e400,"neg":-0}'],
    ["an escaped NUL", '{"t":"a\\u0000b"}'],
    ["a lone surrogate", '{"t":"\\ud83d"}'],
    ["an emoji", '{"t":"🙄"}'],
  ])("is not what %s makes of one: its bytes go on as they are", async (_what, body) => {
    const id = uniqueName("msg");
    expect(await post("partner", byPartner(body, id))).toMatchObject({ status: 202 });
    await stage.far.settled(`partner/${id}`);
    expect(requestsFor(id)[0]?.body.toString()).toBe(body);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("without a content type, or of another one, is 415 after it was verified", async () => {
    for (const type of [{}, { "content-type": "text/plain" }, { "content-type": "application/json; charset=utf-16" }]) {
      const { body, headers } = byPartner("{}", uniqueName("msg"));
      const { "content-type": _type, ...rest } = headers;
      // A text without a type gets one from the Request class; bytes do not.
      const answer = await post("partner", {
        body: new Uint8Array(Buffer.from(String(body))),
        headers: { ...rest, ...type },
      });
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    }
  });

  test("under gzip is 415, whichever bytes were signed", async () => {
    const packed = new Uint8Array(gzipSync('{"a":1}'));
    for (const signed of [byPartner(packed, uniqueName("msg")), byPartner('{"a":1}', uniqueName("msg"))]) {
      const answer = await post("partner", {
        body: packed,
        headers: { ...signed.headers, "content-encoding": "gzip" },
      });
      expect(answer.status).toBe(415);
      expect(answer.headers.get("accept-encoding")).toBe("identity");
    }
  });

  test("above 1 MiB is 413, for a source that takes none 404", async () => {
    expect((await post("partner", byPartner(`"${"x".repeat(1024 * 1024)}"`, "x"))).status).toBe(413);
    expect(await post("shop", byPartner("{}", "x"))).toMatchObject({ status: 404, body: { code: "unknown_source" } });
    expect(await post("constructor", byPartner("{}", "x"))).toMatchObject({ status: 404 });
    expect((await app.request("/v1/hooks/partner")).status).toBe(405);
  });

  test("is not acknowledged while Temporal is gone", async () => {
    const { CountersignError } = await import("../../src/errors.ts");
    const submit = async () => await Promise.reject(new CountersignError("temporal_unreachable", "gone"));
    const { app: cut } = anApp({ countersign: { ...stage.far, submit }, config: stage.config });
    const id = uniqueName("msg");
    const answer = await post("partner", byPartner("{}", id), { app: cut });
    expect(answer).toMatchObject({ status: 503, body: { code: "temporal_unreachable" } });
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await post("partner", byPartner("{}", id))).toMatchObject({ status: 202, body: { duplicate: false } });
  });
});

/** The app as if the vector's provider were configured, at the vector's time. */
function appFor({ scheme, nowMs }: SignatureVector): AnApp["app"] {
  const changes = { schemes: new Map([["vector", scheme]]), now: () => nowMs };
  return anApp({ countersign: stage.far, config: stage.config, changes }).app;
}

async function postVector(vector: SignatureVector, flip: number | null) {
  const { rawBody, headers, url = "" } = requestOf(vector);
  const bytes = new Uint8Array(rawBody);
  if (flip !== null) bytes[flip] = (bytes[flip] ?? 0) ^ 1;
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : "";
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return await appFor(vector).request(`/v1/hooks/vector${query}`, { method: "POST", body: bytes, headers: sent });
}

describe.each(SCHEME_NAMES)("scheme %s", (name) => {
  const vectors = ALL_VECTORS.filter(({ scheme }) => scheme.scheme === name);

  test("verifies its vectors at the door: none is 401, none is a fault of ours", async () => {
    for (const vector of vectors) {
      const { status } = await postVector(vector, null);
      expect(`${vector.name}: ${status}`).toMatch(/: (?:2\d\d|400|415)$/u);
    }
  });

  test("refuses its vector with one bit changed", async () => {
    const vector = vectorOf(name);
    const { rawBody } = requestOf(vector);
    for (const flip of [0, Math.floor(rawBody.byteLength / 2), rawBody.byteLength - 1])
      expect((await postVector(vector, flip)).status).toBe(401);
  });
});
