/** Steering one delivery: hurry, hold and release, by update and by signal. All of a group wait at once. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventReport } from "../../src/client/get-event.ts";
import type { Countersign } from "../../src/client/countersign.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import { aConfig } from "../support/a-config.ts";
import { configVersionOf } from "../../src/config/digests.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { proposed, requestsOf } from "../support/waiting-events.ts";

const ANA = "ana@example.com";
const WORD = { actor: ANA, reason: "the stock is counted" };
type Steering = "hurry" | "hold" | "release";

/** Attempts in hand of the slow endpoints, by event id: each is answered once `answer` is called. */
const inHand = new Map<string, () => void>();

function whenTold(first: ScriptedAnswer): (request: DestinationRequest) => Promise<ScriptedAnswer> {
  return async ({ headers, nth }) => {
    if (nth > 1) return {};
    const told = new Promise<void>((resolve) => inHand.set(headers["ce-id"] ?? "", resolve));
    await Promise.race([told, pause(8000)]);
    return first;
  };
}

let stage: Stage;

beforeAll(async () => {
  const hourly = { schedule: ["1h", "1h"], jitter: 0 } as const;
  const once = [{ status: 503 }, {}];
  const asks = { status: 429, headers: { "retry-after": "6" } };
  stage = await openStage({
    endpoints: {
      later: { retry: hourly },
      moved: { retry: hourly },
      asks: { retry: hourly },
      short: { retry: { schedule: ["6s", "6s"], jitter: 0 } },
      plain: {},
      "slow-bad": { idempotent: false, retry: hourly },
      "slow-good": { idempotent: false },
      payments: {},
      vault: { isolated: true },
    },
    routes: [
      { match: { type: "pair" }, to: ["short", "plain"] },
      { match: { type: "ask-payments" }, to: ["payments"], approval: { approvers: [ANA] } },
    ],
    rest: { people: { [ANA]: {} } },
    scripts: {
      later: once,
      moved: once,
      "moved-on": once,
      asks: [asks, {}],
      short: once,
      "slow-bad": whenTold({ status: 503 }),
      "slow-good": whenTold({}),
    },
  });
});

afterAll(async () => await stage.close());

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

async function submitted(type: string): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type });
  return key;
}

async function inState(key: string, state: EventReport["state"]): Promise<EventReport> {
  return await until(`${key} is ${state}`, async () => {
    const report = await stage.far.get(key);
    return report.state === state && report;
  });
}

async function waiting(type: string): Promise<string> {
  const key = await submitted(type);
  await inState(key, "waiting-retry");
  return key;
}

/** Says it and waits until it is on record; the verdict of the update, null by signal. */
async function say(by: "update" | "signal", word: Steering, key: string): ReturnType<Countersign["hold"]> {
  if (by === "update") return await stage.far[word](key, WORD);
  const before = (await stage.far.get(key)).deliveries[0]?.resolutions.length ?? 0;
  await handleOf(key).signal(word, WORD);
  return await until(`${word} is on record`, async () => {
    const entry = (await stage.far.get(key)).deliveries[0]?.resolutions[before];
    return entry !== undefined && { counted: entry.counted, refusedBecause: entry.refusedBecause, at: entry.at };
  });
}

async function delivered(key: string): Promise<EventReport> {
  await handleOf(key).result();
  return await exactState(stage, key);
}

const WAYS = ["update", "signal"] as const;

describe.concurrent("hurry", () => {
  test.each(WAYS)("sends a delivery that waits for an hour within two seconds, by %s", async (by) => {
    const tookMs: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const key = await waiting("later");
      const saidMs = Date.now();
      expect(await say(by, "hurry", key)).toMatchObject({ counted: true, refusedBecause: null });
      const { deliveries } = await delivered(key);
      expect(deliveries).toMatchObject([
        { state: "delivered", attemptCount: 2, resolutions: [{ action: "hurry", ...WORD, counted: true }] },
      ]);
      tookMs.push((requestsOf(stage, key)[1]?.atMs ?? Number.POSITIVE_INFINITY) - saidMs);
    }
    // The best of three, as a busy machine may add to any of them.
    expect(Math.min(...tookMs)).toBeLessThan(2000);
  });

  test.each(WAYS)("never comes before the Retry-After, and no later than that, by %s", async (by) => {
    const key = await waiting("asks");
    const [first] = requestsOf(stage, key);
    expect(await say(by, "hurry", key)).toMatchObject({ counted: true });
    expect(await say(by, "hurry", key)).toMatchObject({ counted: false, refusedBecause: "retry-after" });
    const shortened = await exactState(stage, key);
    expect(shortened.deliveries).toMatchObject([{ state: "waiting-retry", waitingFor: "retry-after" }]);
    const { deliveries } = await delivered(key);
    expect(deliveries[0]?.resolutions.map(({ refusedBecause }) => refusedBecause)).toEqual([null, "retry-after"]);
    const gapMs = (requestsOf(stage, key)[1]?.atMs ?? 0) - (first?.atMs ?? 0);
    expect(gapMs).toBeGreaterThanOrEqual(6000);
    expect(gapMs).toBeLessThan(30_000);
  });

  test("of a delivery that waits for nothing changes nothing, and says so", async () => {
    const key = await waiting("later");
    expect(await stage.far.hold(key, WORD)).toMatchObject({ counted: true });
    expect(await stage.far.hurry(key, WORD)).toMatchObject({ counted: false, refusedBecause: "held" });
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    expect(await stage.far.hurry(key, WORD)).toMatchObject({ counted: false, refusedBecause: "already-ended" });
    expect(requestsOf(stage, key)).toHaveLength(1);
  });
});

