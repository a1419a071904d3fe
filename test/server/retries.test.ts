/** Retries with real waits of a few seconds. All of a group wait at once: the file takes as long as its longest wait. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DestinationRequest } from "../support/destination.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "the endpoint is mended" };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

interface Wish {
  readonly status: number;
  readonly headers?: Record<string, string | string[]>;
}

/** Answers as the event's own body asks, once; then 200. */
function asWished({ body, nth }: DestinationRequest): Wish {
  return nth === 1 ? (JSON.parse(body.toString("utf8")) as Wish) : { status: 200 };
}

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      wish: {},
      lenient: { classify: { 409: "delivered", 404: "retry", 418: "refused", 503: "refused" } },
      dates: {},
      signed: { signing: { scheme: "standard-webhooks", secrets: [SECRET] } },
      last: {},
      never: {},
      cut: {},
      careful: { idempotent: false },
      capped: { retry: { schedule: ["1s"], retryAfterMax: "2s" } },
      hours: {},
      restart: {},
      steady: {},
      hanging: { timeouts: { total: "6s" } },
    },
    routes: [{ match: { type: "pair" }, to: ["hanging", "last"] }],
    scripts: {
      wish: asWished,
      lenient: asWished,
      dates: ({ nth }) =>
        nth > 1 ? {} : { status: 503, headers: { "retry-after": new Date(Date.now() + 3000).toUTCString() } },
      signed: [{ status: 503 }, { status: 503 }, { status: 400 }, {}],
      last: [{ status: 503 }, { status: 503 }, {}],
      never: [{ status: 503 }],
      cut: [{ how: "cut" }, { how: "cut" }, {}],
      careful: [{ how: "cut" }, {}],
      capped: [{ status: 429, headers: { "retry-after": "3" } }, {}],
      hours: [{ status: 429, headers: { "retry-after": "3600" } }, {}],
      restart: [{ status: 503, headers: { "retry-after": "6" } }, {}],
      hanging: [{ delayMs: 5000 }],
    },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string, data: unknown = {}): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data });
  return key;
}

/** Settled, exact, and with what the endpoint saw of it. */
async function outcomeOf(key: string, endpoint: string | null = null) {
  await stage.far.settled(key, { timeout: "50s" });
  const state = await exactState(stage, key);
  const delivery = state.deliveries.find((one) => endpoint === null || one.endpoint === endpoint);
  if (delivery === undefined) throw new Error(`${key} has no such delivery`);
  const requests = stage.destination.requestsOf(delivery.idempotencyKey);
  const gapsMs = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
  return { delivery, requests, gapsMs, reason: delivery.attention?.reason ?? null };
}

async function wished(wish: Wish, type = "wish") {
  return await outcomeOf(await submitted(type, wish));
}

function retryAfter(...values: string[]): Wish {
  return { status: 503, headers: { "retry-after": values } };
}

