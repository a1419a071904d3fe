/** Who decides over HTTP, on what, and only once: what public reports tell of approvals, and ids with odd characters. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { aKey, type AKey, read } from "../support/an-app.ts";
import { inBatches } from "../support/in-batches.ts";
import { rawConnection } from "../support/raw-http.ts";
import { type ServerInstance, startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { inState, proposalOf, proposed } from "../support/waiting-events.ts";

const [ANA, BEN, EVE] = ["ana@example.com", "ben@example.com", "eve@example.com"];
const KEYS = {
  producer: aKey({ role: "ingest", sources: ["shop", "odd"] }),
  ana: aKey({ role: "approver", person: ANA }),
  anaAgain: aKey({ role: "approver", person: ANA }),
  ben: aKey({ role: "approver", person: BEN }),
  eve: aKey({ role: "approver", person: EVE }),
  gone: aKey({ role: "approver", person: ANA, expires: "2020-01-01T00:00:00Z" }),
  operator: aKey({ role: "operator" }),
  viewer: aKey({ role: "viewer" }),
};
/** So that the ids below are new on this server. */
const ODD = `odd-${randomUUID().slice(0, 8)}`;
const PEOPLE = { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] }, [EVE]: {} };

let stage: Stage;
let server: ServerInstance;
const raw: { -readonly [Name in keyof RawConfig]: RawConfig[Name] } = {};

beforeAll(async () => {
  const approval = { approvers: ["group:finance"], fourEyes: true };
  const rest = {
    sources: { shop: {}, [ODD]: {} },
    people: PEOPLE,
    keys: Object.values(KEYS).map(({ entry }) =>
      entry.role === "ingest" ? { ...entry, sources: ["shop", ODD] } : entry,
    ),
  };
  stage = await openStage({
    endpoints: { payments: {}, "first-400": {} },
    scripts: { "first-400": [{ status: 400 }, {}] },
    routes: [
      { match: { type: "refund" }, to: ["payments"], approval },
      { match: { type: "payout" }, to: ["payments"], approval: { ...approval, quorum: 2 } },
      { match: { type: "odd" }, to: ["first-400"], approval },
    ],
    rest,
  });
  Object.assign(raw, rest);
  server = await startInstance({ config: stage.config, address: stage.address });
});

afterAll(async () => {
  await server.stop();
  await stage.close();
});

const headersOf = ({ bearer }: AKey) => ({ authorization: bearer, "content-type": "application/json" });
const pathOf = (key: string) => {
  const slash = key.indexOf("/");
  return `/v1/events/${key.slice(0, slash)}/${encodeURIComponent(key.slice(slash + 1))}`;
};

async function say(key: string, word: string, who: AKey, body: object) {
  return await server.post(`${pathOf(key)}/${word}`, JSON.stringify(body), headersOf(who));
}

async function look(key: string, who: AKey = KEYS.viewer) {
  return await read(fetch(`${server.url}${pathOf(key)}`, { headers: headersOf(who) }));
}

const sentFor = (key: string) =>
  stage.destination.requests.filter(
    ({ headers }) => `${headers["ce-source"]}/${decodeURIComponent(headers["ce-id"] ?? "")}` === key,
  );

// activepieces/activepieces#14024: Safe Links, Mimecast and Proofpoint follow a link before the mail is delivered.
describe("whoever follows a link", () => {
  const FOLLOWERS = [
    {},
    { cookie: "session=of-ana" },
    { "user-agent": "Mozilla/5.0 (compatible; Mimecast; SafeLinks)" },
    { "user-agent": "Slackbot-LinkExpanding 1.0", authorization: KEYS.ana.bearer },
    { authorization: KEYS.ana.bearer, purpose: "prefetch" },
  ];

  test("by GET or HEAD decides nothing, with or without a key; the person's POST does", async () => {
    const { key, proposal } = await proposed(stage, "refund");
    for (const word of ["approve", "reject"])
      for (const method of ["GET", "HEAD"])
        for (const headers of FOLLOWERS) {
          const url = `${server.url}${pathOf(key)}/${word}?digest=${encodeURIComponent(proposal.digest)}&note=yes`;
          const answer = await fetch(url, { method, headers });
          expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
        }
    expect((await look(key)).body).toMatchObject({ state: "awaiting-approval", deliveries: [{ decisions: [] }] });
    expect(sentFor(key)).toEqual([]);
    expect(await say(key, "approve", KEYS.ana, { digest: proposal.digest })).toMatchObject({ status: 200 });
    await stage.far.settled(key);
    expect((await look(key)).body).toMatchObject({ deliveries: [{ decisions: [{ actor: ANA, counted: true }] }] });
    expect(sentFor(key)).toHaveLength(1);
  });
});

