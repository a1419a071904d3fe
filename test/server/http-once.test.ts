/** One event, one workflow: whichever of several servers it comes to, however often, and whatever was down meanwhile. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/delivery/durations.ts";
import { aKey } from "../support/an-app.ts";
import { startBreakableLink } from "../support/breakable-link.ts";
import { SECRET, signAnew } from "../support/provider-cases.ts";
import { rawConnection } from "../support/raw-http.ts";
import { type InstanceOptions, type ServerInstance, startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const OTHER_SECRET = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const KEY = aKey({ role: "ingest", sources: ["shop"] });
const KEY_HEADERS = { authorization: KEY.bearer, "content-type": "application/json" };

let stage: Stage;

beforeAll(async () => {
  const verify = (secrets: readonly string[]) => ({ verify: { scheme: "standard-webhooks", secrets } }) as const;
  stage = await openStage({
    endpoints: { crm: {}, slow: { timeouts: { total: "5s" } } },
    routes: [
      { match: { type: "untyped" }, to: ["crm"] },
      { match: { type: "slow.*" }, to: ["slow"] },
    ],
    rest: {
      sources: { shop: {}, partner: verify([SECRET, OTHER_SECRET]), other: verify([SECRET]) },
      keys: [KEY.entry],
    },
  });
});

afterAll(async () => await stage.close());

async function instance(options: Partial<InstanceOptions> = {}): Promise<ServerInstance> {
  const server = await startInstance({ config: stage.config, address: stage.address, ...options });
  onTestFinished(async () => await server.stop());
  return server;
}

/** A body under an id, signed at a time; absent = now. */
async function tell(
  server: ServerInstance,
  id: string,
  { body = '{"a":1}', atMs = Date.now(), source = "partner" } = {},
) {
  const headers = signAnew(body, { id, seconds: Math.floor(atMs / SECOND_MS) });
  return await server.post(`/v1/hooks/${source}`, body, headers);
}

/** A server whose clock stands so far in the future. */
async function laterBy(ms: number): Promise<ServerInstance> {
  const atMs = Date.now() + ms;
  return await instance({ changes: { now: () => atMs } });
}

/** The runs that a key has had, by the server's own list; the caller knows of at least one. */
async function runsOf(key: string): Promise<readonly string[]> {
  return await until(`the list knows ${key}`, async () => {
    const runs: string[] = [];
    const query = `WorkflowId = "${key}" AND WorkflowType = "event"`;
    for await (const { runId } of stage.temporal.workflow.list({ query })) runs.push(runId);
    return runs.length > 0 && runs;
  });
}

const requestsFor = (id: string) => stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id);

