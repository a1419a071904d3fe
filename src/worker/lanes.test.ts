import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Lane } from "./lane-set.ts";
import { keepLanes, type LaneKeeper, type LaneKeeperOptions } from "./lanes.ts";

const MINUTE_MS = 60_000;

interface FakeLane extends Lane {
  usedMs: number;
  stopped: boolean;
  /** Ends it as a failure of its worker would. */
  die(): void;
}

interface Scene {
  readonly keeper: LaneKeeper;
  /** What happened, in order: `open crm`, `announce crm`, `withdraw crm`, `stop crm`. */
  readonly events: string[];
  readonly lanes: Map<string, FakeLane>;
  readonly backlog: Map<string, number>;
  readonly warnings: unknown[];
}

function aScene(served: readonly string[], changes: Partial<LaneKeeperOptions> = {}): Scene {
  const scene: Omit<Scene, "keeper"> = { events: [], lanes: new Map(), backlog: new Map(), warnings: [] };
  const note = (event: string, endpoint: string): Promise<void> =>
    Promise.resolve(void scene.events.push(`${event} ${endpoint}`));
  const log = pino({ level: "warn" }, { write: (line: string) => void scene.warnings.push(JSON.parse(line)) });
  const keeper = keepLanes({
    served,
    async open(endpoint) {
      await note("open", endpoint);
      const lane = aLane(() => void scene.events.push(`stop ${endpoint}`));
      scene.lanes.set(endpoint, lane);
      return lane;
    },
    backlog: (endpoint) => Promise.resolve(scene.backlog.get(endpoint) ?? 0),
    announce: (endpoint) => note("announce", endpoint),
    withdraw: (endpoint) => note("withdraw", endpoint),
    log,
    ...changes,
  });
  onTestFinished(() => keeper.stop());
  return { keeper, ...scene };
}

function aLane(onStop: () => void): FakeLane {
  const end = { die(): void {} };
  const ended = new Promise<void>((resolve) => Object.assign(end, { die: resolve }));
  const lane: FakeLane = {
    usedMs: Date.now(),
    stopped: false,
    ended,
    die: () => end.die(),
    lastUsedMs: () => lane.usedMs,
    stop() {
      lane.stopped = true;
      onStop();
      return Promise.resolve();
    },
  };
  return lane;
}

const entry = (laneInUse: boolean) => ({ state: "open", until: null, version: 1, laneInUse }) as const;

/** Lets everything that is under way come to rest, pauses of the keeper included. */
const settle = (forMs = 1000): Promise<unknown> => vi.advanceTimersByTimeAsync(forMs);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a lane that is needed", () => {
  test("is opened here, once, and made known to other processes", async () => {
    const { keeper, events } = aScene(["crm"]);
    await Promise.all([keeper.need("crm"), keeper.need("crm")]);
    await keeper.need("crm");
    expect(events.filter((event) => event === "open crm")).toHaveLength(1);
    expect(events.filter((event) => event === "announce crm")).toHaveLength(3);
    expect(keeper.openLanes()).toEqual(["crm"]);
  });

  test("is only made known where another process serves it", async () => {
    const { keeper, events } = aScene(["crm"]);
    await keeper.need("payments");
    expect([events, keeper.openLanes()]).toEqual([["announce payments"], []]);
  });

  test("tells its caller when it cannot be opened, and is tried again", async () => {
    let tries = 0;
    const open = () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("no connection")) : Promise.resolve(aLane(() => {}));
    };
    const { keeper } = aScene(["crm"], { open });
    await expect(keeper.need("crm")).rejects.toThrow("no connection");
    expect(keeper.openLanes()).toEqual([]);
    const again = keeper.need("crm");
    await settle();
    await again;
    expect([tries, keeper.openLanes()]).toEqual([2, ["crm"]]);
  });
});

