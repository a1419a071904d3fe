/** `POST /v1/events` without a socket: forms, statuses, exact bytes, and what each refusal is. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aKey, type AnApp, anApp, read } from "../support/an-app.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const SHOP = aKey({ role: "ingest", sources: ["shop", "orders"] });
const SCOPED = aKey({ role: "ingest", sources: ["billing"], types: ["crm"] });
const BOUND = aKey({ role: "ingest", sources: ["shop"], person: "ana@example.com" });
const VIEWER = aKey({ role: "viewer" });
const OLD = aKey({ role: "ingest", expires: "2020-01-01T00:00:00Z" });

let stage: Stage;
let app: AnApp["app"];
let context: AnApp["context"];

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: {}, small: { maxBodyBytes: "1KiB" }, asks: {} },
    routes: [
      { match: { type: "ask" }, to: ["asks"], approval: { approvers: ["ana@example.com"], requireRequester: true } },
    ],
    rest: {
      sources: {
        shop: { aliases: ["https://shop.example/orders"] },
        billing: {},
        orders: { idFrom: ["data.orderId", "data.status"] },
      },
      people: { "ana@example.com": {} },
      keys: [SHOP, SCOPED, BOUND, VIEWER, OLD].map(({ entry }) => entry),
    },
  });
  ({ app, context } = anApp({ countersign: stage.far, config: stage.config }));
});

afterAll(async () => await stage.close());

interface Post {
  readonly key?: string;
  readonly type?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post(
  body: string | Uint8Array,
  { key = SHOP.bearer, type = "application/json", headers = {} }: Post = {},
) {
  const all = { authorization: key, ...(type === null ? {} : { "content-type": type }), ...headers };
  return await read(app.request("/v1/events", { method: "POST", body, headers: all }));
}

const anEvent = (members: object = {}) => ({
  source: "shop",
  id: uniqueName("e"),
  type: "crm",
  data: { total: 42 },
  ...members,
});
const text = (members: object = {}) => JSON.stringify(anEvent(members));

/** The body of the only request that an event led to. */
async function deliveredBody(id: string): Promise<Buffer> {
  await stage.far.settled(`shop/${id}`);
  const found = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === encodeURIComponent(id));
  expect(found).toHaveLength(1);
  return found[0]?.body ?? Buffer.alloc(0);
}