describe("an event of a provider", () => {
  test("told two hundred times at once to three servers is one workflow, and every answer is 2xx", async () => {
    const id = uniqueName("evt");
    const servers = await Promise.all([instance(), instance(), instance()]);
    const told = Array.from({ length: 200 }, async (_, nth) => {
      const server = servers[nth % servers.length];
      if (server === undefined) throw new Error("There are three servers");
      return await tell(server, id);
    });
    const answers = await Promise.all(told);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 202));
    expect(answers.filter(({ body }) => body["duplicate"] === false)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body["runId"])).size).toBe(1);
    expect(await runsOf(`partner/${id}`)).toHaveLength(1);
    await stage.far.settled(`partner/${id}`);
    expect(requestsFor(id)).toHaveLength(1);
  });

  // bytedance/deer-flow#4104, fivexl/terraform-aws-sso-elevator#212: memory of one process, for ten minutes.
  test("told to one server, after its restart to it and to another one, 11 minutes and 73 hours later is one workflow", async () => {
    const id = uniqueName("evt");
    const first = await startInstance({ config: stage.config, address: stage.address });
    expect((await tell(first, id)).body).toMatchObject({ duplicate: false });
    await first.stop();
    const [restarted, replica] = [await instance(), await instance()];
    for (const server of [restarted, replica])
      expect(await tell(server, id)).toMatchObject({ status: 202, body: { duplicate: true } });
    for (const afterMs of [11 * MINUTE_MS, 73 * HOUR_MS]) {
      const server = await laterBy(afterMs);
      const answer = await tell(server, id, { atMs: Date.now() + afterMs });
      expect(answer).toMatchObject({ status: 202, body: { duplicate: true } });
      expect(answer.headers.get("idempotent-replayed")).toBe("true");
    }
    expect(await runsOf(`partner/${id}`)).toHaveLength(1);
    await stage.far.settled(`partner/${id}`);
    expect(requestsFor(id)).toHaveLength(1);
  });

  // github/docs#32822, woocommerce/woocommerce-gateway-stripe#3326.
  test("under one id from two sources is two workflows, under two secrets of one source it is one", async () => {
    const id = uniqueName("evt");
    const server = await instance();
    const seconds = Math.floor(Date.now() / SECOND_MS);
    const send = async (source: string, secret: string) =>
      await server.post(`/v1/hooks/${source}`, '{"a":1}', signAnew('{"a":1}', { id, seconds, secret }));
    expect((await send("partner", SECRET)).body).toMatchObject({ key: `partner/${id}`, duplicate: false });
    expect((await send("other", SECRET)).body).toMatchObject({ key: `other/${id}`, duplicate: false });
    expect((await send("partner", OTHER_SECRET)).body).toMatchObject({ key: `partner/${id}`, duplicate: true });
    for (const source of ["partner", "other"]) expect(await runsOf(`${source}/${id}`)).toHaveLength(1);
  });

  // paypal/mirakl-hyperwallet-connector#35: the order of arrival was taken for the order of events.
  test("that is older than one that came before is a workflow of its own, its time delivered as it is", async () => {
    const server = await instance();
    const times = ["2026-01-01T17:27:00Z", "2026-01-01T17:25:00Z"];
    const ids = times.map(() => uniqueName("late"));
    for (const [nth, id] of ids.entries())
      expect((await tell(server, id, { body: `{"timestamp":"${times[nth] ?? ""}"}` })).status).toBe(202);
    for (const [nth, id] of ids.entries()) {
      await stage.far.settled(`partner/${id}`);
      expect(await runsOf(`partner/${id}`)).toHaveLength(1);
      expect(requestsFor(id).map(({ body }) => body.toString())).toEqual([`{"timestamp":"${times[nth] ?? ""}"}`]);
    }
  });
});