describe("a server that cannot be asked what waits", () => {
  test.each([
    ["fails", () => Promise.reject(new Error("exhausted"))],
    ["does not say", () => Promise.resolve(null)],
  ])("%s: closes no lane: attempts may wait there, and nobody would poll it once it opens", async (_, failing) => {
    const answers = { fails: true };
    const backlog = () => (answers.fails ? failing() : Promise.resolve(0));
    const { keeper, events } = aScene(["crm"], { backlog, idleAfterMs: MINUTE_MS });
    await keeper.need("crm");
    await settle(3 * MINUTE_MS);
    expect([keeper.openLanes(), events]).toEqual([["crm"], ["announce crm", "open crm"]]);
    answers.fails = false;
    await settle(2 * MINUTE_MS);
    expect(keeper.openLanes()).toEqual([]);
  });

  test("is asked again about a lane that was given up", async () => {
    const server = { fails: false, waiting: 0 };
    const backlog = () => (server.fails ? Promise.reject(new Error("exhausted")) : Promise.resolve(server.waiting));
    const { keeper } = aScene(["crm"], { backlog, idleAfterMs: 10 * MINUTE_MS });
    await keeper.need("crm");
    for (let seconds = 0; keeper.openLanes().length > 0 && seconds < 3600; seconds += 1) await settle();
    expect(keeper.openLanes()).toEqual([]);
    Object.assign(server, { fails: true, waiting: 1 });
    await settle(15_000);
    server.fails = false;
    await settle(30_000);
    expect(keeper.openLanes()).toEqual(["crm"]);
  });
});

describe("the registry", () => {
  test("opens the lanes that others use and this process serves", async () => {
    const { keeper } = aScene(["crm", "ledger"]);
    keeper.follow({ crm: entry(true), ledger: entry(false), payments: entry(true) });
    keeper.follow({ crm: entry(true) });
    await settle();
    expect(keeper.openLanes()).toEqual(["crm"]);
  });

  test("is followed in spite of a lane that cannot be opened; that one is logged without its error's text", async () => {
    const { keeper, warnings } = aScene(["crm"], { open: () => Promise.reject(new TypeError("https://user:pw@host")) });
    keeper.follow({ crm: entry(true) });
    await settle();
    expect(warnings).toMatchObject([{ endpoint: "crm", error: "TypeError", msg: "lane.not_opened" }]);
    expect(JSON.stringify(warnings)).not.toContain("pw");
    const strange = aScene(["crm"], { open: () => Promise.reject("a text") });
    strange.keeper.follow({ crm: entry(true) });
    await settle();
    expect(strange.warnings).toMatchObject([{ error: "string" }]);
  });

  test("opens at most twenty lanes a second, and at most a hundred", async () => {
    const names = Array.from({ length: 120 }, (_, index) => `e${index}`);
    const { keeper, events } = aScene(names);
    keeper.follow(Object.fromEntries(names.map((name) => [name, entry(true)])));
    await settle(999);
    expect(events.filter((event) => event.startsWith("open"))).toHaveLength(20);
    await settle(4500);
    expect(events.filter((event) => event.startsWith("open"))).toHaveLength(100);
    for (let minute = 0; minute < 3; minute += 1) {
      await settle(MINUTE_MS);
      expect(keeper.openLanes()).toHaveLength(100);
    }
  });
});