describe("an event", () => {
  test("is 202 with its receipt and place, then 200 and marked as replayed", async () => {
    const event = anEvent();
    const first = await post(JSON.stringify(event));
    expect(first).toMatchObject({
      status: 202,
      body: { key: `shop/${event.id}`, duplicate: false, state: "in-progress" },
    });
    expect(first.headers.get("location")).toBe(`/v1/events/shop/${event.id}`);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    await stage.far.settled(`shop/${event.id}`);
    const again = await post(JSON.stringify(event, null, 2));
    expect(again).toMatchObject({
      status: 200,
      body: { duplicate: true, state: "delivered", runId: first.body["runId"] },
    });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test("with other content under a used id is 409 with both fingerprints, recorded as coming over HTTP", async () => {
    const event = anEvent();
    await post(JSON.stringify(event));
    const { status, body } = await post(JSON.stringify({ ...event, data: { total: 43, secret: "s3cret" } }));
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: "conflict",
      key: `shop/${event.id}`,
      accepted: expect.stringMatching(/^sha256:/u),
      refused: expect.stringMatching(/^sha256:/u),
    });
    expect(JSON.stringify(body)).not.toContain("s3cret");
    const { conflicts } = await until("it is on record", async () => {
      const report = await stage.far.get(`shop/${event.id}`);
      return report.conflicts.length > 0 && report;
    });
    expect(conflicts).toMatchObject([{ via: "http", fingerprint: body["refused"] }]);
  });

  test("may come under an alias of its source, and is the same event", async () => {
    const event = anEvent();
    await post(JSON.stringify(event));
    const again = await post(JSON.stringify({ ...event, source: "https://shop.example/orders" }));
    expect(again).toMatchObject({ status: 200, body: { key: `shop/${event.id}` } });
  });

  test.each([
    ["numbers above 2^53, 1e400, minus zero", '{"id":1152921506151679042,"amt":1.0,"max":1e400,"neg":-0}'],
    ["spaces and order", '{ "b" : 1,\n "a" : 2, "1" : 3 }'],
    ["emoji, U+2028 and escapes", '{"e":"🙄\u2028\\u00e9","n":"a\\u0000b"}'],
    ["__proto__", '{"a":1,"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'],
    ["a lone surrogate, escaped", '{"t":"\\ud83d"}'],
  ])("delivers exactly the bytes of its data: %s", async (_what, data) => {
    const id = uniqueName("exact");
    const { status } = await post(`{"source":"shop","id":"${id}","type":"crm","data":${data}}`);
    expect(status).toBe(202);
    expect((await deliveredBody(id)).toString()).toBe(data);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("says who asked for it by its key, whatever it says itself", async () => {
    const [honest, liar] = [anEvent({ type: "ask" }), anEvent({ type: "ask", requestedBy: "eve@example.com" })];
    for (const event of [honest, liar]) {
      expect((await post(JSON.stringify(event), { key: BOUND.bearer })).status).toBe(202);
      expect(await stage.far.event(`shop/${event.id}`)).toMatchObject({ requestedBy: "ana@example.com" });
    }
  });

  test("passes its trace on, and one that does not parse is passed over", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const [traced, broken] = [anEvent(), anEvent()];
    await post(JSON.stringify(traced), { headers: { traceparent } });
    expect((await post(JSON.stringify(broken), { headers: { traceparent: "00-zz" } })).status).toBe(202);
    expect(await stage.far.event(`shop/${traced.id}`)).toMatchObject({ traceparent });
  });
});

describe("the id", () => {
  test("is the Idempotency-Key where the body has none, bare or quoted", async () => {
    const id = uniqueName("key");
    const { id: _id, ...rest } = anEvent();
    const first = await post(JSON.stringify(rest), { headers: { "idempotency-key": id } });
    expect(first).toMatchObject({ status: 202, body: { key: `shop/${id}` } });
    const again = await post(JSON.stringify(rest), { headers: { "idempotency-key": `"${id}"` } });
    expect(again).toMatchObject({ status: 200, body: { key: `shop/${id}` } });
  });

  test.each([
    ["beside another one in the body", "other", {}],
    ["as a list", "a, b", { id: undefined }],
    ["with parameters", '"a";b=1', { id: undefined }],
    ["empty", "", { id: undefined }],
    ["outside ASCII", "caf\u00e9", { id: undefined }],
  ])("by Idempotency-Key is refused %s", async (_what, key, members) => {
    const [body, headers] = [text(members), { "idempotency-key": key }];
    expect(await post(body, { headers })).toMatchObject({ status: 400, body: { code: "bad_id" } });
  });

  test("is made of the members that idFrom names, and never shared by two events", async () => {
    const order = (data: string) => `{"source":"orders","type":"crm","data":${data}}`;
    const nr = String(Date.now());
    const first = await post(order(`{"orderId":${nr}0000000001,"status":"paid"}`));
    expect(first).toMatchObject({ status: 202, body: { key: `orders/${nr}0000000001:paid` } });
    expect(await post(order(`{"orderId":${nr}0000000002,"status":"paid"}`))).toMatchObject({ status: 202 });
    expect(await post(order('{"orderId":"7"}'))).toMatchObject({
      status: 400,
      body: { code: "bad_id", detail: expect.stringContaining("data.status") },
    });
  });

  test.each(["foo/bar", "a b", "a+b", "a%20b", "a%2Fb", "x'y\"z", "p:q:r", "../x", "#?&", "%", "/".repeat(150)])(
    "%j is kept as given and found again under the location it is answered with",
    async (odd) => {
      const key = aKey({ role: "viewer" });
      const { app: looking } = anApp({
        countersign: stage.far,
        config: { ...stage.config, keys: [...stage.config.keys, keyOf(key)] },
      });
      const event = anEvent({ id: odd });
      const { status, headers } = await post(JSON.stringify(event));
      expect([200, 202]).toContain(status);
      const found = await read(
        looking.request(headers.get("location") ?? "", { headers: { authorization: key.bearer } }),
      );
      expect(found).toMatchObject({ status: 200, body: { id: odd } });
    },
  );

  test.each([
    ["empty", ""],
    ["one space", " "],
    ["a tab inside", "a\tb"],
    ["200 slashes", "/".repeat(200)],
    ["a name no path can hold", ".."],
    ["a number", 7],
  ])("is 400 when it is %s", async (_what, id) => {
    expect(await post(text({ id }))).toMatchObject({ status: 400, body: { code: "bad_id" } });
  });
});

const keyOf = ({ entry }: ReturnType<typeof aKey>) => ({
  id: entry.id,
  role: entry.role,
  hash: entry.hash,
  person: null,
  sources: [],
  types: null,
  expiresAtMs: null,
});

describe("CloudEvents", () => {
  const ce = (id: string, more: Readonly<Record<string, string>> = {}) => ({
    "ce-specversion": "1.0",
    "ce-id": id,
    "ce-source": "https://shop.example/orders",
    "ce-type": "crm",
    ...more,
  });

  test("structured are taken, and need their version", async () => {
    const event = anEvent({ specversion: "1.0", comexampleextension: "dropped" });
    const type = "application/cloudevents+json; charset=UTF-8";
    expect(await post(JSON.stringify(event), { type })).toMatchObject({
      status: 202,
      body: { key: `shop/${event.id}` },
    });
    expect(await post(text(), { type })).toMatchObject({ status: 400, body: { code: "bad_event" } });
    expect(await post(text({ specversion: "0.3" }), { type })).toMatchObject({ status: 400 });
  });

  test("binary deliver their body byte for byte under its content type", async () => {
    const id = uniqueName("binary");
    const bytes = Uint8Array.of(0, 255, 128, 10);
    const headers = ce(id, { "ce-subject": "Euro%20%E2%82%AC", "ce-time": "2026-11-29T10:00:00Z" });
    expect(await post(bytes, { type: "application/octet-stream", headers })).toMatchObject({ status: 202 });
    expect([...(await deliveredBody(id))]).toEqual([...bytes]);
    expect(await stage.far.event(`shop/${id}`)).toMatchObject({
      subject: "Euro €",
      datacontenttype: "application/octet-stream",
    });
  });

  test("binary without a content type carry JSON, without a body nothing", async () => {
    const [json, none] = [uniqueName("b"), uniqueName("b")];
    expect(await post('{"n":1.0}', { type: null, headers: ce(json) })).toMatchObject({ status: 202 });
    expect((await deliveredBody(json)).toString()).toBe('{"n":1.0}');
    expect(await post("", { type: null, headers: ce(none) })).toMatchObject({ status: 202 });
  });

  test("binary take their id from Idempotency-Key, and decode theirs once", async () => {
    const id = uniqueName("b");
    const { "ce-id": _id, ...headers } = ce(id);
    expect(await post("1", { headers: { ...headers, "idempotency-key": id } })).toMatchObject({
      status: 202,
      body: { key: `shop/${id}` },
    });
    expect(await post("1", { headers })).toMatchObject({ status: 400, body: { code: "bad_id" } });
    expect(await post("1", { headers: ce(`${id}%20%2520`) })).toMatchObject({ body: { key: `shop/${id} %20` } });
  });

  test.each([
    ["without a type", { "ce-type": "" }, "bad_event"],
    ["of another version", { "ce-specversion": "2.0" }, "bad_event"],
    ["with an id of broken encoding", { "ce-id": "a%zz" }, "bad_id"],
    ["with an id that is not UTF-8", { "ce-id": "a%FF" }, "bad_id"],
    ["with a raw byte outside ASCII", { "ce-id": "caf\u00e9" }, "bad_id"],
  ])("binary %s are 400", async (_what, more, code) => {
    expect(await post("1", { headers: ce(uniqueName("b"), more) })).toMatchObject({ status: 400, body: { code } });
  });
});

describe("a batch", () => {
  const type = "application/cloudevents-batch+json";
  const item = (members: object = {}) => text({ specversion: "1.0", ...members });

  test("of good events is 202, and 200 when all were there", async () => {
    const body = `[ ${item()} ,\n${item()}]`;
    const first = await post(body, { type });
    expect(first).toMatchObject({ status: 202, body: { items: [{ status: 202, duplicate: false }, { status: 202 }] } });
    expect(await post(body, { type })).toMatchObject({
      status: 200,
      body: { items: [{ status: 200, duplicate: true }, {}] },
    });
  });

  test("answers each event by itself, and is no success while one of them is not safe", async () => {
    const event = anEvent({ specversion: "1.0" });
    const items = [
      JSON.stringify(event),
      item({ type: "nobody" }),
      '{"specversion":"1.0","source":"shop","id":"x","id":"y","type":"crm"}',
      item({ source: "billing" }),
      JSON.stringify({ ...event, data: 1 }),
      "7",
    ];
    const { status, body } = await post(`[${items.join(",")}]`, { type });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: "batch_incomplete",
      items: [
        { status: 202, key: `shop/${event.id}` },
        { status: 422, code: "no_route" },
        { status: 400, code: "duplicate_member" },
        { status: 403, code: "forbidden" },
        { status: 409, code: "conflict" },
        { status: 400, code: "bad_event" },
      ],
    });
  });

  test("keeps the bytes of each event's data", async () => {
    const id = uniqueName("exact");
    await post(`[{"specversion":"1.0","source":"shop","id":"${id}","type":"crm","data":{"n":1.0, "m":1e400}}]`, {
      type,
    });
    expect((await deliveredBody(id)).toString()).toBe('{"n":1.0, "m":1e400}');
  });

  test.each([
    ["an object", "{}", 400],
    ["empty", "[]", 400],
    ["not JSON", "[1,", 400],
    ["101 events", `[${Array.from({ length: 101 }, () => "1").join(",")}]`, 413],
  ])("that is %s is refused", async (_what, body, status) => {
    expect((await post(body, { type })).status).toBe(status);
  });

  test("gets no longer than one event: what is left is 503, and nothing of it was started", async () => {
    const started: string[] = [];
    const submit = async (event: unknown) => {
      const { id } = event as { readonly id: string }; // parsed by the door
      started.push(id);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { key: `shop/${id}`, duplicate: false, state: "in-progress", workflowId: id, runId: id } as const;
    };
    const limits = { acceptTimeMs: 200 };
    const { app: slow } = anApp({ countersign: { ...stage.far, submit }, config: stage.config, limits });
    const body = `[${Array.from({ length: 100 }, () => item()).join(",")}]`;
    const headers = { authorization: SHOP.bearer, "content-type": type };
    const answer = await read(slow.request("/v1/events", { method: "POST", body, headers }));
    expect(answer).toMatchObject({ status: 503, body: { code: "batch_incomplete" } });
    const items = answer.body["items"] as readonly { readonly status: number }[];
    expect(items.filter(({ status }) => status === 202)).toHaveLength(started.length);
    expect(started.length).toBeLessThan(100);
    expect(items).toHaveLength(100);
  });

  test("takes no Idempotency-Key", async () => {
    expect((await post(`[${item()}]`, { type, headers: { "idempotency-key": "k" } })).status).toBe(400);
  });
});