describe.concurrent("Retry-After", () => {
  test("in seconds is waited for in full", async () => {
    const { delivery, gapsMs } = await wished(retryAfter("3"));
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ retryAfterMs: 3000, retryAfterRaw: "3" }, { status: 200 }],
    });
    expect(gapsMs[0]).toBeGreaterThanOrEqual(3000);
  });

  test("as a date is waited for in full", async () => {
    const { delivery, requests } = await outcomeOf(await submitted("dates"));
    const [first, second] = requests;
    expect(delivery.state).toBe("delivered");
    const askedMs = Date.parse(delivery.attempts[0]?.retryAfterRaw ?? "");
    expect(askedMs - (first?.atMs ?? 0)).toBeGreaterThan(1000);
    expect(second?.atMs).toBeGreaterThanOrEqual(askedMs);
  });

  test("of an hour shows in the state, with its moment and its origin", async () => {
    const key = await submitted("hours");
    const waiting = await until("it waits", async () => {
      const state = await stage.far.get(key);
      return state.state === "waiting-retry" && state;
    });
    const [delivery] = waiting.deliveries;
    const answeredMs = stage.destination.requestsOf(delivery?.idempotencyKey ?? "")[0]?.atMs ?? 0;
    expect(delivery).toMatchObject({ waitingFor: "retry-after", attempts: [{ retryAfterMs: 3_600_000 }] });
    expect(Date.parse(delivery?.nextAt ?? "")).toBeGreaterThanOrEqual(answeredMs + 3_600_000);
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    expect((await outcomeOf(key)).requests).toHaveLength(1);
  });

  test("beyond the limit parks instead of coming early, and is shown", async () => {
    const { delivery, reason, requests } = await outcomeOf(await submitted("capped"));
    expect([reason, requests.length]).toEqual(["retry-after-too-long", 1]);
    expect(delivery.attempts[0]).toMatchObject({ retryAfterMs: 3000, retryAfterRaw: "3" });
    expect(delivery.attention?.advice).toMatch(/3/);
  });

  test.each([
    ["-5"],
    ["soon"],
    ["NaN"],
    ["1e9"],
    [""],
    ["Wed, 32 Oct 2026 07:28:00 GMT"],
    ["0"],
    ["Wed, 21 Oct 2015 07:28:00 GMT"],
  ])("that says %j leaves the policy's own wait", async (value) => {
    const { delivery, gapsMs } = await wished(retryAfter(value));
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 2 });
    expect(gapsMs[0]).toBeGreaterThanOrEqual(1000);
  });

  test("in several fields means the latest", async () => {
    expect((await wished(retryAfter("1", "3"))).gapsMs[0]).toBeGreaterThanOrEqual(3000);
  });

  test.each(["3600000", "999999999999999999999"])("of %s seconds parks with the value shown", async (value) => {
    const { delivery, reason } = await wished(retryAfter(value));
    expect([reason, delivery.attempts[0]?.retryAfterRaw]).toEqual(["retry-after-too-long", value]);
    expect(delivery.attention?.advice).not.toMatch(/NaN|Infinity/);
  });
});

describe.concurrent("a status", () => {
  test.each([408, 409, 423, 425, 429, 500, 502, 503, 504])("%i is tried again with the same id", async (status) => {
    const { delivery, requests, gapsMs } = await wished({ status });
    expect(delivery).toMatchObject({
      state: "delivered",
      attemptCount: 2,
      attempts: [{ outcome: "retry", code: `http_${status}` }, {}],
    });
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([delivery.idempotencyKey]));
    expect(gapsMs[0]).toBeGreaterThanOrEqual(1000);
  });

  test.each([
    [400, "refused"],
    [401, "credentials-refused"],
    [403, "credentials-refused"],
    [404, "refused"],
    [410, "endpoint-gone"],
    [413, "refused"],
    [415, "refused"],
    [422, "refused"],
  ])("%i parks as %s", async (status, expected) => {
    const { reason, requests } = await wished({ status });
    expect([reason, requests.length]).toEqual([expected, 1]);
  });

  test.each([
    [409, "delivered", 1],
    [404, "delivered", 2],
    [418, "needs-attention", 1],
    [503, "needs-attention", 1],
  ])("%i means what the endpoint's classify says: %s after %i", async (status, state, count) => {
    const { delivery, requests } = await wished({ status }, "lenient");
    expect([delivery.state, requests.length]).toEqual([state, count]);
  });
});