// webrenew/memories#378, LonghornRacingElectric/recruiting-site-2026#66: both were answered 200.
describe("approve and reject", () => {
  test("released together have one outcome, and it is what was sent: sixteen rounds", async () => {
    const rounds = await inBatches(Array.from({ length: 16 }), async () => {
      const { key, proposal } = await proposed(stage, "refund");
      const { digest } = proposal;
      const [yes, no] = await Promise.all([
        say(key, "approve", KEYS.ana, { digest }),
        say(key, "reject", KEYS.ben, { digest, note: "no" }),
      ]);
      const { state } = await stage.far.settled(key, { timeout: "60s" });
      const standing = yes.status === 200 ? "delivered" : "rejected";
      const statuses = [yes.status, no.status].toSorted((one, other) => one - other);
      const other = yes.status === 200 ? no : yes;
      return { statuses, right: state === standing, sent: sentFor(key).length === (yes.status === 200 ? 1 : 0), other };
    });
    for (const { statuses, right, sent, other } of rounds) {
      expect([statuses, right, sent]).toEqual([[200, 409], true, true]);
      expect(other.body).toMatchObject({ code: "refused", counted: false, refusedBecause: expect.any(String) });
    }
  });

  test("one after the other: the first stands, and the second is 409 with its reason", async () => {
    const [accepted, refused] = [await proposed(stage, "refund"), await proposed(stage, "refund")];
    const words = (digest: string) => ({ digest, note: "thought again" });
    expect((await say(accepted.key, "approve", KEYS.ana, words(accepted.proposal.digest))).status).toBe(200);
    await stage.far.settled(accepted.key);
    const late = await say(accepted.key, "reject", KEYS.ben, words(accepted.proposal.digest));
    expect(late).toMatchObject({ status: 409, body: { refusedBecause: "executed" } });
    expect((await say(refused.key, "reject", KEYS.ana, words(refused.proposal.digest))).status).toBe(200);
    await stage.far.settled(refused.key);
    const tooLate = await say(refused.key, "approve", KEYS.ben, words(refused.proposal.digest));
    expect(tooLate).toMatchObject({ status: 409, body: { refusedBecause: "already-decided" } });
    expect([(await look(accepted.key)).body["state"], (await look(refused.key)).body["state"]]).toEqual([
      "delivered",
      "rejected",
    ]);
    expect([sentFor(accepted.key).length, sentFor(refused.key).length]).toEqual([1, 0]);
  });
});

