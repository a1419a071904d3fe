/** The server before a Temporal that cannot keep up: answers in bounded time, and nothing is started twice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ServerLimits } from "../../src/server/limits.ts";
import { type RunningServer, startServer } from "../../src/server/start-server.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { aConfig } from "../support/a-config.ts";
import { aKey, read } from "../support/an-app.ts";
import { type SlowLink, startSlowLink } from "../support/slow-link.ts";
import { connectTestClient, temporalAddress, uniqueName } from "../support/temporal.ts";
import { startTemporalProxy, type TemporalProxy } from "../support/temporal-proxy.ts";
import { until } from "../support/until.ts";

const CANCELLED = 1;
const RESOURCE_EXHAUSTED = 8;
const ACCEPT_TIME_MS = 1000;
/** Left to itself a call takes more than 10 s. */
const IN_TIME_MS = 6000;
const KEY = aKey({ role: "ingest", sources: ["shop"] });
const VIEWER = aKey({ role: "viewer" });
const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: { keys: [KEY.entry, VIEWER.entry] },
});

let link: SlowLink;
let proxy: TemporalProxy;
let server: RunningServer;

beforeEach(async () => {
  link = await startSlowLink(temporalAddress(), 0);
  proxy = await startTemporalProxy(link.address);
  server = await start({ acceptTimeMs: ACCEPT_TIME_MS });
});

async function start(limits: Partial<ServerLimits>): Promise<RunningServer> {
  const settings = { config, environment: {}, log: createLogger("silent"), host: "127.0.0.1", port: 0 };
  return await startServer({ ...settings, address: proxy.address, limits: { lameDuckMs: 0, ...limits } });
}

afterEach(async () => {
  await server.stop();
  await proxy.close();
  await link.close();
});

async function send(id: string) {
  const headers = { authorization: KEY.bearer, "content-type": "application/json" };
  const body = JSON.stringify({ source: "shop", id, type: "crm", data: { total: 42 } });
  const startedMs = performance.now();
  const answer = await read(fetch(`${server.url}/v1/events`, { method: "POST", headers, body }));
  return { ...answer, tookMs: performance.now() - startedMs };
}

function starts(): number {
  return proxy.calls.filter((call) => call === "StartWorkflowExecution").length;
}

test("an event is one call from the first one on: what has to be known is asked before the server listens", async () => {
  const before = proxy.calls.length;
  expect(await send(uniqueName("first"))).toMatchObject({ status: 202 });
  expect(proxy.calls.slice(before)).toEqual(["StartWorkflowExecution"]);
});

test("RESOURCE_EXHAUSTED is 503 with Retry-After long before the SDK would give up, and over when Temporal says so", async () => {
  await server.stop();
  server = await start({});
  proxy.answer("StartWorkflowExecution", RESOURCE_EXHAUSTED);
  const id = uniqueName("exhausted");
  const refused = await send(id);
  const detail = expect.stringContaining("RESOURCE_EXHAUSTED");
  expect(refused).toMatchObject({ status: 503, body: { code: "temporal_unreachable", detail } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.tookMs).toBeLessThan(IN_TIME_MS);
  expect(starts()).toBe(2);
  proxy.answer("StartWorkflowExecution", null);
  expect(await send(id)).toMatchObject({ status: 202, body: { duplicate: false } });
});

test("a call that Temporal or the network cancels is 503 with Retry-After", async () => {
  proxy.answer("StartWorkflowExecution", CANCELLED);
  const refused = await send(uniqueName("canceled"));
  expect(refused).toMatchObject({ status: 503, body: { code: "temporal_unreachable" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a list waits for its turn where Temporal allows only so many of them a second", async () => {
  proxy.answer("ListWorkflowExecutions", RESOURCE_EXHAUSTED, 2);
  const answer = await read(fetch(`${server.url}/v1/events`, { headers: { authorization: VIEWER.bearer } }));
  expect(answer).toMatchObject({ status: 200, body: { items: expect.any(Array) } });
  expect(proxy.calls.filter((call) => call === "ListWorkflowExecutions")).toHaveLength(3);
});

test("an event that was started although its answer came too late is found when it is sent again", async () => {
  const id = uniqueName("late");
  link.hold();
  const refused = await send(id);
  expect(refused).toMatchObject({ status: 503, body: { code: "temporal_unreachable" } });
  expect(refused.tookMs).toBeLessThan(IN_TIME_MS);
  const { client, close } = await connectTestClient();
  const run = await until(
    "it was started",
    async () =>
      await client.workflow
        .getHandle(`shop/${id}`)
        .describe()
        .catch(() => null),
  );
  await close();
  link.release();
  expect(await send(id)).toMatchObject({ status: 200, body: { duplicate: true, runId: run.runId } });
});