describe("more lanes than there may be", () => {
  const names = Array.from({ length: 102 }, (_, index) => `e${index}`);
  const all = Object.fromEntries(names.map((name) => [name, entry(true)]));
  const [first = "", second = "", third = ""] = names;
  const late = names.slice(100);
  const openEach = (open: readonly string[]) => late.map((name) => open.includes(name));

  async function full(): Promise<Scene> {
    const scene = aScene(names);
    scene.keeper.follow(all);
    await settle(5100);
    expect([scene.keeper.openLanes().length, openEach(scene.keeper.openLanes())]).toEqual([100, [false, false]]);
    return scene;
  }

  function use({ lanes }: Scene, idle: readonly string[]): void {
    for (const [name, lane] of lanes) lane.usedMs = Date.now() - (idle.includes(name) ? 10_000 : 0);
  }

  test("take the places of those that have nothing to do, which leave the registry", async () => {
    const scene = await full();
    use(scene, [first, second]);
    await settle(2000);
    expect([scene.keeper.openLanes().length, openEach(scene.keeper.openLanes())]).toEqual([100, [true, true]]);
    expect(scene.events).toEqual(expect.arrayContaining([`withdraw ${first}`, `stop ${first}`, `stop ${second}`]));
  });

  test("wait as long as all are in use, or as work waits on those that are not", async () => {
    const scene = await full();
    scene.backlog.set(first, 1);
    use(scene, [first]);
    await settle(3000);
    expect(openEach(scene.keeper.openLanes())).toEqual([false, false]);
    scene.backlog.clear();
    await settle(1500);
    expect(openEach(scene.keeper.openLanes())).toEqual([true, false]);
  });

  test("take the places of those that are held, whatever waits there; these come back when they are let go", async () => {
    const scene = await full();
    const held = { ...entry(true), state: "paused" } as const;
    scene.backlog.set(first, 5);
    use(scene, [first]);
    scene.keeper.follow({ ...all, [first]: held });
    await settle(2000);
    expect([scene.keeper.openLanes().includes(first), openEach(scene.keeper.openLanes())]).toEqual([
      false,
      [true, false],
    ]);
    expect(scene.events).not.toContain(`withdraw ${first}`);
    use(scene, [second, third]);
    scene.keeper.follow({ [first]: { ...held, state: "tripped", probing: { round: 1, probes: 4 } } });
    await settle(3000);
    expect(scene.keeper.openLanes()).toHaveLength(100);
    expect([scene.keeper.openLanes().includes(first), openEach(scene.keeper.openLanes())]).toEqual([
      true,
      [true, true],
    ]);
  });

  test("find a place that has become free by itself", async () => {
    const scene = await full();
    use(scene, []);
    scene.lanes.get(second)?.die();
    await settle(2000);
    expect(openEach(scene.keeper.openLanes())).toEqual([true, false]);
  });
});

describe("a sweep", () => {
  test("opens every served lane on which work waits, whoever polled it before", async () => {
    const { keeper, backlog } = aScene(["crm", "ledger"]);
    backlog.set("ledger", 3).set("payments", 5);
    await keeper.sweep();
    await settle();
    expect(keeper.openLanes()).toEqual(["ledger"]);
  });

  test("comes by itself every ten minutes", async () => {
    const { keeper, backlog } = aScene(["crm"]);
    backlog.set("crm", 1);
    await settle(10 * MINUTE_MS - 1);
    expect(keeper.openLanes()).toEqual([]);
    await settle(1);
    expect(keeper.openLanes()).toEqual(["crm"]);
  });

  test("closes a lane that had nothing to do for ten minutes, after taking it out of the registry", async () => {
    const backlog = async (): Promise<number> => {
      await new Promise<void>((resolve) => void setTimeout(resolve, 100));
      return 0;
    };
    const { keeper, events, lanes } = aScene(["crm"], { backlog });
    await keeper.need("crm");
    await settle(10 * MINUTE_MS);
    expect(keeper.openLanes()).toEqual(["crm"]);
    const lane = lanes.get("crm");
    await settle(10 * MINUTE_MS + 1000);
    expect(events).toEqual(["announce crm", "open crm", "withdraw crm", "stop crm"]);
    expect([keeper.openLanes(), lane?.stopped]).toEqual([[], true]);
  });

  test("looks once more after it has closed one: work that came in that moment is not left alone", async () => {
    const { keeper, events, lanes, backlog } = aScene(["crm"]);
    await keeper.need("crm");
    const lane = lanes.get("crm");
    if (lane !== undefined) lane.usedMs = 0;
    await settle(10 * MINUTE_MS);
    expect(keeper.openLanes()).toEqual([]);
    backlog.set("crm", 1);
    await settle(10_000);
    expect([keeper.openLanes(), events.slice(-2)]).toEqual([["crm"], ["announce crm", "open crm"]]);
  });

  test("asks about forty endpoints a second, and about no lane that is open here", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `e${index}`);
    const asked: string[] = [];
    const backlog = (endpoint: string): Promise<number> => {
      asked.push(endpoint);
      return Promise.resolve(0);
    };
    const { keeper } = aScene(names, { backlog });
    await keeper.need("e0");
    void keeper.sweep();
    await settle(900);
    expect(asked).toHaveLength(40);
    await settle(5000);
    expect([asked.length, asked.includes("e0")]).toEqual([99, false]);
  });

  test("of idle lanes comes as often as told, one after the other", async () => {
    let looks = 0;
    let answer = (): void => undefined;
    const backlog = async (): Promise<number> => {
      looks += 1;
      await new Promise<void>((resolve) => (answer = resolve));
      return 1;
    };
    const { keeper } = aScene(["crm"], { backlog, idleAfterMs: 1000 });
    await keeper.need("crm");
    await settle(6000);
    expect(looks).toBe(1);
    answer();
    await settle(1000);
    expect(looks).toBe(2);
    answer();
  });

  test("keeps an idle lane on which work waits", async () => {
    const { keeper, lanes, backlog } = aScene(["crm"]);
    await keeper.need("crm");
    const lane = lanes.get("crm");
    if (lane !== undefined) lane.usedMs = 0;
    backlog.set("crm", 1);
    await settle(10 * MINUTE_MS);
    expect([keeper.openLanes(), lane?.stopped]).toEqual([["crm"], false]);
  });

  test("goes on where the server does not tell a backlog", async () => {
    const backlog = (endpoint: string) =>
      endpoint === "crm" ? Promise.reject(new Error("unavailable")) : Promise.resolve(1);
    const { keeper } = aScene(["crm", "ledger"], { backlog });
    await keeper.sweep();
    await settle();
    expect(keeper.openLanes()).toEqual(["ledger"]);
  });

  test("that fails is left to the next one", async () => {
    const { keeper, lanes } = aScene(["crm"], { withdraw: () => Promise.reject(new Error("unavailable")) });
    await keeper.need("crm");
    const lane = lanes.get("crm");
    if (lane !== undefined) lane.usedMs = -20 * MINUTE_MS;
    await settle(10 * MINUTE_MS);
    expect([keeper.openLanes(), lane?.stopped]).toEqual([["crm"], false]);
  });
});