// OWASP/AISVS#216, thepartly/pgroles#183: one thing was approved, another one was done.
describe("an approval of something that changed since", () => {
  test("at version 3, when there is a version 4: 409, nothing is sent, and the new one needs its own", async () => {
    const { key } = await proposed(stage, "refund");
    const amend = async (amount: number) =>
      await say(key, "amend", KEYS.operator, { actor: "lea@example.com", reason: "a typo", data: { amount } });
    for (const [revision, amount] of [
      [2, 10],
      [3, 20],
    ] as const) {
      expect((await amend(amount)).status).toBe(200);
      await inState(stage, key, { state: "awaiting-approval", revision });
    }
    const seen = proposalOf(await stage.far.get(key)).digest;
    expect((await amend(30)).status).toBe(200);
    await inState(stage, key, { state: "awaiting-approval", revision: 4 });
    expect(await say(key, "approve", KEYS.ana, { digest: seen })).toMatchObject({
      status: 409,
      body: { refusedBecause: "stale-revision" },
    });
    expect(sentFor(key)).toEqual([]);
    const { digest } = proposalOf(await stage.far.get(key));
    expect((await say(key, "approve", KEYS.ana, { digest })).status).toBe(200);
    await stage.far.settled(key);
    expect(sentFor(key).map(({ body }) => body.toString())).toEqual(['{"amount":30}']);
  });

  test("between the first and the second approval: the first no longer counts", async () => {
    const { key, proposal } = await proposed(stage, "payout");
    expect((await say(key, "approve", KEYS.ana, { digest: proposal.digest })).status).toBe(200);
    const amendment = { actor: "lea@example.com", reason: "another place", endpoint: "first-400" };
    expect((await say(key, "amend", KEYS.operator, amendment)).status).toBe(200);
    const changed = await inState(stage, key, { state: "awaiting-approval", revision: 2 });
    const stale = await say(key, "approve", KEYS.ben, { digest: proposal.digest });
    expect(stale).toMatchObject({ status: 409, body: { refusedBecause: "stale-revision" } });
    const { digest, approvals, action } = proposalOf(changed);
    expect([approvals, action.endpoint, action.url.endsWith("/first-400")]).toEqual([[], "first-400", true]);
    // One of two is one of two again.
    expect((await say(key, "approve", KEYS.ben, { digest })).status).toBe(200);
    expect((await look(key)).body["state"]).toBe("awaiting-approval");
    expect(sentFor(key)).toEqual([]);
    await say(key, "discard", KEYS.operator, { actor: "lea@example.com", reason: "end of test" });
  });

  test("behind the first KiB of a body: it is shown whole, and has another digest", async () => {
    const long = (end: string) => ({ text: "x".repeat(2000), end });
    const [one, other] = [
      await proposed(stage, "refund", { data: long("one") }),
      await proposed(stage, "refund", { data: long("other") }),
    ];
    const shown = (await look(one.key)).body as { deliveries: [{ proposal: { action: { body: string } } }] };
    expect(shown.deliveries[0].proposal.action.body).toBe(JSON.stringify(long("one")));
    const answer = await say(one.key, "approve", KEYS.ana, { digest: other.proposal.digest });
    expect(answer).toMatchObject({ status: 409, body: { refusedBecause: "wrong-digest" } });
    expect(sentFor(one.key)).toEqual([]);
    for (const { key } of [one, other])
      await say(key, "discard", KEYS.operator, { actor: "lea@example.com", reason: "end of test" });
  });
});

