import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TroubleReport } from "../delivery/gates/control-facts.ts";
import { createReportQueue, type ReportQueue } from "./report-queue.ts";

interface Scene {
  readonly queue: ReportQueue;
  /** Whole, in order. */
  readonly ids: string[];
  /** `<second> <endpoint> <count> <updateId>` */
  readonly sent: string[];
  readonly lost: unknown[];
  refuse: boolean;
}

const ADDRESS = { endpoint: "crm", kind: "in-flight" } as const;
const OPEN = { gate: { state: "open", until: null } } as const;
let startedMs = 0;

function aScene(): Scene {
  const scene: Omit<Scene, "queue"> = { ids: [], sent: [], lost: [], refuse: false };
  const queue = createReportQueue({
    worker: "w1",
    async send(endpoint, report, updateId) {
      const count = report.kind === "in-flight" ? report.count : -1;
      scene.sent.push(
        `${(performance.now() - startedMs) / 1000} ${endpoint} ${count} ${updateId.split(":").slice(0, 3).join(":")}`,
      );
      scene.ids.push(updateId);
      if (scene.refuse) throw new Error("no");
      return await Promise.resolve(OPEN);
    },
    answered: () => undefined,
    lost: (_, error) => void scene.lost.push(error),
  });
  return Object.assign(scene, { queue });
}

const aReport = (count: number): TroubleReport => ({
  kind: "in-flight",
  count,
  worker: "w1",
  configVersion: "v1",
  circuit: null,
  lastCode: "",
});

/** Says what has gathered, once. */
function gathering(): { count: number; make(): TroubleReport | null } {
  const gathered = {
    count: 0,
    make(): TroubleReport | null {
      const { count } = gathered;
      gathered.count = 0;
      return count === 0 ? null : aReport(count);
    },
  };
  return gathered;
}

beforeEach(() => {
  vi.useFakeTimers();
  startedMs = performance.now();
});
afterEach(() => void vi.useRealTimers());

describe("reports", () => {
  test("that come together are one, and the next comes a second later at the soonest", async () => {
    const { queue, sent } = aScene();
    const notes = gathering();
    for (const atMs of [0, 10, 20, 400, 900, 1500]) {
      await vi.advanceTimersByTimeAsync(startedMs + atMs - performance.now());
      notes.count += 1;
      queue.say(ADDRESS, notes.make);
    }
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toEqual(["0.05 crm 3 w1:crm:in-flight", "1.05 crm 2 w1:crm:in-flight", "2.05 crm 1 w1:crm:in-flight"]);
  });

  test("of other endpoints and kinds do not wait for each other", async () => {
    const { queue, sent } = aScene();
    for (const address of [ADDRESS, { ...ADDRESS, endpoint: "erp" }, { ...ADDRESS, kind: "probe" } as const]) {
      const notes = gathering();
      notes.count = 1;
      queue.say(address, notes.make);
    }
    await vi.advanceTimersByTimeAsync(60);
    expect(sent).toHaveLength(3);
  });

  test("that do not get through are said again under the same ID, and given up after a minute", async () => {
    const scene = aScene();
    const { queue, sent, lost } = scene;
    scene.refuse = true;
    const notes = gathering();
    notes.count = 1;
    queue.say(ADDRESS, notes.make);
    await vi.advanceTimersByTimeAsync(2100);
    expect(new Set(sent.map((line) => line.split(" ").at(-1))).size).toBe(1);
    expect(sent).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sent.length, lost.length]).toEqual([60, 1]);
  });

  test("have IDs of their own, whatever the clock of this machine does: what was taken for one of before would be lost", async () => {
    const { queue, ids } = aScene();
    const notes = gathering();
    const noon = Date.now();
    for (let nth = 1; nth <= 3; nth += 1) {
      vi.setSystemTime(noon);
      notes.count = 1;
      queue.say(ADDRESS, notes.make);
      await vi.advanceTimersByTimeAsync(1100);
    }
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  });

  test("are finished when the process stops, and none is begun", async () => {
    const scene = aScene();
    const { queue, sent } = scene;
    const notes = gathering();
    notes.count = 1;
    queue.say(ADDRESS, notes.make);
    const stopped = queue.stop();
    await vi.advanceTimersByTimeAsync(1100);
    await stopped;
    expect(sent).toHaveLength(1);
    notes.count = 1;
    queue.say(ADDRESS, notes.make);
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toHaveLength(1);
  });

  test("that cannot get through do not keep a process from stopping", async () => {
    const scene = aScene();
    scene.refuse = true;
    const notes = gathering();
    notes.count = 1;
    scene.queue.say(ADDRESS, notes.make);
    await vi.advanceTimersByTimeAsync(100);
    const stopped = scene.queue.stop();
    await vi.advanceTimersByTimeAsync(3000);
    await stopped;
    expect(scene.lost).toHaveLength(1);
  });
});
