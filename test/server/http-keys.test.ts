/** What a key may do over HTTP, for whom it speaks, how long it lasts, and what becomes of guessing. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { createDocument } from "../../src/server/openapi.ts";
import { aKey, type AKey, anApp, type AnApp, read } from "../support/an-app.ts";
import { startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposed } from "../support/waiting-events.ts";

const [ANA, BEN, EVE] = ["ana@example.com", "ben@example.com", "eve@example.com"];
const NOON_MS = Date.parse("2026-06-01T12:00:00Z");
const KEYS = {
  shop: aKey({ role: "ingest", sources: ["shop"] }),
  scoped: aKey({ role: "ingest", sources: ["billing"], types: ["order.*", "crm"] }),
  all: aKey({ role: "ingest", sources: ["billing"], types: ["*"] }),
  bound: aKey({ role: "ingest", sources: ["shop"], person: ANA }),
  viewer: aKey({ role: "viewer" }),
  approver: aKey({ role: "approver", person: ANA }),
  operator: aKey({ role: "operator", person: BEN }),
  unbound: aKey({ role: "operator" }),
  untilNoon: aKey({ role: "ingest", sources: ["shop"], expires: "2026-06-01T12:00:00Z" }),
};

/** Last words of the paths of what an operator may do. */
const OPERATING: ReadonlySet<string> = new Set(
  "replay discard mark-delivered amend hurry hold release test pause resume bulk-replays cancel".split(" "),
);

let stage: Stage;
let app: AnApp["app"];

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: {}, "first-400": {} },
    scripts: { "first-400": [{ status: 400 }, {}] },
    routes: [
      { match: { type: "order.*" }, to: ["crm"] },
      { match: { type: "ask" }, to: ["crm"], approval: { approvers: ["group:finance"], fourEyes: true } },
    ],
    rest: {
      sources: { shop: { aliases: ["https://shop.example/orders"] }, billing: { aliases: ["urn:billing"] } },
      people: { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] }, [EVE]: {} },
      keys: Object.values(KEYS).map(({ entry }) => entry),
    },
  });
  ({ app } = anApp({ countersign: stage.far, config: stage.config }));
});

afterAll(async () => await stage.close());

const headersOf = ({ bearer }: AKey, more: Readonly<Record<string, string>> = {}) => ({
  authorization: bearer,
  "content-type": "application/json",
  ...more,
});

async function post(who: AKey, path: string, body: unknown, to = app) {
  return await read(to.request(path, { method: "POST", headers: headersOf(who), body: JSON.stringify(body) }));
}

const anEvent = (members: object = {}) => ({ source: "shop", id: uniqueName("key"), type: "crm", ...members });