describe.concurrent("hold", () => {
  test.each(WAYS)(
    "stops one delivery of an event while the other goes on, and release resumes it, by %s",
    async (by) => {
      const key = await submitted("pair");
      await until("one waits, the other is done", async () => {
        const { deliveries } = await stage.far.get(key);
        return deliveries[0]?.state === "waiting-retry" && deliveries[1]?.state === "delivered";
      });
      expect(await say(by, "hold", key)).toMatchObject({ counted: true });
      const held = await exactState(stage, key);
      expect(held).toMatchObject({
        state: "held",
        deliveries: [
          { endpoint: "short", state: "held", waitingFor: "gate", nextAt: null, hold: { ...WORD } },
          { endpoint: "plain", state: "delivered" },
        ],
      });
      // The wait of six seconds is over by then.
      await pause(7000);
      expect(requestsOf(stage, key)).toHaveLength(2);
      const releasedMs = Date.now();
      expect(await say(by, "release", key)).toMatchObject({ counted: true });
      const { deliveries } = await delivered(key);
      expect(deliveries[0]?.resolutions.map(({ action, counted }) => [action, counted])).toEqual([
        ["hold", true],
        ["release", true],
      ]);
      const last = requestsOf(stage, key).at(-1);
      expect(last?.path).toBe("/short");
      expect((last?.atMs ?? 0) - releasedMs).toBeLessThan(6000);
    },
  );

  test("released early lets the wait go on for its rest, never under the Retry-After", async () => {
    const key = await waiting("asks");
    await stage.far.hold(key, WORD);
    await stage.far.release(key, WORD);
    const resumed = await exactState(stage, key);
    expect(resumed.deliveries).toMatchObject([{ state: "waiting-retry" }]);
    expect(resumed.deliveries[0]).not.toHaveProperty("hold");
    await stage.far.hurry(key, WORD);
    await delivered(key);
    const [first, second] = requestsOf(stage, key);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(6000);
  });

  test("during an attempt waits for its answer: one that fails is held", async () => {
    const key = await submitted("slow-bad");
    await until("it is in hand", () => inHand.has(key.slice("shop/".length)));
    const verdict = stage.far.hold(key, WORD);
    await until("the word waits", async () => (await stage.far.get(key)).deliveries[0]?.pending?.length === 1);
    inHand.get(key.slice("shop/".length))?.();
    expect(await verdict).toMatchObject({ counted: true });
    expect(await exactState(stage, key)).toMatchObject({
      state: "held",
      deliveries: [{ attempts: [{ status: 503 }] }],
    });
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    expect(requestsOf(stage, key)).toHaveLength(1);
  });

  test("during an attempt that succeeds comes too late", async () => {
    const key = await submitted("slow-good");
    await until("it is in hand", () => inHand.has(key.slice("shop/".length)));
    const verdict = stage.far.hold(key, WORD);
    await until("the word waits", async () => (await stage.far.get(key)).deliveries[0]?.pending?.length === 1);
    inHand.get(key.slice("shop/".length))?.();
    expect(await verdict).toMatchObject({ counted: false, refusedBecause: "already-ended" });
    expect(await delivered(key)).toMatchObject({ state: "delivered" });
  });

  test("while people are asked: what they approve is sent once it is released", async () => {
    const { key, proposal } = await proposed(stage, "ask-payments");
    expect(await stage.far.hold(key, WORD)).toMatchObject({ counted: true });
    expect(await exactState(stage, key)).toMatchObject({
      state: "awaiting-approval",
      deliveries: [{ waitingFor: "approval", hold: { actor: ANA } }],
    });
    expect(await stage.far.approve(key, { actor: ANA, digest: proposal.digest })).toMatchObject({ counted: true });
    expect(await exactState(stage, key)).toMatchObject({ state: "held", deliveries: [{ waitingFor: "gate" }] });
    expect(requestsOf(stage, key)).toEqual([]);
    expect(await stage.far.release(key, WORD)).toMatchObject({ counted: true });
    expect(await delivered(key)).toMatchObject({ state: "delivered" });
    expect(requestsOf(stage, key)).toHaveLength(1);
  });

  test("refuses a second one, a replay and a release of what nobody holds, all on record", async () => {
    const key = await waiting("later");
    expect(await stage.far.release(key, WORD)).toMatchObject({ refusedBecause: "not-held" });
    expect(await stage.far.hold(key, WORD)).toMatchObject({ counted: true });
    expect(await stage.far.hold(key, WORD)).toMatchObject({ refusedBecause: "held" });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ refusedBecause: "held" });
    const { deliveries } = await exactState(stage, key);
    expect(deliveries[0]?.resolutions.map(({ action, refusedBecause }) => [action, refusedBecause])).toEqual([
      ["release", "not-held"],
      ["hold", null],
      ["hold", "held"],
      ["replay", "held"],
    ]);
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: true });
    await delivered(key);
  });
});