// gravitational/teleport#60049, cloudbees-core-cd-workshop/workshop-exercises#3.
describe("who may decide", () => {
  test("is asked of every word: requester, bystander, viewer, expired key, nobody at all; nothing is sent", async () => {
    const { key, proposal } = await proposed(stage, "refund", { requestedBy: ANA });
    const { digest } = proposal;
    const body = { digest, note: "n", reason: "r" };
    expect(await say(key, "approve", KEYS.ana, body)).toMatchObject({
      status: 409,
      body: { refusedBecause: "own-request" },
    });
    for (const word of ["approve", "reject"])
      expect(await say(key, word, KEYS.eve, body)).toMatchObject({
        status: 409,
        body: { refusedBecause: "not-eligible" },
      });
    for (const who of [KEYS.viewer, KEYS.producer])
      for (const word of ["approve", "reject", "withdraw", "replay", "discard", "mark-delivered", "amend"])
        expect(await say(key, word, who, body)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    for (const word of ["replay", "discard", "mark-delivered", "amend"])
      expect((await say(key, word, KEYS.eve, body)).status).toBe(403);
    for (const word of ["approve", "reject", "withdraw"])
      expect((await say(key, word, KEYS.operator, body)).status).toBe(403);
    expect((await say(key, "approve", KEYS.gone, body)).status).toBe(401);
    const { deliveries, state } = await stage.far.get(key);
    expect([state, sentFor(key)]).toEqual(["awaiting-approval", []]);
    // On record with their reasons: whose key was good and whose right was not.
    expect(
      deliveries[0]?.decisions.map(({ actor, refusedBecause }) => `${actor} ${refusedBecause}`).toSorted(),
    ).toEqual([`${ANA} own-request`, `${EVE} not-eligible`, `${EVE} not-eligible`].toSorted());
    await say(key, "discard", KEYS.operator, { actor: "lea@example.com", reason: "end of test" });
  });

  test("is one person under two keys", async () => {
    const { key, proposal } = await proposed(stage, "payout");
    const { digest } = proposal;
    expect((await say(key, "approve", KEYS.ana, { digest, actor: BEN })).status).toBe(200);
    expect(await say(key, "approve", KEYS.anaAgain, { digest, actor: BEN })).toMatchObject({
      status: 409,
      body: { refusedBecause: "second-vote" },
    });
    expect((await look(key)).body["state"]).toBe("awaiting-approval");
    expect(sentFor(key)).toEqual([]);
    await say(key, "discard", KEYS.operator, { actor: "lea@example.com", reason: "end of test" });
  });

  test("is judged when the decision is made: who was removed after looking may not", async () => {
    const { key, proposal } = await proposed(stage, "refund");
    await stage.stopWorker();
    const { [ANA]: _ana, ...others } = PEOPLE;
    const changed = parseConfig({ ...stageConfig(), people: { ...others, [ANA]: {} } }, { path: null });
    await stage.startWorker({ config: changed });
    expect(await say(key, "approve", KEYS.ana, { digest: proposal.digest })).toMatchObject({
      status: 409,
      body: { refusedBecause: "not-eligible" },
    });
    expect(sentFor(key)).toEqual([]);
    await stage.stopWorker();
    await stage.startWorker();
    await say(key, "discard", KEYS.operator, { actor: "lea@example.com", reason: "end of test" });
  });
});

/** As `openStage` makes it, to be changed. */
function stageConfig(): RawConfig {
  const endpoint = (name: string) => ({
    url: `${stage.destination.url}/${name}`,
    allowPrivate: ["127.0.0.0/8"],
    retry: { schedule: ["1s", "1s"], jitter: 0 },
  });
  const approval = { approvers: ["group:finance"], fourEyes: true };
  return {
    ...raw,
    temporal: { taskQueue: stage.config.temporal.taskQueue },
    endpoints: { payments: endpoint("payments"), "first-400": endpoint("first-400") },
    routes: [{ match: { type: "refund" }, to: ["payments"], approval }],
  };
}

// temporalio/ui#2129, #1084, #1987 and #668, temporalio/sdk-java#2874: the run was there, its page was 404.
describe("an id with odd characters", () => {
  const post = async (id: string) =>
    await server.post("/v1/events", JSON.stringify({ source: ODD, id, type: "odd" }), headersOf(KEYS.producer));

  test.each(["foo/bar", "a b", "a+b", "a%20b", "a%2Fb", "x'y\"z", "p:q", "p:q:r", "../x", "#?&", "%"])(
    "%j is one workflow: found at its location, approved, replayed, and delivered under it",
    async (id) => {
      const key = `${ODD}/${id}`;
      const taken = await post(id);
      expect(taken).toMatchObject({ status: 202, body: { key, workflowId: key, duplicate: false } });
      expect(taken.headers.get("location")).toBe(pathOf(key));
      const { digest } = proposalOf(await inState(stage, key, { state: "awaiting-approval" }));
      expect((await look(key)).body).toMatchObject({ key, id });
      expect((await say(key, "approve", KEYS.ana, { digest })).status).toBe(200);
      await inState(stage, key, { state: "needs-attention" });
      expect((await say(key, "replay", KEYS.operator, { actor: BEN, reason: "mended" })).status).toBe(200);
      await stage.far.settled(key);
      expect((await look(key)).body).toMatchObject({
        key,
        state: "delivered",
        deliveries: [{ attemptCount: 2, decisions: [{ actor: ANA }], resolutions: [{ action: "replay" }] }],
      });
      expect(sentFor(key)).toHaveLength(2);
      expect((await post(id)).body).toMatchObject({ key, duplicate: true });
    },
  );

  test.each([
    ["200 slashes", "/".repeat(200)],
    ["a tab inside", "a\tb"],
  ])("is 400 when it is %s", async (_what, id) => {
    expect(await post(id)).toMatchObject({ status: 400, body: { code: "bad_id" } });
  });

  test("is 400 when it is é as one byte of Latin-1, in the body and in a header", async () => {
    const latin = async (headers: string, body: string) => {
      const connection = await rawConnection(server.url);
      const all = `authorization: ${KEYS.producer.bearer}\r\ncontent-type: application/json\r\n${headers}`;
      const head = `POST /v1/events HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${all}`;
      connection.send(Buffer.from(`${head}\r\n${body}`, "latin1"));
      return await connection.closed;
    };
    const attributes = `ce-specversion: 1.0\r\nce-source: ${ODD}\r\nce-type: odd\r\n`;
    expect(await latin("", `{"source":"${ODD}","id":"\u00e9","type":"odd"}`)).toMatch(
      /^HTTP\/1\.1 400 .*invalid_json/su,
    );
    expect(await latin(`${attributes}ce-id: \u00e9\r\n`, "1")).toMatch(/^HTTP\/1\.1 400 .*bad_id/su);
    expect(await latin(`${attributes}idempotency-key: \u00e9\r\n`, "1")).toMatch(/^HTTP\/1\.1 400 .*bad_id/su);
  });

  test("cannot be reached by a second path", async () => {
    const id = uniqueName("second");
    await post(`foo/${id}`);
    const headers = headersOf(KEYS.viewer);
    for (const path of [
      `/v1/events/${ODD}/foo/${id}`,
      `/v1/events/${ODD}%2Ffoo/${id}`,
      `/v1/events//${ODD}/foo%2F${id}`,
    ])
      expect((await read(fetch(`${server.url}${path}`, { headers }))).status).toBe(404);
    expect((await look(`${ODD}/foo/${id}`)).status).toBe(200);
  });
});

describe("a path to what is no event", () => {
  test.each([
    ["a record of a conflict", "conflict:shop", "evt_1:0123456789abcdef"],
    ["an id beyond all limits", "shop", "a".repeat(2000)],
    ["NUL", "shop", "\0"],
    ["control characters", "shop", "a\nb\u0007"],
    ["an emoji", "shop", "🙄"],
    ["quotes and backslashes", "shop", "\"' OR 1=1 \\"],
  ])("is 404, and Temporal is not asked for what can be none: %s", async (_what, source, id) => {
    for (const [method, word, who] of [
      ["GET", "", KEYS.viewer],
      ["POST", "/replay", KEYS.operator],
      ["POST", "/approve", KEYS.ana],
    ] as const) {
      const url = `${server.url}/v1/events/${encodeURIComponent(source)}/${encodeURIComponent(id)}${word}`;
      const body = JSON.stringify({ reason: "r", actor: "a", digest: "d" });
      const answer = await read(
        fetch(url, { method, headers: headersOf(who), ...(method === "POST" ? { body } : {}) }),
      );
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
  });

  test.each(["none", "__proto__", "constructor", "toString", "a/b", "\0", "a".repeat(2000)])(
    "an endpoint that is none is 404, to look at, to test, to pause and to resume: %j",
    async (name) => {
      const url = `${server.url}/v1/endpoints/${encodeURIComponent(name)}`;
      const looked = await read(fetch(url, { headers: headersOf(KEYS.viewer) }));
      expect(looked).toMatchObject({ status: 404, body: { code: "unknown_endpoint" } });
      const tested = await read(fetch(`${url}/test`, { method: "POST", headers: headersOf(KEYS.operator) }));
      expect(tested).toMatchObject({ status: 404, body: { code: "unknown_endpoint" } });
      for (const word of ["pause", "resume"]) {
        const init = { method: "POST", headers: headersOf(KEYS.operator), body: '{"reason":"r","actor":"lea"}' };
        const said = await read(fetch(`${url}/${word}`, init));
        expect(said).toMatchObject({ status: 404, body: { code: "unknown_endpoint" } });
      }
    },
  );
});
