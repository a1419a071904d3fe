import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Endpoint } from "../config/config.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import { DEFAULT_CIRCUIT } from "../delivery/gates/circuit.ts";
import type { TroubleReport } from "../delivery/gates/control-facts.ts";
import type { Gate } from "../delivery/gates/gate-entry.ts";
import { anAttempt } from "../../test/support/deliveries.ts";
import { createTroubleReporter, type TroubleReporter } from "./trouble-reporter.ts";

interface Scene {
  readonly reporter: TroubleReporter;
  /** What would be said now, by kind; saying it empties what has gathered. */
  said(kind: TroubleReport["kind"]): TroubleReport | null;
  /** `hold crm 3000`, `trip crm`, in order. */
  readonly done: string[];
  gate: Gate | null;
  nowMs: number;
}

function aScene(endpoint: Partial<Endpoint> = {}): Scene {
  const makers = new Map<string, () => TroubleReport | null>();
  const scene: Omit<Scene, "reporter" | "said"> = { done: [], gate: null, nowMs: 0 };
  const reporter = createTroubleReporter({
    worker: "w1",
    queue: { say: ({ kind }, make) => void makers.set(kind, make) },
    gates: {
      closeForTrip: (name) => void scene.done.push(`trip ${name}`),
      closeForThrottle: () => true,
    },
    endpoint: () => ({ circuit: DEFAULT_CIRCUIT, retryAfterScope: "endpoint", ...endpoint }),
    versionOf: () => "v1",
    gate: () => scene.gate,
    async holdLane(name, { retryAfterMs, id }) {
      scene.done.push(`hold ${name} ${retryAfterMs} ${id}`);
      await Promise.resolve();
    },
    now: () => scene.nowMs,
  });
  return Object.assign(scene, { reporter, said: (kind: TroubleReport["kind"]) => makers.get(kind)?.() ?? null });
}

const answered = (status: number, changes: Partial<AttemptRecord> = {}): AttemptRecord =>
  anAttempt({ outcome: status < 300 ? "delivered" : "retry", status, code: `http_${status}`, ...changes });

const attempt = { endpoint: "crm", round: null, counts: true, retryAfterMaxMs: 60_000 };

function attempts({ reporter }: Scene, records: readonly (AttemptRecord | null)[], changes: object = {}): void {
  for (const record of records) reporter.begin({ ...attempt, ...changes }).end(record);
}

const HEAD = { worker: "w1", configVersion: "v1", circuit: DEFAULT_CIRCUIT };

describe("a process tells of failures", () => {
  test("from the third on, all that it has seen since the first", () => {
    const scene = aScene();
    attempts(scene, [answered(200), answered(503), answered(503)]);
    expect(scene.said("failures")).toBeNull();
    attempts(scene, [answered(500)]);
    const results = { failures: 3, successes: 0, trailingFailures: 3 };
    expect(scene.said("failures")).toEqual({ ...HEAD, kind: "failures", lastCode: "http_500", ...results });
    expect(scene.said("failures")).toBeNull();
    expect(scene.done).toEqual([]);
  });

  test("and of successes for as long as somebody watches", () => {
    const scene = aScene();
    attempts(scene, [answered(503), answered(503), answered(503)]);
    scene.said("failures");
    attempts(scene, [answered(200)]);
    expect(scene.said("failures")).toMatchObject({ failures: 0, successes: 1 });
    scene.nowMs += 3000;
    attempts(scene, [answered(200)]);
    expect(scene.said("failures")).toBeNull();
    scene.gate = { state: "open", until: null, watched: true };
    attempts(scene, [answered(200)]);
    expect(scene.said("failures")).toMatchObject({ failures: 0, successes: 1 });
  });

  test("and holds back by itself after as many in a row as open the circuit", () => {
    const scene = aScene();
    attempts(
      scene,
      Array.from({ length: 5 }, () => answered(503)),
    );
    expect(scene.done).toEqual(["trip crm"]);
  });

  test("but not of replays, synthetic events and attempts that were not made, nor where the circuit is off", () => {
    const replays = aScene();
    attempts(
      replays,
      Array.from({ length: 9 }, () => answered(503)),
      { counts: false },
    );
    attempts(replays, [null, null, null]);
    const off = aScene({ circuit: null });
    attempts(
      off,
      Array.from({ length: 9 }, () => answered(503)),
    );
    expect([replays.said("failures"), off.said("failures"), replays.done, off.done]).toEqual([null, null, [], []]);
  });
});

