import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type EndpointControl, newControl } from "../delivery/gates/control.ts";
import type { GateMap } from "../delivery/gates/gate-entry.ts";
import { type GateWatch, type GateWatchParts, watchGates } from "./gate-watch.ts";

interface Scene {
  readonly watch: GateWatch;
  /** What was looked at and done, in order: `look crm`, `open crm`, `configured crm v2`. */
  readonly done: string[];
  readonly warnings: string[];
  registry: GateMap;
  control: EndpointControl | null;
  isRunning: boolean;
}

const THROTTLED = { state: "throttled", until: null, version: 1, laneInUse: false } as const;
const REFUSED: EndpointControl = {
  ...newControl("crm"),
  trip: {
    because: "credentials-refused",
    why: "",
    atMs: 0,
    untilMs: null,
    configVersion: "v1",
    refusedBefore: ["v0"],
    tries: 0,
  },
};

function aScene(changes: Partial<GateWatchParts> = {}): Scene {
  const scene: Omit<Scene, "watch"> = { done: [], warnings: [], registry: {}, control: null, isRunning: false };
  const watch = watchGates({
    running: async () => await Promise.resolve([]),
    registry: () => scene.registry,
    openLanes: () => [],
    known: ["crm", "erp"],
    async control(endpoint) {
      scene.done.push(`look ${endpoint}`);
      return await Promise.resolve({ isRunning: scene.isRunning, control: scene.control });
    },
    lane: async () => await Promise.resolve({ ratePerSecond: null, reason: "" }),
    limitOf: () => null,
    versionOf: () => "v2",
    async repair(endpoint, repair) {
      scene.done.push(`${repair.do} ${endpoint}`);
      await Promise.resolve();
    },
    async configured(endpoint, version) {
      scene.done.push(`configured ${endpoint} ${version}`);
      await Promise.resolve();
    },
    log: pino({ level: "warn" }, { write: (line: string) => void scene.warnings.push(line) }),
    ...changes,
  });
  return Object.assign(scene, { watch });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function looked({ watch }: Scene): Promise<void> {
  const look = watch.look();
  await vi.advanceTimersByTimeAsync(10_000);
  await look;
}

describe("what differs", () => {
  test("is put right when it still differs a moment later, and said", async () => {
    const scene = aScene();
    scene.registry = { crm: THROTTLED };
    await looked(scene);
    expect(scene.done).toEqual(["look crm", "look crm", "open crm"]);
    expect(scene.warnings.join()).toContain("gate.put_right");
  });

  test("is left alone when it was being changed just then", async () => {
    const scene = aScene();
    scene.registry = { crm: THROTTLED };
    const look = scene.watch.look();
    await vi.advanceTimersByTimeAsync(1000);
    scene.registry = {};
    await vi.advanceTimersByTimeAsync(10_000);
    await look;
    expect(scene.done).toEqual(["look crm", "look crm"]);
  });

  test("is left alone until a worker has taken the endpoint's workflow in hand", async () => {
    const scene = aScene();
    scene.registry = { crm: THROTTLED };
    scene.isRunning = true;
    await looked(scene);
    expect(scene.done).toEqual(["look crm"]);
  });

  test("is not looked for where a lane is merely in use, unless it is open here: there may be very many", async () => {
    const open = { state: "open", until: null, version: 1, laneInUse: true } as const;
    const scene = aScene({ openLanes: () => ["erp"] });
    scene.registry = { crm: open, erp: open };
    await looked(scene);
    expect(scene.done).toEqual(["look erp"]);
    scene.registry = { crm: { ...open, watched: true } };
    await looked(scene);
    expect(scene.done).toContain("look crm");
  });

  test("is nobody's business where the endpoint is not known here", async () => {
    const scene = aScene({ running: async () => await Promise.resolve(["theirs"]), openLanes: () => ["erp"] });
    await looked(scene);
    expect(scene.done).toEqual(["look erp"]);
  });

  test("at many endpoints is put right together: the last one does not wait for a second look at each", async () => {
    const known = Array.from({ length: 50 }, (_, index) => `e${index}`);
    const scene = aScene({ known });
    scene.registry = Object.fromEntries(known.map((name) => [name, THROTTLED]));
    void scene.watch.look();
    await vi.advanceTimersByTimeAsync(4000);
    expect(scene.done.filter((line) => line.startsWith("open"))).toHaveLength(50);
  });

  test("is not looked for anew while a look is under way", async () => {
    let looks = 0;
    const scene = aScene({
      async running() {
        looks += 1;
        return await new Promise(() => {});
      },
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(looks).toBe(1);
    scene.watch.stop();
  });

  test("is looked for every minute, also after a look that failed", async () => {
    let looks = 0;
    const scene = aScene({
      async running() {
        looks += 1;
        return await Promise.reject(new Error("unavailable"));
      },
    });
    await vi.advanceTimersByTimeAsync(3.5 * 60_000);
    expect(looks).toBeGreaterThanOrEqual(2);
    scene.watch.stop();
    const before = looks;
    await vi.advanceTimersByTimeAsync(300_000);
    expect([looks, scene.warnings.length]).toEqual([before, before]);
  });

  test("at one endpoint does not keep another from being looked at", async () => {
    const scene = aScene({
      running: async () => await Promise.resolve(["crm", "erp"]),
      lane: async (endpoint) =>
        endpoint === "crm"
          ? await Promise.reject(new Error("unavailable"))
          : await Promise.resolve({ ratePerSecond: null, reason: "" }),
    });
    await looked(scene);
    expect([scene.done, scene.warnings.length]).toEqual([["look crm", "look erp"], 1]);
  });
});

describe("a configuration that was refused", () => {
  test.each([
    ["another one", "v2", ["look crm", "configured crm v2"]],
    ["the same", "v1", ["look crm"]],
    ["one that was refused before", "v0", ["look crm"]],
    ["that of an endpoint others deliver to", null, ["look crm"]],
  ])("%s is told, or not", async (_, version, done) => {
    const scene = aScene({ versionOf: () => version });
    scene.registry = { crm: { state: "tripped", until: null, version: 1, laneInUse: false } };
    scene.control = REFUSED;
    scene.isRunning = true;
    const look = scene.watch.look();
    await vi.advanceTimersByTimeAsync(0);
    scene.watch.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    await look;
    expect(scene.done.filter((line) => line.startsWith("configured"))).toEqual(done.slice(1));
    expect(scene.done.slice(0, done.length)).toEqual(done);
  });
});
