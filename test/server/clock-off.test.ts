/** A worker whose clock is wrong, and is set back while deliveries wait: distances are kept, and somebody is told. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { MINUTE_MS, SECOND_MS } from "../../src/delivery/durations.ts";
import { startChild } from "../support/child.ts";
import type { ClockOffOrder } from "../support/clock-off-process.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import { allSettled, ownEndpoint, requestsOf, standing, submitTo } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const ASKED_MS = 4 * SECOND_MS;
/** Far more than a retry of a few seconds needs, far less than the clock is off. */
const AT_MOST_MS = MINUTE_MS;
/** Ahead by so much, then set back to be behind by as much. */
const OFF_MS = 10 * MINUTE_MS;
const SIGNED: RawEndpoint = {
  retry: { schedule: ["4s", "4s"], jitter: 0 },
  signing: { scheme: "standard-webhooks", secrets: [`whsec_${Buffer.alloc(32, 3).toString("base64")}`] },
};
const shared = ownEndpoint("shared");
const TYPES = ["plain", "dated", "seconds", "lane", shared];

let stage: Stage;

beforeAll(async () => {
  const twice =
    (answer: () => ScriptedAnswer) =>
    ({ nth }: DestinationRequest): ScriptedAnswer =>
      nth <= 2 ? answer() : {};
  const byDate = (): ScriptedAnswer => ({
    status: 503,
    headers: { "retry-after": new Date(Date.now() + ASKED_MS).toUTCString() },
  });
  const bySeconds = (): ScriptedAnswer => ({
    status: 503,
    headers: { "retry-after": String(ASKED_MS / SECOND_MS) },
  });
  stage = await openStage({
    endpoints: {
      plain: SIGNED,
      dated: SIGNED,
      seconds: SIGNED,
      lane: { ...SIGNED, limits: { concurrency: 5 } },
      [shared]: { ...SIGNED, retryAfterScope: "endpoint" },
    },
    scripts: {
      plain: twice(() => ({ status: 503 })),
      dated: twice(byDate),
      seconds: twice(bySeconds),
      lane: twice(bySeconds),
      [shared]: twice(bySeconds),
    },
  });
  await stage.stopWorker();
});

afterAll(async () => await stage.close());

test("a clock that is ten minutes ahead, then set back to ten minutes behind, changes no distance and is told", async () => {
  const { address, config } = stage;
  const order: ClockOffOrder = { address, config, offMs: OFF_MS, thenMs: -OFF_MS };
  const worker = startChild("clock-off-process.ts", order);
  onTestFinished(async () => await worker.kill());
  await worker.line("is up", ({ ready }) => ready === true);
  const keys = await Promise.all(TYPES.map(async (type) => await submitTo(stage, type)));
  await until("all wait", async () => {
    const reports = await Promise.all(keys.map(async (key) => await stage.far.get(key)));
    return reports.every(({ state }) => state === "waiting-retry");
  });
  await standing(stage, shared, ({ gate }) => gate.state === "throttled");
  process.kill(worker.pid, "SIGUSR2");
  const alarm = await worker.line("says so", ({ msg, endpoint }) => msg === "clock.differs" && endpoint === "plain");
  // Seen from there it is the endpoint that is off.
  expect(Math.abs(Number(alarm["differenceMs"]) + OFF_MS)).toBeLessThan(5 * SECOND_MS);
  await allSettled(stage, keys);
  for (const [index, key] of keys.entries()) {
    const requests = requestsOf(stage, key);
    const gapsMs = requests.slice(1).map(({ atMs }, nth) => atMs - (requests[nth]?.atMs ?? 0));
    expect([TYPES[index], gapsMs.length]).toEqual([TYPES[index], 2]);
    // A date names whole seconds.
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(ASKED_MS - (TYPES[index] === "dated" ? SECOND_MS : 0));
    expect(Math.max(...gapsMs)).toBeLessThan(AT_MOST_MS);
    // Each signature is of the moment that the clock shows then.
    const aheadMs = requests.map(({ headers, atMs }) => Number(headers["webhook-timestamp"]) * SECOND_MS - atMs);
    for (const [nth, expectedMs] of [OFF_MS, -OFF_MS, -OFF_MS].entries())
      expect(Math.abs((aheadMs[nth] ?? 0) - expectedMs)).toBeLessThan(30 * SECOND_MS);
    expect(await stage.far.get(key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 3 }] });
  }
});
