/** Where other senders go wrong about an endpoint as a whole: what trips it, what holds it, and what must do neither. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { aConfig } from "../support/a-config.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import {
  allHeld,
  allSettled,
  ownEndpoint,
  requestsOf,
  requestsTo,
  standing,
  submitMany,
  submitTo,
} from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "r" };
const OLD_SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const NEW_SECRET = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const HOUR_S = 3600;

let stage: Stage;
const last = ownEndpoint("last");
const missing = ownEndpoint("missing");
const moved = ownEndpoint("moved");
const hostile = ownEndpoint("hostile");
const hour = ownEndpoint("hour");
const off = ownEndpoint("off");
const again = ownEndpoint("again");

/** Two failures in a row trip it. */
const TOUCHY = { circuit: { failures: 2, open: "30s" } } as const;
const ENDPOINTS: Readonly<Record<string, RawEndpoint>> = {
  [last]: { circuit: { failures: 3, open: "30s" } },
  [missing]: TOUCHY,
  [moved]: TOUCHY,
  [hostile]: { ...TOUCHY, retryAfterScope: "endpoint" },
  [hour]: { ...TOUCHY, retryAfterScope: "endpoint" },
  [off]: { circuit: { failures: 3, open: "10m" } },
  [again]: { ...TOUCHY, signing: { scheme: "standard-webhooks", secrets: [OLD_SECRET] } },
};

/** Answers as the event's own body asks, once; then 200. */
function asWished({ body, nth }: DestinationRequest): ScriptedAnswer {
  // Written by `wished` below.
  return nth === 1 ? ((JSON.parse(body.toString("utf8")) as { readonly wish?: ScriptedAnswer }).wish ?? {}) : {};
}

beforeAll(async () => {
  stage = await openStage({
    endpoints: ENDPOINTS,
    scripts: { [moved]: asWished, [hostile]: asWished },
  });
});

afterAll(async () => await stage.close());

async function wished(endpoint: string, wish: ScriptedAnswer): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName("evt"), type: endpoint, data: { wish } });
  return key;
}

/** An endpoint that is held, here or anywhere, gets nothing but by its lane. */
async function expectOpen(endpoint: string): Promise<void> {
  const key = await submitTo(stage, endpoint);
  await allSettled(stage, [key]);
  expect((await stage.far.get(key)).deliveries).toMatchObject([{ state: "delivered", attempts: [{ via: "local" }] }]);
  expect(await stage.far.endpoint(endpoint)).toMatchObject({ gate: { state: "open" }, ledger: [] });
}

describe("an endpoint stays open", () => {
  test("after a success on the very last attempt that is permitted", async () => {
    stage.destination.script(`/${last}`, [{ status: 503 }, { status: 503 }, {}]);
    const key = await submitTo(stage, last);
    await allSettled(stage, [key]);
    expect(await stage.far.get(key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 3 }] });
    stage.destination.script(`/${last}`, []);
    await expectOpen(last);
  });

  test("after one 404 after the other", async () => {
    stage.destination.script(`/${missing}`, [{ status: 404 }]);
    const keys = await submitMany(stage, missing, 6);
    await allSettled(stage, keys);
    const reports = await Promise.all(keys.map(async (key) => await stage.far.get(key)));
    expect(reports.map(({ deliveries }) => deliveries[0]?.attention?.reason)).toEqual(keys.map(() => "refused"));
    stage.destination.script(`/${missing}`, []);
    await expectOpen(missing);
  });

  test.each([301, 302, 303, 304, 307, 308, 399])(
    "after %i, which is no success, is not followed, and names where it points",
    async (status) => {
      const place = `${stage.destination.url}/elsewhere`;
      const key = await wished(moved, { status, headers: { location: place } });
      await allSettled(stage, [key]);
      const { deliveries } = await stage.far.get(key);
      expect(deliveries).toMatchObject([
        { state: "needs-attention", attention: { reason: "refused" }, attempts: [{ status, location: place }] },
      ]);
      expect(deliveries[0]?.attention?.advice).toContain(place);
      expect(requestsOf(stage, key)).toHaveLength(1);
      expect(requestsTo(stage, "elsewhere")).toEqual([]);
      await expectOpen(moved);
    },
  );

  test.each(["-5", "NaN", "1e9", "soon", "", "0", "Wed, 21 Oct 2015 07:28:00 GMT", "3600000", "9".repeat(30)])(
    "for all others after a Retry-After of %j",
    async (value) => {
      const key = await wished(hostile, { status: 429, headers: { "retry-after": value } });
      await until("it was answered", async () => (await stage.far.get(key)).deliveries[0]?.attemptCount === 1);
      await expectOpen(hostile);
      await allSettled(stage, [key]);
    },
  );
});

