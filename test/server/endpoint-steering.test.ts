/** Steering deliveries against the gate of their endpoint, and what waits on a lane while all workers change. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventReport } from "../../src/client/get-event.ts";
import type { DeliveryStatus } from "../../src/delivery/event-state.ts";
import {
  allSettled,
  ownEndpoint,
  requestsOf,
  requestsTo,
  standing,
  submitMany,
  submitTo,
} from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "the stock is counted" };
const WAYS = ["update", "signal"] as const;

let stage: Stage;
const left = ownEndpoint("left");
const right = ownEndpoint("right");
const asks = ownEndpoint("asks");
const closed = ownEndpoint("closed");
const handed = ownEndpoint("handed");
const unheard = ownEndpoint("unheard");
const pair = ownEndpoint("pair");
const ASKED_MS = 6000;

beforeAll(async () => {
  const once = [{ status: 503 }, {}];
  const hourly = { retry: { schedule: ["1h"], jitter: 0 } } as const;
  const soon = { retry: { schedule: ["3s"], jitter: 0 } } as const;
  stage = await openStage({
    endpoints: {
      [left]: soon,
      [right]: soon,
      [asks]: { ...hourly, retryAfterScope: "endpoint" },
      [closed]: hourly,
      [handed]: {},
      [unheard]: {},
    },
    routes: [{ match: { type: pair }, to: [left, right] }],
    scripts: { [left]: once, [right]: once, [closed]: once },
  });
});

afterAll(async () => await stage.close());

async function untilDeliveries(
  key: string,
  like: (deliveries: readonly DeliveryStatus[]) => boolean,
): Promise<EventReport> {
  return await until(`the deliveries of ${key} stand as expected`, async () => {
    const report = await stage.far.get(key);
    return like(report.deliveries) && report;
  });
}

const isWaiting = ({ state }: DeliveryStatus): boolean => state === "waiting-retry";

/** Said of the left one; resolves once it is on record. */
async function say(by: (typeof WAYS)[number], word: "hold" | "release", key: string): Promise<void> {
  const spoken = { ...WORD, delivery: left };
  if (by === "signal") await stage.temporal.workflow.getHandle(key).signal(word, spoken);
  else expect(await stage.far[word](key, spoken)).toMatchObject({ counted: true });
  await untilDeliveries(key, ([mine]) => mine?.resolutions.at(-1)?.action === word);
}

describe.concurrent("hold", () => {
  test.each(WAYS)("stops one delivery while the other, which waits too, goes on by itself, by %s", async (by) => {
    const key = await submitTo(stage, pair);
    await untilDeliveries(key, (deliveries) => deliveries.every(isWaiting));
    await say(by, "hold", key);
    const { deliveries } = await untilDeliveries(key, ([, other]) => other?.state === "delivered");
    expect(deliveries).toMatchObject([
      { endpoint: left, state: "held", waitingFor: "gate", attemptCount: 1 },
      { endpoint: right, state: "delivered", attemptCount: 2, resolutions: [] },
    ]);
    await say(by, "release", key);
    await stage.temporal.workflow.getHandle(key).result();
    const [mine] = (await stage.far.get(key)).deliveries;
    expect(mine).toMatchObject({
      state: "delivered",
      attemptCount: 2,
      resolutions: [
        { action: "hold", ...WORD, counted: true },
        { action: "release", ...WORD, counted: true },
      ],
    });
  });
});

describe("hurry", () => {
  test("of another delivery does not get past the Retry-After that holds its endpoint", async () => {
    const asked = { atMs: 0 };
    stage.destination.script(`/${asks}`, [{ status: 503 }, {}]);
    const waiting = await submitTo(stage, asks);
    await untilDeliveries(waiting, (deliveries) => deliveries.every(isWaiting));
    stage.destination.script(`/${asks}`, () => {
      if (asked.atMs > 0) return {};
      asked.atMs = Date.now();
      return { status: 429, headers: { "retry-after": String(ASKED_MS / 1000) } };
    });
    const asking = await submitTo(stage, asks);
    await standing(stage, asks, ({ gate, lane }) => gate.state === "throttled" && lane.ratePerSecond === 0);
    for (const key of [waiting, asking]) expect(await stage.far.hurry(key, WORD)).toMatchObject({ counted: true });
    await untilDeliveries(waiting, ([mine]) => mine?.state === "held");
    await allSettled(stage, [waiting, asking]);
    for (const key of [waiting, asking]) {
      expect(requestsOf(stage, key)).toHaveLength(2);
      expect(requestsOf(stage, key)[1]?.atMs).toBeGreaterThanOrEqual(asked.atMs + ASKED_MS);
    }
  });

  test("at a paused endpoint sends nothing until somebody resumes it", async () => {
    const key = await submitTo(stage, closed);
    await untilDeliveries(key, (deliveries) => deliveries.every(isWaiting));
    await stage.far.pause(closed, WORD);
    expect(await stage.far.hurry(key, WORD)).toMatchObject({ counted: true });
    await untilDeliveries(key, ([mine]) => mine?.state === "held" && mine.waitingFor === "gate");
    await standing(stage, closed, ({ lane }) => lane.held === 1);
    expect(requestsOf(stage, key)).toHaveLength(1);
    await stage.far.resume(closed, WORD);
    await allSettled(stage, [key]);
    expect(await stage.far.get(key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 2 }] });
  });
});

describe("deliveries that are held on their lane while all workers stop and others start", () => {
  test("are sent once each, whether they are resumed before or after the others have started", async () => {
    const names = [unheard, handed];
    await Promise.all(names.map(async (name) => await stage.far.pause(name, WORD)));
    const keys = (await Promise.all(names.map(async (name) => await submitMany(stage, name, 3)))).flat();
    // Handed to the lane by the workers that stop now: nobody will put them there again.
    await Promise.all(names.map(async (name) => await standing(stage, name, ({ lane }) => lane.held === 3)));
    await stage.stopWorker();
    expect(await stage.far.resume(unheard, WORD)).toMatchObject({ counted: null });
    await stage.startWorker();
    expect(await stage.far.resume(handed, WORD)).toMatchObject({ counted: true });
    await allSettled(stage, keys);
    for (const key of keys) {
      const { deliveries } = await stage.far.get(key);
      expect(deliveries).toMatchObject([
        { state: "delivered", attempts: [{ number: 1, via: "lane", heldMs: expect.any(Number) }] },
      ]);
    }
    expect(names.map((name) => requestsTo(stage, name).length)).toEqual([3, 3]);
  });
});