describe.concurrent("attempts", () => {
  test("carry one id and a fresh, valid signature, also after a replay", async () => {
    const key = await submitted("signed", { total: 42 });
    expect((await outcomeOf(key)).reason).toBe("refused");
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await stage.temporal.workflow.getHandle(key).result();
    const { delivery, requests } = await outcomeOf(key);
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 4 });
    for (const { headers, body } of requests) {
      expect([headers["webhook-id"], headers["idempotency-key"]]).toEqual([
        delivery.idempotencyKey,
        delivery.idempotencyKey,
      ]);
      expect(new Webhook(SECRET).verify(body, { ...headers })).toEqual({ total: 42 });
    }
    const stamps = requests.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(stamps).toEqual([...new Set(stamps.slice(0, 3)), stamps[3]]);
    for (const [index, { atMs }] of requests.entries())
      expect(Math.abs((stamps[index] ?? 0) * 1000 - atMs)).toBeLessThan(60_000);
  });

  test("end with a delivery on the very last one", async () => {
    const { delivery } = await outcomeOf(await submitted("last"));
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 3, attention: null });
  });

  test("park the event once they are used up, with a fresh budget for a replay", async () => {
    const key = await submitted("never");
    expect(await outcomeOf(key)).toMatchObject({ reason: "attempts-exhausted", delivery: { attemptCount: 3 } });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await until(
      "the second budget is used up",
      async () => (await stage.far.get(key)).deliveries[0]?.attemptCount === 6,
    );
    const { reason, requests, delivery } = await outcomeOf(key);
    expect([reason, requests.length]).toEqual(["attempts-exhausted", 6]);
    expect(delivery.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("whose answer was lost are repeated with the same key", async () => {
    const { delivery, requests } = await outcomeOf(await submitted("cut"));
    expect(delivery.attempts).toMatchObject([
      { outcome: "uncertain", certainty: "unknown" },
      { outcome: "uncertain", certainty: "unknown" },
      { outcome: "delivered", certainty: "answered" },
    ]);
    expect(requests).toHaveLength(3);
  });

  test("whose answer was lost are not repeated where the endpoint is not idempotent", async () => {
    const { reason, requests } = await outcomeOf(await submitted("careful"));
    expect([reason, requests.length]).toEqual(["outcome-uncertain", 1]);
  });

  test("of one endpoint do not wait for those of another that hangs", async () => {
    const key = await submitted("pair");
    await until("the second endpoint has it", async () => {
      const { deliveries } = await stage.far.get(key);
      return deliveries.every(({ endpoint, state }) => state === (endpoint === "hanging" ? "delivering" : "delivered"));
    });
    expect((await outcomeOf(key, "hanging")).delivery).toMatchObject({ state: "delivered", attemptCount: 1 });
    expect((await outcomeOf(key, "last")).delivery).toMatchObject({ state: "delivered", attemptCount: 3 });
  });
});

describe.concurrent("a synthetic event", () => {
  test("is tried once, says so to the endpoint, and is neither repeated nor parked", async () => {
    const { key } = await stage.far.submit({ source: "shop", id: uniqueName("drill"), type: "never", synthetic: true });
    const { delivery, requests } = await outcomeOf(key);
    expect([delivery.state, delivery.attemptCount]).toEqual(["discarded", 1]);
    expect(requests.map(({ headers }) => headers["countersign-synthetic"])).toEqual(["1"]);
  });

  test("is what test sends, to one endpoint whatever the routes say", async () => {
    const { key } = await stage.far.test("steady");
    const { delivery, requests } = await outcomeOf(key);
    expect(delivery).toMatchObject({ endpoint: "steady", state: "delivered" });
    expect(requests.map(({ headers }) => headers["countersign-synthetic"])).toEqual(["1"]);
    await expect(stage.far.test("no-such-endpoint")).rejects.toMatchObject({ code: "unknown_endpoint" });
  });
});

describe("a restart", () => {
  test("of the worker does not shorten a Retry-After", async () => {
    const key = await submitted("restart");
    await until("it waits", async () => (await stage.far.get(key)).state === "waiting-retry");
    await stage.stopWorker();
    expect((await stage.far.get(key)).state).toBe("waiting-retry");
    await stage.startWorker();
    const { delivery, gapsMs, requests } = await outcomeOf(key);
    expect([delivery.state, requests.length]).toEqual(["delivered", 2]);
    expect(gapsMs[0]).toBeGreaterThanOrEqual(6000);
  });
});
