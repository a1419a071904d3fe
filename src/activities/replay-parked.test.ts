import { describe, expect, test } from "vitest";
import { aStage, stageConfig } from "../../test/support/activity-stage.ts";
import { MockActivityEnvironment } from "@temporalio/testing";
import type { ReplayBatch } from "../delivery/bulk-replay/activity-shapes.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import { CountersignError } from "../errors.ts";
import { NOON_MS } from "../../test/support/deliveries.ts";
import { createActivities } from "./create-activities.ts";
import type { ParkedEvents } from "./dependencies.ts";

const batch = (changes: Partial<ReplayBatch> = {}): ReplayBatch => ({
  mark: "mark",
  endpoint: null,
  reason: null,
  actor: "ana",
  note: "mended",
  keys: ["shop/1", "shop/2", "shop/3"],
  gapMs: 0,
  ...changes,
});

type Info = NonNullable<ConstructorParameters<typeof MockActivityEnvironment>[0]>;

const RUN = { workflowExecution: { workflowId: "bulk-replay:crm-1", runId: "r" } };

async function replay(
  parked: Partial<ParkedEvents>,
  order: ReplayBatch,
  info: Info = { currentAttemptScheduledTimestampMs: NOON_MS },
): Promise<readonly ItemResult[]> {
  const none: ParkedEvents = {
    list: async () => await Promise.resolve({ items: [], more: false, beyond: 0 }),
    replay: async (key) => await Promise.resolve({ key, replayed: 1, because: null }),
    look: async () => await Promise.resolve(null),
    isStopped: async () => await Promise.resolve(true),
  };
  const { deps } = aStage(stageConfig({ crm: { url: "https://crm.example" } }), { parked: { ...none, ...parked } });
  const { replayParked } = createActivities(deps);
  return await new MockActivityEnvironment({ ...RUN, ...info }).run(async () => await replayParked(order));
}

describe("a batch", () => {
  test("asks each event in turn and keeps the order of its results, whoever answers first", async () => {
    const asked: unknown[] = [];
    const release: (() => void)[] = [];
    const results = replay(
      {
        async replay(key, order) {
          asked.push([key, order]);
          if (asked.length < 3) await new Promise<void>((resolve) => release.push(resolve));
          else for (const go of release.toReversed()) go();
          return { key, replayed: 1, because: null };
        },
      },
      batch(),
    );
    expect((await results).map(({ key }) => key)).toEqual(["shop/1", "shop/2", "shop/3"]);
    const terms = { mark: "mark", endpoint: null, reason: null, actor: "ana", note: "mended" };
    expect(asked).toEqual([
      ["shop/1", terms],
      ["shop/2", terms],
      ["shop/3", terms],
    ]);
  });

  test("lasts as long as its pace says, the last event's share included", async () => {
    const startedMs = performance.now();
    const begunMs: number[] = [];
    const parked = {
      replay: async (key: string) => {
        begunMs.push(performance.now() - startedMs);
        return await Promise.resolve({ key, replayed: 1, because: null });
      },
    };
    await replay(parked, batch({ gapMs: 40 }));
    expect(performance.now() - startedMs).toBeGreaterThan(115);
    for (const [index, ms] of begunMs.entries()) expect(ms).toBeGreaterThan(index * 40 - 2);
  });

  test("is done again when the server goes away, after each event of it was asked", async () => {
    const asked: string[] = [];
    const away = replay(
      {
        async replay(key) {
          asked.push(key);
          if (key === "shop/1") throw new CountersignError("temporal_unreachable", "The server is away");
          return await Promise.resolve({ key, replayed: 1, because: null });
        },
      },
      batch(),
    );
    await expect(away).rejects.toMatchObject({ type: "temporal_unreachable", nonRetryable: false });
    expect(asked).toEqual(["shop/1", "shop/2", "shop/3"]);
  });
});

describe("a batch that lay here while no worker ran", () => {
  const told: Partial<ParkedEvents> = {
    replay: async () => await Promise.reject(new TypeError("It was told something")),
    look: async (key) => await Promise.resolve(key === "shop/2" ? { key, replayed: 1, because: null } : null),
  };

  test.each([
    ["was begun before by a worker that was lost", { attempt: 2, currentAttemptScheduledTimestampMs: NOON_MS }],
    ["was taken up late", { attempt: 1, currentAttemptScheduledTimestampMs: NOON_MS - 2000 }],
  ])("and %s tells nobody anything once somebody has stopped it, and finds what was told", async (_what, info) => {
    const asked: string[] = [];
    const isStopped = async (id: string) => await Promise.resolve(asked.push(id) > 0);
    expect(await replay({ ...told, isStopped }, batch(), info)).toEqual([
      { key: "shop/2", replayed: 1, because: null },
    ]);
    expect(asked).toEqual(["crm-1"]);
  });

  test("goes on where nobody has", async () => {
    const isStopped = async () => await Promise.resolve(false);
    const results = await replay({ isStopped }, batch(), { attempt: 2, currentAttemptScheduledTimestampMs: NOON_MS });
    expect(results).toHaveLength(3);
  });
});