describe("a role", () => {
  /** Every route there is, from the document that describes them. */
  const routes = Object.entries(createDocument().paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  const open = new Set(["/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/hooks/{source}"]);
  const words = (path: string) => path.split("/").at(-1) ?? "";
  const rights: Readonly<Record<string, (route: { readonly method: string; readonly path: string }) => boolean>> = {
    shop: ({ method, path }) => method === "POST" && path === "/v1/events",
    viewer: ({ method }) => method === "GET",
    approver: ({ method, path }) => method === "GET" || ["approve", "reject", "withdraw"].includes(words(path)),
    operator: ({ method, path }) => method === "GET" || OPERATING.has(words(path)),
  };

  test.each(Object.entries(rights))(
    "%s may do what it may on every route, and gets 403 on all others",
    async (name, may) => {
      const key = Object.entries(KEYS).find(([known]) => known === name)?.[1];
      if (key === undefined) throw new Error(`There is no key ${name}`);
      expect(routes.length).toBeGreaterThan(14);
      for (const route of routes.filter(({ path }) => !open.has(path))) {
        const path = route.path.replace("{source}", "shop").replace("{id}", "none").replace("{name}", "crm");
        const init = {
          method: route.method,
          headers: headersOf(key),
          ...(route.method === "POST" ? { body: "{}" } : {}),
        };
        const { status } = await app.request(path, init);
        expect(`${route.method} ${path}: ${status === 403}`).toBe(`${route.method} ${path}: ${!may(route)}`);
        const { status: unknown } = await app.request(path, { ...init, headers: {} });
        expect(`${route.method} ${path}: ${unknown}`).toBe(`${route.method} ${path}: 401`);
      }
    },
  );
});

describe("the scope of an ingest key", () => {
  test.each([
    ["its own source under an alias", "shop", { source: "https://shop.example/orders" }, 202],
    ["another source", "shop", { source: "billing" }, 403],
    ["another source under an alias", "shop", { source: "urn:billing" }, 403],
    ["a source in other letters", "shop", { source: "SHOP" }, 422],
    ["a source that is not there", "shop", { source: "elsewhere" }, 422],
    ["the name of everybody's member", "shop", { source: "__proto__" }, 422],
    ["our own source", "shop", { source: "countersign", type: "countersign.test", subject: "crm" }, 403],
    ["a type of its pattern", "scoped", { source: "billing", type: "order.created" }, 202],
    ["the pattern as a type", "scoped", { source: "billing", type: "order.*" }, 202],
    ["a type that only begins like it", "scoped", { source: "billing", type: "orders" }, 403],
    ["a type in other letters", "scoped", { source: "billing", type: "ORDER.created" }, 403],
    ["another type", "scoped", { source: "billing", type: "first-400" }, 403],
    ["every type with a star", "all", { source: "billing", type: "first-400" }, 202],
    ["no other source with a star", "all", { source: "shop" }, 403],
  ] as const)("%s: a key of %s", async (_what, name, members, status) => {
    expect((await post(KEYS[name], "/v1/events", anEvent(members))).status).toBe(status);
  });

  test("holds for each form of an event", async () => {
    const { bearer: authorization } = KEYS.shop;
    const event = { specversion: "1.0", ...anEvent({ source: "urn:billing" }) };
    const attributes = {
      "ce-specversion": "1.0",
      "ce-source": "urn%3Abilling",
      "ce-type": "crm",
      "ce-id": event.id,
    };
    for (const [type, body, more] of [
      ["application/cloudevents+json", JSON.stringify(event), {}],
      ["application/cloudevents-batch+json", JSON.stringify([event]), {}],
      ["text/plain", "x", attributes],
    ] as const) {
      const headers = { authorization, "content-type": type, ...more };
      expect((await app.request("/v1/events", { method: "POST", headers, body })).status).toBe(403);
    }
    await expect(stage.far.get(`billing/${event.id}`)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a batch", () => {
  const send = async (who: AKey, events: readonly object[]) => {
    const headers = { authorization: who.bearer, "content-type": "application/cloudevents-batch+json" };
    const body = JSON.stringify(events.map((event) => ({ specversion: "1.0", ...event })));
    const answer = await read(app.request("/v1/events", { method: "POST", headers, body }));
    return { ...answer, items: answer.body["items"] as readonly Readonly<Record<string, unknown>>[] };
  };

  test("of several scopes takes what is the key's, says no to the rest, and shows nothing of other sources", async () => {
    const foreign = anEvent({ source: "billing", data: "of-billing" });
    await post(KEYS.all, "/v1/events", foreign);
    const mine = anEvent();
    const { status, items } = await send(KEYS.shop, [foreign, mine, anEvent({ source: "elsewhere" })]);
    expect(status).toBe(403);
    expect(items).toMatchObject([{ status: 403 }, { status: 202, key: `shop/${mine.id}` }, { status: 422 }]);
    expect(Object.keys(items[0] ?? {})).toEqual(["status", "code", "detail"]);
    expect(JSON.stringify(items)).not.toContain("of-billing");
  });

  test("with one id twice is one workflow: the first counts, the same is a duplicate, another is a conflict", async () => {
    const event = anEvent({ data: 1 });
    const { status, items } = await send(KEYS.shop, [event, event, { ...event, data: 2 }]);
    expect([status, items.map((item) => item["status"])]).toEqual([409, [202, 200, 409]]);
    await stage.far.settled(`shop/${event.id}`);
    const bodies = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === event.id);
    expect(bodies.map(({ body }) => body.toString())).toEqual(["1"]);
  });

  test("of 100 is taken, of 101 is 413 and nothing of it is started", async () => {
    const events = Array.from({ length: 101 }, () => anEvent());
    expect((await send(KEYS.shop, events)).status).toBe(413);
    await expect(stage.far.get(`shop/${events[0]?.id ?? ""}`)).rejects.toMatchObject({ code: "not_found" });
    expect((await send(KEYS.shop, events.slice(1))).status).toBe(202);
  });
});

describe("a key of a person", () => {
  test("makes that person who asked, whatever the event says, in each form", async () => {
    const { bearer: authorization } = KEYS.bound;
    const [one, batched, binary] = [
      anEvent({ type: "ask", requestedBy: EVE }),
      anEvent({ type: "ask", requestedBy: EVE, specversion: "1.0" }),
      uniqueName("key"),
    ];
    await post(KEYS.bound, "/v1/events", one);
    for (const [type, body, more] of [
      ["application/cloudevents-batch+json", JSON.stringify([batched]), {}],
      [
        "application/json",
        "1",
        {
          "ce-specversion": "1.0",
          "ce-source": "shop",
          "ce-type": "ask",
          "ce-id": binary,
          "ce-requestedby": "eve%40example.com",
        },
      ],
    ] as const) {
      const headers = { authorization, "content-type": type, ...more };
      expect((await app.request("/v1/events", { method: "POST", headers, body })).status).toBe(202);
    }
    for (const id of [one.id, batched.id, binary]) {
      const key = `shop/${id}`;
      expect(await stage.far.event(key)).toMatchObject({ requestedBy: ANA });
      // Four eyes: who asked does not decide, under whatever name.
      const report = await inState(stage, key, { state: "awaiting-approval" });
      const digest = report.deliveries[0]?.proposal?.digest;
      expect(await post(KEYS.approver, `/v1/events/${key}/approve`, { digest, actor: BEN })).toMatchObject({
        status: 409,
        body: { refusedBecause: "own-request" },
      });
      await post(KEYS.operator, `/v1/events/${key}/discard`, { reason: "end of test" });
    }
  });

  test("makes that person the one who decides, and who acts, whatever the body says", async () => {
    const { key, proposal } = await proposed(stage, "ask");
    const word = { digest: proposal.digest, actor: EVE, note: "yes" };
    expect((await post(KEYS.approver, `/v1/events/${key}/approve`, word)).status).toBe(200);
    expect((await stage.far.settled(key)).deliveries[0]?.decisions).toMatchObject([{ actor: ANA }]);
    const { key: parked } = await stage.far.submit(anEvent({ type: "first-400" }));
    for (const name of ["amend", "replay"]) {
      await inState(stage, parked, { state: "needs-attention" });
      const body = { reason: "r", actor: EVE, ...(name === "amend" ? { data: { n: 1 } } : {}) };
      expect(await post(KEYS.operator, `/v1/events/${parked}/${name}`, body)).toMatchObject({ status: 200 });
    }
    const { deliveries } = await stage.far.settled(parked);
    expect(deliveries[0]?.resolutions).toMatchObject([
      { action: "amend", actor: BEN },
      { action: "replay", actor: BEN },
    ]);
  });

  test("is not needed where the body says who acts; nobody at all is 400", async () => {
    const { key } = await stage.far.submit(anEvent({ type: "first-400" }));
    await inState(stage, key, { state: "needs-attention" });
    for (const actor of [undefined, "", "  "])
      expect(await post(KEYS.unbound, `/v1/events/${key}/discard`, { reason: "r", actor })).toMatchObject({
        status: 400,
        body: { code: "bad_argument" },
      });
    expect((await post(KEYS.unbound, `/v1/events/${key}/discard`, { reason: "r", actor: EVE })).status).toBe(200);
    expect((await stage.far.settled(key)).deliveries[0]?.resolutions).toMatchObject([{ actor: EVE }]);
  });
});

describe("a key", () => {
  test("lasts until its expiry, and not a millisecond longer", async () => {
    for (const [nowMs, status] of [
      [NOON_MS - 1, 202],
      [NOON_MS, 401],
      [NOON_MS + 1, 401],
    ] as const) {
      const clock = anApp({ countersign: stage.far, config: stage.config, changes: { now: () => nowMs } });
      const answer = await post(KEYS.untilNoon, "/v1/events", anEvent(), clock.app);
      expect(answer.status).toBe(status);
      if (status === 401)
        expect(answer.body).toMatchObject({ code: "unauthorized", detail: "This API key has expired." });
    }
  });

  test("is changed for another one while both are good, and is gone with its entry", async () => {
    const [old, next] = [aKey({ role: "ingest", sources: ["shop"] }), aKey({ role: "ingest", sources: ["shop"] })];
    const statuses = async (entries: readonly AKey[]) => {
      const keys = parseConfig(
        { sources: { shop: {} }, endpoints: {}, routes: [], keys: entries.map(({ entry }) => entry) },
        { path: null },
      ).keys;
      const { app: to } = anApp({ countersign: stage.far, config: { ...stage.config, keys } });
      return [
        (await post(old, "/v1/events", anEvent(), to)).status,
        (await post(next, "/v1/events", anEvent(), to)).status,
      ];
    };
    expect(await statuses([old])).toEqual([202, 401]);
    expect(await statuses([old, next])).toEqual([202, 202]);
    expect(await statuses([next])).toEqual([401, 202]);
  });

  test("is refused in other words than its own: another secret, another id, another scheme, twice", async () => {
    const { bearer } = KEYS.shop;
    const [, id = "", secret = ""] = /^Bearer csk_([^_]+)_(.*)$/u.exec(bearer) ?? [];
    const flipped = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`;
    for (const authorization of [
      `Bearer csk_${id}_${flipped}`,
      `Bearer csk_${id}x_${secret}`,
      `Bearer csk_${id}_${secret}=`,
      `Bearer csk_${id}_`,
      `Bearer ${secret}`,
      `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
      bearer.replace("Bearer ", ""),
      `${bearer}, ${bearer}`,
      `Bearer ${"a".repeat(5000)}`,
    ]) {
      const headers = { authorization, "content-type": "application/json" };
      const answer = await read(app.request("/v1/events", { method: "POST", headers, body: "{}" }));
      expect([answer.status, answer.headers.get("www-authenticate")?.startsWith("Bearer")]).toEqual([401, true]);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
    expect(
      (await post({ ...KEYS.shop, bearer: bearer.replace("Bearer", "bEARER ") }, "/v1/events", anEvent())).status,
    ).toBe(202);
  });
});

test("whoever guesses waits longer and longer and is counted; a good key at the same address does not wait", async () => {
  const waits: number[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { config, address } = stage;
  const pause = async (ms: number) => {
    waits.push(ms);
    await held;
  };
  const server = await startInstance({ config, address, limits: { maxHeldBack: 6 }, changes: { pause } });
  onTestFinished(async () => await server.stop());
  const guess = async (nth: number) =>
    await server.post("/v1/events", "{}", { authorization: `Bearer csk_guess_${String(nth).padStart(43, "a")}` });
  for (let nth = 0; nth < 3; nth += 1) expect((await guess(nth)).status).toBe(401);
  const guessing: ReturnType<typeof guess>[] = [];
  for (let nth = 3; nth < 9; nth += 1) {
    guessing.push(guess(nth));
    await until("it is held back", () => waits.length === nth - 2);
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000]);
  const turnedAway = await guess(9);
  expect([turnedAway.status, turnedAway.headers.get("retry-after")]).toEqual([429, "5"]);
  const good = await server.post("/v1/events", JSON.stringify(anEvent()), headersOf(KEYS.shop));
  expect(good.status).toBe(202);
  release();
  expect((await Promise.all(guessing)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await server.context.metrics.text()).toMatch(/countersign_key_failures_total\{reason="unknown"\} 10/u);
});