describe("a process tells of a refusal", () => {
  test.each([
    [401, "credentials-refused"],
    [410, "endpoint-gone"],
  ] as const)("with %s at once, and holds back by itself", (status, kind) => {
    const scene = aScene();
    attempts(scene, [answered(status, { outcome: "refused" })]);
    expect(scene.said(kind)).toEqual({ ...HEAD, kind, lastCode: `http_${status}` });
    expect([scene.said(kind), scene.done]).toEqual([null, ["trip crm"]]);
    const replay = aScene();
    attempts(replay, [answered(status, { outcome: "refused" })], { counts: false });
    expect([replay.said(kind), replay.done]).toEqual([null, []]);
    const off = aScene({ circuit: null });
    attempts(off, [answered(status, { outcome: "refused" })]);
    expect([off.said(kind), off.done]).toEqual([null, []]);
  });
});

describe("a process tells of a Retry-After", () => {
  test("after it has held the lane, how long it still lasts", async () => {
    const scene = aScene();
    attempts(scene, [answered(429, { retryAfterMs: 30_000 })], { counts: false });
    await sleep(0);
    scene.nowMs += 200;
    const id = `${HEAD.worker}:1`;
    const left = { ...HEAD, kind: "throttled", lastCode: "http_429", retryAfterMs: 29_800, id };
    expect(scene.said("throttled")).toEqual(left);
    expect([scene.done, scene.said("throttled")]).toEqual([[`hold crm 30000 ${id}`], null]);
  });

  test("but not of one that is longer than waited for, nor where it holds only its delivery", async () => {
    const long = aScene();
    attempts(long, [answered(429, { retryAfterMs: 60_001 })]);
    const scoped = aScene({ retryAfterScope: "delivery" });
    attempts(scoped, [answered(429, { retryAfterMs: 30_000 })]);
    await sleep(0);
    expect([long.done, scoped.done, long.said("throttled")]).toEqual([[], [], null]);
  });
});

describe("a process tells of probes", () => {
  test("when they begin and what they met, whoever asked for the delivery", () => {
    const scene = aScene();
    const probe = { ...attempt, round: 7, counts: false };
    const ongoing = [1, 2, 3, 4].map(() => scene.reporter.begin(probe));
    const none = { begun: 0, succeeded: 0, failed: 0, others: 0 };
    expect(scene.said("probe")).toMatchObject({ kind: "probe", round: 7, ...none, begun: 4 });
    const records = [answered(200), answered(503), answered(429), null];
    for (const [index, record] of records.entries()) ongoing[index]?.end(record);
    expect(scene.said("probe")).toMatchObject({ ...none, succeeded: 1, failed: 1, others: 2 });
    expect([scene.said("probe"), scene.said("failures")]).toEqual([null, null]);
  });

  test.each([
    [401, "credentials-refused"],
    [410, "endpoint-gone"],
  ] as const)("and trips where one is answered %i, whoever asked for the delivery", (status, kind) => {
    const scene = aScene();
    attempts(scene, [answered(status, { outcome: "refused" })], { round: 7, counts: false });
    expect(scene.said(kind)).toMatchObject({ kind, lastCode: `http_${status}` });
    expect(scene.done).toEqual(["trip crm"]);
  });

  test("of another burst apart from those of the last", () => {
    const scene = aScene();
    scene.reporter.begin({ ...attempt, round: 7 }).end(answered(200));
    scene.reporter.begin({ ...attempt, round: 8 });
    expect(scene.said("probe")).toMatchObject({ round: 8, begun: 1, succeeded: 0 });
  });
});

describe("a process tells what is in flight", () => {
  test("when the gate closes, until it has all ended", () => {
    const scene = aScene();
    const { reporter } = scene;
    const ongoing = [reporter.begin(attempt), reporter.begin(attempt)];
    const paused = { crm: { state: "paused", until: null, version: 1, laneInUse: false } } as const;
    reporter.follow({});
    expect(scene.said("in-flight")).toBeNull();
    reporter.follow(paused);
    expect(scene.said("in-flight")).toMatchObject({ count: 2 });
    reporter.follow(paused);
    expect(scene.said("in-flight")).toBeNull();
    for (const one of ongoing) one.end(answered(200));
    reporter.follow(paused);
    expect(scene.said("in-flight")).toMatchObject({ count: 0 });
  });
});
