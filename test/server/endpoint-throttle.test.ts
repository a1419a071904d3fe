/** A Retry-After holds the whole endpoint, over all workers, exactly; and holds stand when workers are killed. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startChild } from "../support/child.ts";
import {
  allHeld,
  allSettled,
  isOpen,
  ownEndpoint,
  requestsOf,
  requestsTo,
  standing,
  submitMany,
  submitTo,
  whatsOf,
} from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const busy = ownEndpoint("busy");
const dated = ownEndpoint("dated");
const alone = ownEndpoint("alone");
const stands = ownEndpoint("stands");
const midway = ownEndpoint("midway");
const SCOPED = { retryAfterScope: "endpoint" } as const;
const ASKED_MS = 7000;
/** From then on nobody may call: requests in flight at the answer excepted. */
const HELD_FROM_MS = 3000;
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      [busy]: SCOPED,
      [dated]: SCOPED,
      [alone]: { retryAfterScope: "delivery" },
      [midway]: SCOPED,
      [stands]: { ...SCOPED, circuit: { failures: 3, open: "30s" } },
    },
  });
});

afterAll(async () => await stage.close());

async function anotherWorker() {
  const { address, config } = stage;
  const other = startChild("worker-process.ts", { address, config });
  await other.line("is up", ({ ready }) => ready === true);
  return other;
}

/** The first request is told to wait, everything else is welcome. */
function askOnce(endpoint: string, headers: () => Readonly<Record<string, string>>): { atMs: number } {
  const asked = { atMs: 0 };
  stage.destination.script(`/${endpoint}`, () => {
    if (asked.atMs > 0) return {};
    asked.atMs = Date.now();
    return { status: 429, headers: headers() };
  });
  return asked;
}

describe("an endpoint that answers 429 with a Retry-After", () => {
  test.each([
    { name: busy, form: "in seconds", headers: () => ({ "retry-after": String(ASKED_MS / 1000) }) },
    {
      name: dated,
      form: "as a date, its clock an hour ahead",
      headers: () => ({
        date: new Date(Date.now() + HOUR_MS).toUTCString(),
        "retry-after": new Date(Date.now() + HOUR_MS + ASKED_MS).toUTCString(),
      }),
    },
  ])("$form is left alone by every delivery, from either of two workers", async ({ name, headers }) => {
    const other = await anotherWorker();
    onTestFinished(async () => await other.kill());
    const asked = askOnce(name, headers);
    const first = await submitTo(stage, name);
    await until("it was asked", () => asked.atMs > 0);
    const early = await submitMany(stage, name, 6);
    await until("everybody must know", () => Date.now() >= asked.atMs + HELD_FROM_MS);
    const late = await submitMany(stage, name, 6);
    const throttled = await standing(stage, name, ({ gate }) => gate.state === "throttled");
    expect(throttled).toMatchObject({ gate: { who: "workers" }, lane: { ratePerSecond: 0 } });
    await allSettled(stage, [first, ...early, ...late]);
    // A date names whole seconds.
    const endMs = asked.atMs + ASKED_MS - (name === dated ? 1000 : 0);
    expect(requestsOf(stage, first)[1]?.atMs).toBeGreaterThanOrEqual(endMs);
    const others = requestsTo(stage, name).filter(({ atMs }) => atMs > asked.atMs + HELD_FROM_MS);
    expect(others.filter(({ atMs }) => atMs < endMs)).toEqual([]);
    expect(late.map((key) => requestsOf(stage, key).length)).toEqual(late.map(() => 1));
    expect(
      new Set([...early, ...late].flatMap((key) => requestsOf(stage, key).map((request) => request.key))).size,
    ).toBe(12);
    expect(whatsOf(await standing(stage, name, isOpen))).toEqual(["throttled", "throttle-ended"]);
  });

  test("while it is paused, to a request of before, is left alone until then, whenever it is resumed", async () => {
    const asked = { atMs: 0 };
    const askedMs = 12_000;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    stage.destination.script(`/${midway}`, async () => {
      if (asked.atMs > 0) return {};
      await answered;
      asked.atMs = Date.now();
      return { status: 429, headers: { "retry-after": String(askedMs / 1000) } };
    });
    const first = await submitTo(stage, midway);
    await until("it is on its way", () => requestsOf(stage, first).length === 1);
    await stage.far.pause(midway, { actor: "ana@example.com", reason: "r" });
    answer();
    const both = await standing(stage, midway, (detail) => whatsOf(detail).includes("throttled"));
    expect([both.gate.state, both.gate.who]).toEqual(["paused", "ana@example.com"]);
    expect(await stage.far.resume(midway, { actor: "ana@example.com" })).toMatchObject({ counted: true });
    const resumed = await standing(stage, midway, ({ gate }) => gate.state === "throttled");
    expect([resumed.gate.probing, resumed.lane.ratePerSecond]).toEqual([false, 0]);
    expect(resumed.gate.why).toContain("a few attempts try it after that");
    const row = (await stage.far.endpoints()).find(({ name }) => name === midway);
    expect(row?.gate).toMatchObject({ state: "tripped", probing: false });
    const more = await submitMany(stage, midway, 4);
    await allSettled(stage, [first, ...more]);
    const later = requestsTo(stage, midway).slice(1);
    expect(Math.min(...later.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(asked.atMs + askedMs);
    expect([first, ...more].map((key) => requestsOf(stage, key).length)).toEqual([2, 1, 1, 1, 1]);
    expect(whatsOf(await standing(stage, midway, isOpen))).toEqual([
      "paused",
      "throttled",
      "resumed",
      "throttle-ended",
      "opened",
    ]);
  });

  test("holds only the delivery that got it where the endpoint is configured so", async () => {
    const asked = askOnce(alone, () => ({ "retry-after": "3" }));
    const first = await submitTo(stage, alone);
    await until("it was asked", () => asked.atMs > 0);
    const other = await submitTo(stage, alone);
    await allSettled(stage, [first, other]);
    expect((requestsOf(stage, other)[0]?.atMs ?? 0) - asked.atMs).toBeLessThan(3000);
    expect(requestsOf(stage, first)[1]?.atMs).toBeGreaterThanOrEqual(asked.atMs + 3000);
  });
});

describe("when every worker is killed", () => {
  test("a pause and a Retry-After stand for those that start next", async () => {
    await stage.stopWorker();
    const victim = await anotherWorker();
    onTestFinished(async () => await victim.kill());
    const asked = askOnce(stands, () => ({ "retry-after": "25" }));
    const first = await submitTo(stage, stands);
    await until("it was asked", () => asked.atMs > 0);
    await standing(stage, stands, ({ gate, lane }) => gate.state === "throttled" && lane.ratePerSecond === 0);
    await victim.kill();
    await stage.far.pause(stands, { actor: "ana@example.com", reason: "while nobody works" });
    const keys = await submitMany(stage, stands, 4);
    await stage.startWorker();
    await allHeld(stage, keys);
    expect(requestsTo(stage, stands)).toHaveLength(1);
    await standing(stage, stands, ({ gate }) => gate.who === "ana@example.com");
    expect(await stage.far.resume(stands, { actor: "ana@example.com" })).toMatchObject({ counted: true });
    await allSettled(stage, [first, ...keys]);
    const later = requestsTo(stage, stands).slice(1);
    expect(Math.min(...later.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(asked.atMs + 25_000);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 1));
  });
});