// slackapi/python-slack-sdk#790, Shopify/shopify_app#1173, zenml-io/zenml#5215: the answer waited for the job.
test("an event whose delivery takes for ever is answered at once, and again to a sender that left and came back", async () => {
  const id = uniqueName("slow");
  stage.destination.script("/slow", [{ how: "hang" }]);
  const server = await instance();
  const body = '{"type":"slow.job"}';
  const startedMs = performance.now();
  expect(await tell(server, id, { body })).toMatchObject({ status: 202, body: { duplicate: false } });
  expect(performance.now() - startedMs).toBeLessThan(5000);
  await until("its delivery has begun", () => requestsFor(id).length === 1);
  // A sender that leaves before it has read the answer.
  const leaving = await rawConnection(server.url);
  const headers = {
    host: "a",
    "content-length": String(body.length),
    ...signAnew(body, { id, seconds: Math.floor(Date.now() / 1000) }),
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  leaving.send(`POST /v1/hooks/partner HTTP/1.1\r\n${head.join("")}\r\n${body}`);
  leaving.socket.destroySoon();
  for (const afterMs of [3 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS]) {
    const again = await tell(await laterBy(afterMs), id, { body, atMs: Date.now() + afterMs });
    expect(again).toMatchObject({ status: 202, body: { duplicate: true, state: "in-progress" } });
  }
  expect(await runsOf(`partner/${id}`)).toHaveLength(1);
  await stage.temporal.workflow.getHandle(`partner/${id}`).terminate("end of test");
});

// postel-sh/postel#129, langfuse/langfuse#16032: seen before it was safe, and never run.
describe("an event that comes while Temporal", () => {
  test("is away is 503, and one workflow once it is back and the event is sent again", async () => {
    const link = await startBreakableLink(stage.address);
    onTestFinished(async () => await link.close());
    const server = await instance({ address: link.address, limits: { acceptTimeMs: 1500 } });
    const id = uniqueName("evt");
    link.cut();
    const refused = await tell(server, id);
    expect(refused).toMatchObject({ status: 503, body: { code: "temporal_unreachable" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await expect(stage.far.get(`partner/${id}`)).rejects.toMatchObject({ code: "not_found" });
    link.mend();
    await until("it is taken", async () => (await tell(server, id)).status === 202);
    expect(await runsOf(`partner/${id}`)).toHaveLength(1);
  });

  test("takes it but cannot say so is 503, and a duplicate of its one workflow when it is sent again", async () => {
    const link = await startBreakableLink(stage.address);
    onTestFinished(async () => await link.close());
    const server = await instance({ address: link.address, limits: { acceptTimeMs: 1500 } });
    const id = uniqueName("evt");
    link.silence();
    expect((await tell(server, id)).status).toBe(503);
    await stage.far.settled(`partner/${id}`);
    link.mend();
    const again = await until("it is told", async () => {
      const answer = await tell(server, id);
      return answer.status === 202 && answer;
    });
    expect(again.body).toMatchObject({ duplicate: true });
    expect(await runsOf(`partner/${id}`)).toHaveLength(1);
    expect(requestsFor(id)).toHaveLength(1);
  });
});

describe("a key that is used again", () => {
  const post = async (server: ServerInstance, id: string, data: unknown) =>
    await server.post("/v1/events", JSON.stringify({ source: "shop", type: "crm", data }), {
      ...KEY_HEADERS,
      "idempotency-key": id,
    });

  test("with another body is 409 with both fingerprints and nothing of either; with the same one the same workflow, late too", async () => {
    const id = uniqueName("key");
    const server = await instance();
    const first = await post(server, id, { card: "4242-first" });
    expect(first).toMatchObject({ status: 202, body: { duplicate: false } });
    const other = await post(server, id, { card: "4242-second" });
    const { accepted, refused } = other.body;
    expect(other).toMatchObject({ status: 409, body: { code: "conflict", key: `shop/${id}` } });
    for (const fingerprint of [accepted, refused]) expect(fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(accepted).toBe((await stage.far.get(`shop/${id}`)).fingerprint);
    expect(accepted).not.toBe(refused);
    expect(JSON.stringify(other.body) + JSON.stringify([...other.headers])).not.toContain("4242");
    await stage.far.settled(`shop/${id}`);
    for (const late of [await instance(), await laterBy(6 * DAY_MS)])
      expect(await post(late, id, { card: "4242-first" })).toMatchObject({
        status: 200,
        body: { duplicate: true, runId: first.body["runId"] },
      });
    expect(await runsOf(`shop/${id}`)).toHaveLength(1);
    expect(requestsFor(id)).toHaveLength(1);
  });

  // temporalio/temporal#487: uniqueness lasts as long as the closed run is kept.
  test("is a duplicate as long as Temporal keeps its workflow; once that is deleted it is a new event", async () => {
    const id = uniqueName("key");
    const key = `partner/${id}`;
    const server = await instance();
    const { body: first } = await tell(server, id);
    await stage.far.settled(key);
    expect(await tell(server, id)).toMatchObject({ status: 202, body: { duplicate: true, runId: first["runId"] } });
    const { namespace } = stage.temporal.options;
    await stage.temporal.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: key, runId: String(first["runId"]) },
    });
    await until("it is gone", async () =>
      stage.far.get(key).then(
        () => false,
        (error: unknown) => error instanceof Error && "code" in error && error.code === "not_found",
      ),
    );
    const again = await tell(server, id);
    expect(again).toMatchObject({ status: 202, body: { duplicate: false } });
    expect(again.body["runId"]).not.toBe(first["runId"]);
    await stage.far.settled(key);
    expect(requestsFor(id)).toHaveLength(2);
  });
});

test("what is promised of redeliveries stands in the documentation", async () => {
  const { readFile } = await import("node:fs/promises");
  const page = await readFile("docs/ingest.md", "utf8");
  expect(page).toMatch(/at least `dedupeWindow`.*After that a redelivery is a new event\./su);
  expect(page).toMatch(/Not promised\n\n- Order\./u);
});
