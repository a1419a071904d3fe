/** What never leaves: no answer and no log line holds a key, a secret, a signature that would have been right, a body, or a stack. */
import { createHmac } from "node:crypto";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aKey } from "../support/an-app.ts";
import { SECRET, signAnew } from "../support/provider-cases.ts";
import { type ServerInstance, startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { inState, proposed } from "../support/waiting-events.ts";

const KEYS = {
  shop: aKey({ role: "ingest", sources: ["shop"] }),
  old: aKey({ role: "ingest", sources: ["shop"], expires: "2020-01-01T00:00:00Z" }),
  foreign: aKey({ role: "ingest", sources: ["shop"] }),
  viewer: aKey({ role: "viewer" }),
  ana: aKey({ role: "approver", person: "ana@example.com" }),
  operator: aKey({ role: "operator" }),
};
const ENDPOINT_TOKEN = "token-of-the-endpoint";
const MARK = "mark-of-a-body";

let stage: Stage;
let server: ServerInstance;
const lines: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: { headers: { authorization: ENDPOINT_TOKEN } }, "first-400": {} },
    scripts: { "first-400": [{ status: 400, body: MARK }, {}] },
    routes: [
      { match: { type: "untyped" }, to: ["crm"] },
      { match: { type: "ask" }, to: ["crm"], approval: { approvers: ["ana@example.com"] } },
    ],
    rest: {
      sources: { shop: {}, partner: { verify: { scheme: "standard-webhooks", secrets: [SECRET] } } },
      people: { "ana@example.com": {} },
      keys: Object.entries(KEYS).flatMap(([name, { entry }]) => (name === "foreign" ? [] : [entry])),
    },
  });
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(chunk.toString()), done()) });
  const { config, address } = stage;
  server = await startInstance({ config, address, changes: { log: pino({ level: "trace" }, sink) } });
});

afterAll(async () => {
  await server.stop();
  await stage.close();
});

/** Sends it, and keeps the whole answer. */
async function ask(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string) {
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const answer = await fetch(`${server.url}${path}`, init);
  answers.push(JSON.stringify([...answer.headers]) + (await answer.text()));
  return answer.status;
}

const json = (authorization: string, more: Readonly<Record<string, string>> = {}) => ({
  authorization,
  "content-type": "application/json",
  ...more,
});

test("whatever is asked, well or badly", async () => {
  const statuses = new Set<number>();
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: string) =>
    void statuses.add(await ask("POST", path, headers, body));
  const event = (members: object = {}) =>
    JSON.stringify({ source: "shop", id: uniqueName("e"), type: "crm", data: MARK, ...members });
  const id = uniqueName("twice");
  // Producers, with good keys and bad ones.
  for (const { bearer } of [KEYS.shop, KEYS.old, KEYS.foreign, KEYS.viewer, { bearer: `Basic ${MARK}` }])
    await post("/v1/events", json(bearer), event());
  for (const data of [1, 1, 2]) await post("/v1/events", json(KEYS.shop.bearer), event({ id, data: [MARK, data] }));
  for (const body of [
    MARK,
    `{"${MARK}":`,
    `{"source":"shop","id":"x","type":"crm","data":"${MARK}","data":"${MARK}"}`,
    event({ type: "nobody" }),
    event({ source: "elsewhere" }),
    event({ data: MARK.repeat(100_000) }),
    event({ data: MARK.repeat(200_000) }),
  ])
    await post("/v1/events", json(KEYS.shop.bearer), body);
  await post("/v1/events", json(KEYS.shop.bearer, { "idempotency-key": `"${MARK}` }), event());
  await post("/v1/events", json(KEYS.shop.bearer, { "content-encoding": "gzip" }), event());
  await post(
    "/v1/events",
    { authorization: KEYS.shop.bearer, "content-type": "application/cloudevents-batch+json" },
    `[${event()},${event()}]`,
  );
  // Providers, signed rightly, wrongly and not at all.
  const seconds = Math.floor(Date.now() / 1000);
  const hook = `{"a":"${MARK}"}`;
  for (const headers of [
    signAnew(hook, { id: "m1", seconds }),
    signAnew(`${hook} `, { id: "m1", seconds }),
    signAnew(hook, { id: "m2", seconds: seconds - 1000 }),
    signAnew(hook, { id: "m3", seconds }),
    { "content-type": "application/json", "webhook-signature": "v1,AAAA" },
  ])
    await post("/v1/hooks/partner", headers, hook);
  await post("/v1/hooks/partner", signAnew(`{"a":"${MARK}"`, { id: "m4", seconds }), `{"a":"${MARK}"`);
  await post("/v1/hooks/shop", json(""), hook);
  // People, about what may be shown and about what may not.
  const { key, proposal } = await proposed(stage, "ask", { data: 1 });
  await post(`/v1/events/${key}/approve`, json(KEYS.ana.bearer), `{"digest":"wrong","note":"looked"}`);
  await post(`/v1/events/${key}/approve`, json(KEYS.shop.bearer), `{"digest":"${proposal.digest}"}`);
  await post(`/v1/events/${key}/approve`, json(KEYS.ana.bearer), `{"digest":"${MARK}`);
  await post(`/v1/events/${key}/approve`, json(KEYS.ana.bearer), `{"digest":"${proposal.digest}"}`);
  await stage.far.settled(key);
  const { key: parked } = await stage.far.submit({ source: "shop", id: uniqueName("p"), type: "first-400" });
  await inState(stage, parked, { state: "needs-attention" });
  await post(`/v1/events/${parked}/replay`, json(KEYS.operator.bearer), '{"reason":"r","actor":"lea"}');
  for (const path of [
    `/v1/events/${key}`,
    `/v1/events/${parked}`,
    "/v1/events",
    "/v1/endpoints",
    "/v1/endpoints/crm",
    "/v1/events/shop/none",
    "/v1/events?cursor=x",
  ])
    statuses.add(await ask("GET", path, { authorization: KEYS.viewer.bearer }));
  for (const path of ["/metrics", "/readyz", "/healthz", "/openapi.json", "/nothing"])
    statuses.add(await ask("GET", path, {}));

  expect(statuses).toEqual(new Set([200, 202, 400, 401, 403, 404, 409, 413, 415, 422]));
  expect(lines.length).toBeGreaterThan(15);
  const right = createHmac("sha256", Buffer.from(SECRET.slice("whsec_".length), "base64"));
  const expected = right.update(`m3.${seconds}.`).update(hook).digest("base64");
  const secrets = [
    ...Object.values(KEYS).flatMap(({ secret, entry }) => [secret, entry.hash]),
    SECRET,
    SECRET.slice("whsec_".length),
    expected,
    ENDPOINT_TOKEN,
    MARK,
  ];
  for (const text of [...lines, ...answers]) {
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\bat .*\.(?:ts|js|mjs):\d+/u);
  }
});
