/** Operations over HTTP: looking, deciding, acting. GET and HEAD decide nothing, and every refusal says why. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aKey, anApp, type AnApp, read } from "../support/an-app.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposed, requestsOf } from "../support/waiting-events.ts";

const [ANA, BEN, EVE] = ["ana@example.com", "ben@example.com", "eve@example.com"];
const KEYS = {
  ana: aKey({ role: "approver", person: ANA }),
  ben: aKey({ role: "approver", person: BEN }),
  eve: aKey({ role: "approver", person: EVE }),
  nobody: aKey({ role: "approver" }),
  operator: aKey({ role: "operator", person: BEN }),
  viewer: aKey({ role: "viewer" }),
};

let stage: Stage;
let app: AnApp["app"];
let context: AnApp["context"];

beforeAll(async () => {
  stage = await openStage({
    endpoints: { payments: {}, "first-400": {} },
    scripts: { "first-400": [{ status: 400 }, {}] },
    routes: [
      {
        match: { type: "refund" },
        to: ["payments"],
        approval: { approvers: ["group:finance"], fourEyes: true },
      },
    ],
    rest: {
      people: { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] }, [EVE]: {} },
      keys: Object.values(KEYS).map(({ entry }) => entry),
    },
  });
  ({ app, context } = anApp({ countersign: stage.far, config: stage.config }));
});

afterAll(async () => await stage.close());

const pathOf = (key: string) => `/v1/events/${key}`;

async function get(path: string, who: keyof typeof KEYS = "viewer", method = "GET") {
  return await read(app.request(path, { method, headers: { authorization: KEYS[who].bearer } }));
}

async function say(path: string, who: keyof typeof KEYS, body: unknown) {
  const headers = { authorization: KEYS[who].bearer, "content-type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await read(app.request(path, { method: "POST", headers, body: text }));
}

async function parked(): Promise<string> {
  const { key } = await stage.far.submit({
    source: "shop",
    id: uniqueName("parked"),
    type: "first-400",
    data: { n: 1 },
  });
  await inState(stage, key, { state: "needs-attention" });
  return key;
}

describe("looking", () => {
  test("at one event shows its whole state, at one that is not there is 404", async () => {
    const { key } = await stage.far.submit({ source: "shop", id: uniqueName("e"), type: "payments" });
    await stage.far.settled(key);
    const found = await get(pathOf(key));
    expect(found).toMatchObject({
      status: 200,
      body: { v: 1, key, state: "delivered", deliveries: [{ endpoint: "payments" }] },
    });
    expect(await get(pathOf("shop/none"))).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("at an event whose input was refused says so, and is no fault of the request", async () => {
    const key = `shop/${uniqueName("broken")}`;
    const { taskQueue } = stage.config.temporal;
    const handle = await stage.temporal.workflow.start("event", {
      workflowId: key,
      taskQueue,
      args: [{ source: "shop" }],
    });
    await handle.result().catch(() => undefined);
    expect(await get(pathOf(key))).toMatchObject({ status: 422, body: { code: "bad_event" } });
  });

  test("at a list turns its pages with a cursor, and says that lists may be late", async () => {
    const keys = await Promise.all([parked(), parked(), parked()]);
    const query = "/v1/events?state=needs-attention&type=first-400&endpoint=first-400&source=shop&limit=2";
    await until("the list holds them", async () => (await stage.far.count({ state: "needs-attention" })) >= 3);
    const first = await get(query);
    expect(first).toMatchObject({
      status: 200,
      body: { exact: false, asOf: expect.stringMatching(/Z$/u), items: [{}, {}] },
    });
    const second = await get(`${query}&cursor=${String(first.body["nextCursor"])}`);
    const listed = [first, second].flatMap(({ body }) => body["items"] as readonly { readonly key: string }[]);
    const found = listed.filter(({ key }) => keys.includes(key));
    expect(found).toHaveLength(3);
    expect(found[0]).toMatchObject({
      state: "needs-attention",
      reason: "refused",
      type: "first-400",
      endpoints: ["first-400"],
    });
    for (const key of keys) await say(`${pathOf(key)}/discard`, "operator", { reason: "end of test" });
  });

  // A query with NUL in it is one that the server fails at, and the client tries again for ten seconds.
  test.each([
    "state=gone",
    "limit=0",
    "limit=x",
    "cursor=%25",
    "cursor=AAAA",
    "type=a%22b",
    "type=%00",
    "source=a%00b",
    "endpoint=%0a",
    `type=${"a".repeat(201)}`,
  ])("at a list with %s is 400", async (query) => {
    expect(await get(`/v1/events?${query}`)).toMatchObject({ status: 400, body: { code: "bad_argument" } });
  });

  test("at endpoints shows where events go, without secrets", async () => {
    const { body } = await get("/v1/endpoints");
    expect(body).toMatchObject({ items: [{ name: "payments" }, { name: "first-400" }], exact: false });
    expect(await get("/v1/endpoints/payments")).toMatchObject({
      status: 200,
      body: { name: "payments", idempotent: true },
    });
    expect(await get("/v1/endpoints/none")).toMatchObject({ status: 404, body: { code: "unknown_endpoint" } });
  });
});

describe("a decision", () => {
  test("counts for the person of the key, whoever the body says decides", async () => {
    const { key, proposal } = await proposed(stage, "refund", { requestedBy: "carl@example.com" });
    const { digest } = proposal;
    expect(await say(`${pathOf(key)}/approve`, "ana", { digest, actor: BEN })).toMatchObject({
      status: 200,
      body: { counted: true, refusedBecause: null },
    });
    const { deliveries } = await stage.far.settled(key);
    expect(deliveries[0]?.decisions).toMatchObject([{ actor: ANA, counted: true }]);
    expect(await say(`${pathOf(key)}/reject`, "ben", { digest, note: "too late" })).toMatchObject({
      status: 409,
      body: { code: "refused", counted: false, refusedBecause: "executed" },
    });
  });

  test("is not made by GET or HEAD, whatever follows the link", async () => {
    const { key } = await proposed(stage, "refund");
    for (const word of ["approve", "reject", "withdraw", "discard", "replay"]) {
      const answer = await get(`${pathOf(key)}/${word}`, "ana");
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST");
      expect((await get(`${pathOf(key)}/${word}`, "ana", "HEAD")).status).toBe(405);
    }
    const { state, deliveries } = await stage.far.get(key);
    expect(state).toBe("awaiting-approval");
    expect(deliveries[0]?.decisions).toEqual([]);
    await say(`${pathOf(key)}/discard`, "operator", { reason: "end of test" });
  });

  test("of two that come together leaves one standing, which matches what was sent", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, proposal } = await proposed(stage, "refund");
      const { digest } = proposal;
      const [yes, no] = await Promise.all([
        say(`${pathOf(key)}/approve`, "ana", { digest }),
        say(`${pathOf(key)}/reject`, "ben", { digest, note: "no" }),
      ]);
      const { state } = await stage.far.settled(key);
      expect([yes.status, no.status].filter((status) => status === 200)).toHaveLength(1);
      expect(state).toBe(yes.status === 200 ? "delivered" : "rejected");
      expect(requestsOf(stage, key)).toHaveLength(yes.status === 200 ? 1 : 0);
    }
  });

  test("on something that changed since is 409, and sends nothing", async () => {
    const { key, proposal } = await proposed(stage, "refund", { requestedBy: "carl@example.com" });
    const amended = await say(`${pathOf(key)}/amend`, "operator", `{"reason":"typo","data":{"amount": 90.0}}`);
    expect(amended).toMatchObject({ status: 200, body: { counted: true } });
    await inState(stage, key, { state: "awaiting-approval", revision: 2 });
    const stale = await say(`${pathOf(key)}/approve`, "ana", { digest: proposal.digest });
    expect(stale).toMatchObject({ status: 409, body: { refusedBecause: "stale-revision" } });
    expect(requestsOf(stage, key)).toEqual([]);
    const now = (await stage.far.get(key)).deliveries[0]?.proposal?.digest;
    expect(await say(`${pathOf(key)}/approve`, "ana", { digest: now })).toMatchObject({ status: 200 });
    await stage.far.settled(key);
    // As it stood in the amendment: no number is written anew.
    expect(requestsOf(stage, key).map(({ body }) => body.toString())).toEqual(['{"amount": 90.0}']);
  });

  test("does not count from whoever may not: stranger, requester, another role, no person at all", async () => {
    const { key, proposal } = await proposed(stage, "refund", { requestedBy: ANA });
    const { digest } = proposal;
    const approve = async (who: keyof typeof KEYS, body: object = { digest }) =>
      await say(`${pathOf(key)}/approve`, who, body);
    expect(await approve("eve")).toMatchObject({ status: 409, body: { refusedBecause: "not-eligible" } });
    expect(await approve("ana")).toMatchObject({ status: 409, body: { refusedBecause: "own-request" } });
    expect(await approve("operator")).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await approve("viewer")).toMatchObject({ status: 403 });
    expect(await approve("nobody")).toMatchObject({ status: 400, body: { code: "bad_argument" } });
    expect(await say(`${pathOf(key)}/replay`, "ana", { reason: "mine" })).toMatchObject({ status: 403 });
    const report = await stage.far.get(key);
    expect(report.state).toBe("awaiting-approval");
    // Both refused decisions are on record; what the key itself may not do never reached the event.
    expect(report.deliveries[0]?.decisions.map(({ actor }) => actor).toSorted()).toEqual([ANA, EVE]);
    expect(requestsOf(stage, key)).toEqual([]);
  });

  test.each([
    ["no digest", {}, 400],
    ["a list", [], 400],
    ["a member twice", '{"digest":"a","digest":"b"}', 400],
    ["no JSON", "digest", 400],
  ])("with %s is refused before anybody is asked", async (_what, body, status) => {
    expect((await say(`${pathOf("shop/x")}/approve`, "ana", body)).status).toBe(status);
  });
});

describe("an action", () => {
  test("replays a parked delivery, once", async () => {
    const key = await parked();
    const word = { reason: "the endpoint is mended", actor: "somebody else" };
    expect(await say(`${pathOf(key)}/replay`, "operator", word)).toMatchObject({
      status: 200,
      body: { counted: true },
    });
    const { deliveries } = await stage.far.settled(key);
    expect(deliveries[0]).toMatchObject({ state: "delivered", resolutions: [{ action: "replay", actor: BEN }] });
    expect(await say(`${pathOf(key)}/replay`, "operator", word)).toMatchObject({
      status: 409,
      body: { refusedBecause: "already-ended" },
    });
  });

  test.each([
    ["discard", "discarded"],
    ["mark-delivered", "delivered"],
  ])("%s ends a parked delivery as %s", async (word, state) => {
    const key = await parked();
    expect(await say(`${pathOf(key)}/${word}`, "operator", { reason: "looked" })).toMatchObject({ status: 200 });
    expect(await stage.far.settled(key)).toMatchObject({ state });
  });

  test("hold, hurry and release steer it; one that does not count is 409 and says why", async () => {
    const key = await parked();
    const steer = async (word: string) => await say(`${pathOf(key)}/${word}`, "operator", { reason: "stock count" });
    expect(await steer("hold")).toMatchObject({ status: 200, body: { counted: true } });
    expect(await steer("hurry")).toMatchObject({ status: 409, body: { code: "refused", refusedBecause: "held" } });
    expect(await steer("release")).toMatchObject({ status: 200, body: { counted: true } });
    expect(await steer("release")).toMatchObject({ status: 409, body: { refusedBecause: "not-held" } });
    expect(await say(`${pathOf(key)}/hold`, "viewer", { reason: "x" })).toMatchObject({ status: 403 });
    const { body } = await get(pathOf(key));
    expect(body).toMatchObject({
      deliveries: [
        { resolutions: [{ action: "hold" }, { action: "hurry" }, { action: "release" }, { counted: false }] },
      ],
    });
  });

  test("on an event that is not there is 404, without a reason 400, not as JSON 415", async () => {
    expect(await say(`${pathOf("shop/none")}/discard`, "operator", { reason: "x" })).toMatchObject({ status: 404 });
    expect(await say(`${pathOf("shop/none")}/discard`, "operator", {})).toMatchObject({
      status: 400,
      body: { code: "bad_argument" },
    });
    const headers = { authorization: KEYS.operator.bearer, "content-type": "text/plain" };
    expect((await app.request(`${pathOf("shop/x")}/discard`, { method: "POST", body: "{}", headers })).status).toBe(
      415,
    );
  });

  test("tests an endpoint with one synthetic event", async () => {
    const { status, body, headers } = await say("/v1/endpoints/payments/test", "operator", "");
    expect(status).toBe(200);
    await stage.far.settled(String(body["key"]));
    const found = await get(headers.get("location") ?? "");
    expect(found.body).toMatchObject({ state: "delivered", deliveries: [{ endpoint: "payments" }] });
    expect(await say("/v1/endpoints/none/test", "operator", "")).toMatchObject({ status: 404 });
    expect(await say("/v1/endpoints/payments/test", "viewer", "")).toMatchObject({ status: 403 });
  });
});

describe("the process", () => {
  test("is healthy, and ready while a worker polls", async () => {
    expect(await read(app.request("/healthz"))).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await read(app.request("/readyz"))).toMatchObject({
      status: 200,
      body: { ready: true, temporal: true, searchAttributes: true },
    });
  });

  test.each([
    ["no worker was seen", { temporal: true, searchAttributes: true, workers: 0 }],
    ["search attributes are missing", { temporal: true, searchAttributes: false, workers: 1 }],
    ["Temporal is gone", { temporal: false, searchAttributes: false, workers: 0 }],
  ])("is not ready while %s", async (_what, health) => {
    const lame = anApp({
      countersign: { ...stage.far, health: async () => await Promise.resolve(health) },
      config: stage.config,
    });
    expect(await read(lame.app.request("/readyz"))).toMatchObject({ status: 503, body: { ready: false, ...health } });
    expect((await lame.app.request("/healthz")).status).toBe(200);
  });

  test("is not ready while it stops, and asks its clients to leave", async () => {
    const ending = anApp({ countersign: stage.far, config: stage.config, changes: { stopping: () => true } });
    const answer = await ending.app.request("/readyz");
    expect([answer.status, answer.headers.get("connection")]).toEqual([503, "close"]);
  });

  test("counts what waits for people, and how long", async () => {
    const [key, { key: asking }] = [await parked(), await proposed(stage, "refund")];
    await until("lists know both", async () => {
      const counts = await Promise.all([
        stage.far.count({ state: "needs-attention" }),
        stage.far.count({ state: "awaiting-approval" }),
      ]);
      return counts.every((count) => count > 0);
    });
    const text = await (await app.request("/metrics")).text();
    expect(text).toMatch(/countersign_needs_attention\{reason="refused"\} [1-9]/u);
    expect(text).toMatch(/countersign_needs_attention_oldest_age_seconds\{reason="refused"\} [\d.]+/u);
    expect(text).toMatch(/countersign_approvals_pending [1-9]/u);
    expect(text).toMatch(
      /http_server_request_duration_seconds_count\{http_request_method="POST",http_route="\/v1\/events\/:source\/:id\/approve",http_response_status_code="409"\} [1-9]/u,
    );
    for (const one of [key, asking]) await say(`${pathOf(one)}/discard`, "operator", { reason: "end of test" });
  });

  test("still tells its counters while Temporal is gone", async () => {
    const gone = { ...stage.far, listPage: async () => await Promise.reject(new Error("gone")) };
    const { app: blind } = anApp({ countersign: gone, config: stage.config });
    expect(await read(blind.request("/metrics"))).toMatchObject({ status: 200 });
  });

  test("describes itself: every route, once, and no other", async () => {
    const { body } = await read(app.request("/openapi.json"));
    const paths = Object.entries(body["paths"] as Readonly<Record<string, object>>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = app.routes
      .filter(({ method, path }) => method !== "ALL" && path !== "/openapi.json")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`);
    expect(paths.toSorted()).toEqual([...new Set(routes)].toSorted());
    expect(body).toMatchObject({ openapi: "3.1.0", info: { title: "Countersign" } });
    expect(context.capacity.inFlight()).toBe(0);
  });
});