describe("who may send", () => {
  test.each([
    ["no key", "", 401],
    ["no bearer", "Basic YTpi", 401],
    ["an unknown key", `Bearer csk_abc_${"a".repeat(43)}`, 401],
    ["an expired key", OLD.bearer, 401],
    ["a viewer", VIEWER.bearer, 403],
  ])("%s is refused before the body is read", async (_who, key, status) => {
    const unread = new ReadableStream(
      {
        pull() {
          throw new Error("it was read");
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { authorization: key, "content-type": "application/json" };
    const init = { method: "POST", body: unread, headers, duplex: "half" } as RequestInit; // Node wants to be told
    const answer = await read(app.request("/v1/events", init));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    if (status === 401) expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/u);
  });

  test("a key sends only from its sources and of its types", async () => {
    const { bearer: key } = SCOPED;
    expect(await post(text({ source: "billing" }), { key })).toMatchObject({ status: 202 });
    expect(await post(text(), { key })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await post(text({ source: "billing", type: "small" }), { key })).toMatchObject({ status: 403 });
    expect(
      await post(text({ source: "countersign", synthetic: true, type: "countersign.test", subject: "crm" })),
    ).toMatchObject({ status: 403 });
  });

  test("an ingest key can do nothing else", async () => {
    const headers = { authorization: SHOP.bearer, "content-type": "application/json" };
    for (const path of ["/v1/events", "/v1/events/shop/x", "/v1/endpoints"])
      expect((await app.request(path, { headers })).status).toBe(403);
    for (const word of ["approve", "replay", "amend"])
      expect((await app.request(`/v1/events/shop/x/${word}`, { method: "POST", body: "{}", headers })).status).toBe(
        403,
      );
  });

  test("whoever keeps failing waits longer and longer, and is turned away when too many wait", async () => {
    const waits: number[] = [];
    const slow = anApp({
      countersign: stage.far,
      config: stage.config,
      limits: { maxHeldBack: 1 },
      changes: { pause: async (ms) => await new Promise<void>((resolve) => (waits.push(ms), setImmediate(resolve))) },
    });
    const knock = async () => (await slow.app.request("/v1/events", { method: "POST", body: "" })).status;
    for (let n = 0; n < 5; n += 1) expect(await knock()).toBe(401);
    expect(waits).toEqual([250, 500]);
    expect(new Set(await Promise.all([knock(), knock()]))).toEqual(new Set([401, 429]));
  });
});

describe("what is refused", () => {
  test.each([
    ["not JSON", "{", 400, "invalid_json"],
    ["empty", "", 400, "invalid_json"],
    ["a byte order mark", `\ufeff${text()}`, 400, "invalid_json"],
    ["bad UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), 400, "invalid_json"],
    ["a list", "[]", 400, "bad_event"],
    [
      "duplicate members of data",
      '{"source":"shop","id":"x","type":"crm","data":{"a":1,"a":2}}',
      400,
      "duplicate_member",
    ],
    [
      "too deep",
      `{"source":"shop","id":"x","type":"crm","data":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      400,
      "bad_event",
    ],
    ["__proto__ as the event", '{"__proto__":{"source":"shop","id":"x","type":"crm"}}', 400, "bad_event"],
    ["no route", text({ type: "nobody" }), 422, "no_route"],
    ["an unknown source", text({ source: "elsewhere" }), 422, "unknown_source"],
    ["no requester where one is due", text({ type: "ask" }), 422, "requester_required"],
    ["larger than its endpoint takes", text({ type: "small", data: "x".repeat(2000) }), 413, "body_too_large"],
    ["larger than any body may be", text({ data: "x".repeat(1_100_000) }), 413, "body_too_large"],
    ["larger than the door", text({ data: "x".repeat(2_200_000) }), 413, "body_too_large"],
  ] as const)("%s is a problem with its code, never a 500", async (_what, body, status, code) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status, body: { code, status, type: `urn:countersign:problem:${code}` } });
    expect(answer.body).toMatchObject({ title: expect.stringMatching(/./u), detail: expect.stringMatching(/[.?!]$/u) });
  });

  test.each([
    ["no content type", null, {}],
    ["text", "text/plain", {}],
    ["a form", "application/x-www-form-urlencoded", {}],
    ["JSON that is not UTF-8", "application/json; charset=iso-8859-1", {}],
    ["another CloudEvents format", "application/cloudevents+avro", {}],
    ["gzip", "application/json", { "content-encoding": "gzip" }],
  ])("%s is 415", async (_what, type, headers) => {
    const answer = await post(text(), { type, headers });
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    if ("content-encoding" in headers) expect(answer.headers.get("accept-encoding")).toBe("identity");
  });

  test("a declared length beyond the limit is told before anything is read", async () => {
    const answer = await post(text(), { headers: { "content-length": "68719476736" } });
    expect(answer).toMatchObject({ status: 413, body: { code: "body_too_large", maxBytes: 2 * 1024 * 1024 } });
  });

  test("a body that drips is 408", async () => {
    const { app: hasty } = anApp({ countersign: stage.far, config: stage.config, limits: { bodyTimeMs: 20 } });
    const drip = new ReadableStream({
      start: (controller) => controller.enqueue(Uint8Array.of(32)),
    });
    const headers = { authorization: SHOP.bearer, "content-type": "application/json" };
    const init = { method: "POST", body: drip, headers, duplex: "half" } as RequestInit; // Node wants to be told
    expect(await read(hasty.request("/v1/events", init))).toMatchObject({
      status: 408,
      body: { code: "request_timeout" },
    });
  });

  test("more bodies at once than there is room for are 503, and the room is given back", async () => {
    const { app: narrow, context: room } = anApp({
      countersign: stage.far,
      config: stage.config,
      limits: { maxBufferedBytes: 500 },
    });
    const headers = { authorization: SHOP.bearer, "content-type": "application/json" };
    const send = async (data: string) =>
      await read(narrow.request("/v1/events", { method: "POST", body: text({ data }), headers }));
    expect(await send("x".repeat(600))).toMatchObject({ status: 503, body: { code: "overloaded" } });
    expect(await send("x")).toMatchObject({ status: 202 });
    expect(room.capacity.buffered()).toBe(0);
  });

  test("other methods are 405, other addresses 404, broken paths 400", async () => {
    const put = await read(app.request("/v1/events", { method: "PUT", body: "{}" }));
    expect(put).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(put.headers.get("allow")).toBe("POST, GET, HEAD");
    expect(await read(app.request("/v2/events"))).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await read(app.request("/v1/events/shop/%zz"))).toMatchObject({
      status: 400,
      body: { code: "bad_request" },
    });
  });
});

describe("back-pressure", () => {
  test("turns away at once what finds no place, and is free again afterwards", async () => {
    const { app: narrow, context: places } = anApp({
      countersign: stage.far,
      config: stage.config,
      limits: { maxInFlight: 2 },
    });
    const headers = { authorization: SHOP.bearer, "content-type": "application/json" };
    const send = async () => await read(narrow.request("/v1/events", { method: "POST", body: text(), headers }));
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20 - refused.length);
    for (const { body, headers: answered } of refused) {
      expect(body).toMatchObject({ code: "overloaded" });
      expect(Number(answered.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(await send()).toMatchObject({ status: 202 });
    expect(places.capacity.inFlight()).toBe(0);
  });

  test("does not wait for ever for Temporal, and keeps the place until the call has ended", async () => {
    let end = (): void => undefined;
    const hanging = {
      ...stage.far,
      submit: async () => await new Promise<never>((_, reject) => (end = () => reject(new Error("late")))),
    };
    const { app: patient, context: places } = anApp({
      countersign: hanging,
      config: stage.config,
      limits: { acceptTimeMs: 20 },
    });
    const headers = { authorization: SHOP.bearer, "content-type": "application/json" };
    const answer = await read(patient.request("/v1/events", { method: "POST", body: text(), headers }));
    expect(answer).toMatchObject({ status: 503, body: { code: "temporal_unreachable" } });
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(places.capacity.inFlight()).toBe(1);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(places.capacity.inFlight()).toBe(0);
  });

  test("counts what came in, by source and result, with nothing of the events as a label", async () => {
    const metrics = await context.metrics.text();
    for (const result of ["accepted", "duplicate", "conflict", "unrouted"])
      expect(metrics).toMatch(
        new RegExp(`countersign_ingest_requests_total\\{source="shop",result="${result}"\\} [1-9]`, "u"),
      );
    expect(metrics).toMatch(/countersign_ingest_requests_total\{source="unknown",result="refused"\} [1-9]/u);
    expect(metrics).toMatch(/countersign_key_failures_total\{reason="expired"\} [1-9]/u);
    expect(metrics).not.toMatch(/foo|elsewhere|evt|s3cret/u);
  });
});