describe("hold", () => {
  test("takes back an attempt on a lane that nobody has begun; released, it is made once", async () => {
    const key = await submitted("vault");
    await until("it is on its lane", async () => (await stage.far.get(key)).deliveries[0]?.waitingFor === "worker");
    expect(await stage.far.hold(key, WORD)).toMatchObject({ counted: true });
    expect(await exactState(stage, key)).toMatchObject({ state: "held", deliveries: [{ attemptCount: 0 }] });
    const keeper = await stage.startWorker({ only: ["vault"] });
    try {
      expect((await handleOf(key).describe()).raw.pendingActivities ?? []).toHaveLength(0);
      expect(await stage.far.release(key, WORD)).toMatchObject({ counted: true });
      const { deliveries } = await delivered(key);
      expect(deliveries).toMatchObject([{ state: "delivered", attempts: [{ number: 1, via: "lane" }] }]);
      expect(requestsOf(stage, key)).toHaveLength(1);
    } finally {
      await keeper.stop();
    }
  });

  test("outlives its worker: a new one holds it still, and releases it", async () => {
    const key = await waiting("later");
    await stage.far.hold(key, WORD);
    expect(await stage.far.settled(key)).toMatchObject({ state: "held" });
    const held = await exactState(stage, key);
    await stage.stopWorker();
    expect(await stage.far.get(key)).toEqual(held);
    await stage.startWorker();
    expect(await exactState(stage, key)).toMatchObject({ state: "held" });
    await stage.far.release(key, WORD);
    expect(await exactState(stage, key)).toMatchObject({ state: "waiting-retry" });
    await stage.far.hurry(key, WORD);
    expect((await delivered(key)).deliveries).toMatchObject([{ state: "delivered", attemptCount: 2 }]);
  });
});

describe("a waiting delivery", () => {
  test("is tried next by the endpoint's changed configuration, and the attempt says by which", async () => {
    const key = await waiting("moved");
    const url = `${stage.destination.url}/moved-on`;
    const retry = { schedule: ["1s", "1s"], jitter: 0 } as const;
    const { taskQueue } = stage.config.temporal;
    const endpoints = { moved: { url, headers: { "x-team": "sales" }, retry } };
    const config = aConfig({ baseUrl: stage.destination.url, endpoints, taskQueue });
    await stage.stopWorker();
    await stage.startWorker({ config });
    expect(await stage.far.hurry(key, WORD)).toMatchObject({ counted: true });
    const { deliveries } = await delivered(key);
    const { moved } = config.endpoints;
    expect(moved && configVersionOf(moved)).toBe(deliveries[0]?.attempts[1]?.configVersion);
    expect(deliveries[0]?.attempts.map(({ status, configVersion }) => [status, configVersion === undefined])).toEqual([
      [503, true],
      [503, false],
      [200, true],
    ]);
    expect(requestsOf(stage, key).map(({ path, headers }) => [path, headers["x-team"] ?? null])).toEqual([
      ["/moved", null],
      ["/moved-on", "sales"],
      ["/moved-on", "sales"],
    ]);
    expect(new Set(requestsOf(stage, key).map((request) => request.key)).size).toBe(1);
  });
});