describe("an endpoint that answers 503 with a Retry-After of an hour", () => {
  test("shows until when it is left alone and why, holds all others, and nobody can cut that short", async () => {
    const asked = { atMs: 0 };
    stage.destination.script(`/${hour}`, () => {
      asked.atMs = Date.now();
      return { status: 503, headers: { "retry-after": String(HOUR_S) } };
    });
    const first = await submitTo(stage, hour);
    const { gate } = await standing(stage, hour, (detail) => detail.gate.state === "throttled");
    expect(gate).toMatchObject({ who: "workers", why: "the endpoint asked for it by Retry-After" });
    const leftMs = Date.parse(gate.until ?? "") - asked.atMs;
    expect(leftMs).toBeGreaterThanOrEqual(HOUR_S * 1000);
    expect(leftMs).toBeLessThan((HOUR_S + 10) * 1000);
    const other = await submitTo(stage, hour);
    await until("it is held", async () => (await stage.far.get(other)).state === "held");
    expect(await stage.far.get(first)).toMatchObject({ deliveries: [{ waitingFor: "retry-after" }] });
    const refused = { counted: false, refusedBecause: "throttled" };
    expect(await stage.far.resume(hour, WORD)).toMatchObject(refused);
    for (const key of [first, other]) expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    expect(requestsTo(stage, hour)).toHaveLength(1);
  });
});

describe("ten events that come while an endpoint is off by its failures", () => {
  // hookdeck/outpost#611: skipped, not stored, not to be replayed.
  test("are stored, held and not sent; each goes out once when it works again", async () => {
    let isDown = true;
    stage.destination.script(`/${off}`, () => (isDown ? { status: 503 } : {}));
    const failed = await submitMany(stage, off, 3);
    await standing(stage, off, ({ gate, lane }) => gate.state === "tripped" && lane.ratePerSecond === 0);
    const before = requestsTo(stage, off).length;
    const keys = await submitMany(stage, off, 10);
    await allHeld(stage, keys);
    expect(keys.flatMap((key) => requestsOf(stage, key))).toEqual([]);
    expect(requestsTo(stage, off).length - before).toBe(0);
    isDown = false;
    expect(await stage.far.resume(off, WORD)).toMatchObject({ counted: true });
    await allSettled(stage, [...failed, ...keys]);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 1));
    const reports = await Promise.all([...failed, ...keys].map(async (key) => await stage.far.get(key)));
    expect(reports.map(({ state }) => state)).toEqual(reports.map(() => "delivered"));
  });
});

describe("a manual replay that fails", () => {
  test("is tried again by the policy, under the same id and the present secret, and trips nothing", async () => {
    stage.destination.script(`/${again}`, [{ status: 400 }, { status: 503 }, { status: 503 }, {}]);
    const key = await submitTo(stage, again);
    await allSettled(stage, [key]);
    const signing = { scheme: "standard-webhooks", secrets: [NEW_SECRET] } as const;
    const endpoints = { ...ENDPOINTS, [again]: { ...ENDPOINTS[again], signing } };
    const { taskQueue } = stage.config.temporal;
    await stage.stopWorker();
    await stage.startWorker({ config: aConfig({ baseUrl: stage.destination.url, endpoints, taskQueue }) });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await stage.temporal.workflow.getHandle(key).result();
    const { deliveries } = await stage.far.get(key);
    expect(deliveries).toMatchObject([
      { state: "delivered", attempts: [{ status: 400 }, { status: 503 }, { status: 503 }, { status: 200 }] },
    ]);
    const requests = requestsOf(stage, key);
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([deliveries[0]?.idempotencyKey]),
    );
    const gapsMs = requests.slice(2).map(({ atMs }, index) => atMs - (requests[index + 1]?.atMs ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(1000);
    for (const [index, { headers, body }] of requests.entries()) {
      const [right, wrong] = index === 0 ? [OLD_SECRET, NEW_SECRET] : [NEW_SECRET, OLD_SECRET];
      expect(new Webhook(right).verify(body, { ...headers })).toEqual({ total: 42 });
      expect(() => new Webhook(wrong).verify(body, { ...headers })).toThrow("No matching signature");
    }
    stage.destination.script(`/${again}`, []);
    await expectOpen(again);
  });
});