describe("a lane that died", () => {
  test("is opened anew when it is needed again", async () => {
    const { keeper, events, lanes } = aScene(["crm"]);
    await keeper.need("crm");
    lanes.get("crm")?.die();
    await settle();
    expect(keeper.openLanes()).toEqual([]);
    await keeper.need("crm");
    expect(events.filter((event) => event === "open crm")).toHaveLength(2);
    expect(keeper.openLanes()).toEqual(["crm"]);
  });

  test("does not take its successor along", async () => {
    const { keeper, lanes } = aScene(["crm"]);
    await keeper.need("crm");
    const first = lanes.get("crm");
    if (first !== undefined) first.usedMs = Date.now() - 11 * MINUTE_MS;
    await settle(10 * MINUTE_MS);
    expect(first?.stopped).toBe(true);
    await keeper.need("crm");
    first?.die();
    await settle();
    expect(keeper.openLanes()).toEqual(["crm"]);
  });
});

describe("stopping", () => {
  test("closes every lane and opens none any more", async () => {
    const { keeper, lanes, events, backlog } = aScene(["crm", "ledger", "mail"]);
    keeper.follow({ crm: entry(true), ledger: entry(true) });
    await settle();
    await keeper.stop();
    expect([...lanes.values()].map(({ stopped }) => stopped)).toEqual([true, true]);
    backlog.set("mail", 1);
    await keeper.sweep();
    await keeper.need("mail");
    await settle(20 * MINUTE_MS);
    expect([keeper.openLanes(), events.includes("open mail")]).toEqual([[], false]);
  });

  test("waits for a lane that is being opened, and closes it", async () => {
    const { keeper, lanes } = aScene(["crm"]);
    keeper.follow({ crm: entry(true) });
    await keeper.stop();
    expect(lanes.get("crm")?.stopped).toBe(true);
  });

  test("is not held up by a lane that could not be opened", async () => {
    const { keeper } = aScene(["crm"], { open: () => Promise.reject(new Error("no connection")) });
    keeper.follow({ crm: entry(true) });
    await expect(keeper.stop()).resolves.toBeUndefined();
  });
});
