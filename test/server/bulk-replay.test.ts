/** Mass replay on a real server: each event at most once, at a pace, steered by people, never lost with a worker. */
import { fileURLToPath } from "node:url";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bulkReplayWorkflowId } from "../../src/delivery/bulk-replay/order.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import { aWish, resultsOf, untilEnded } from "../support/bulk-replays.ts";
import { parkMany, REFUSES_FIRST } from "../support/parked-events.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { requestsOf } from "../support/waiting-events.ts";

const ANA = "ana@example.com";
const NAMES = [
  "bulk-all",
  "bulk-paced",
  "bulk-steered",
  "bulk-signaled",
  "bulk-stopped",
  "bulk-carried",
  "bulk-restarted",
  "bulk-waiting",
  "bulk-plain",
];
/** What a request may be late on a busy machine. */
const SLACK_MS = 3000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { ...Object.fromEntries(NAMES.map((name) => [name, {}])), "bulk-twice": {} },
    scripts: {
      ...Object.fromEntries(NAMES.map((name) => [name, REFUSES_FIRST])),
      "bulk-twice": [{ status: 400 }, { status: 400 }, {}],
    },
  });
});

afterAll(async () => await stage.close());

/** When the second requests came, in order: those a replay led to. */
function replayTimes(endpoint: string): readonly number[] {
  return stage.destination.requests.flatMap(({ path, nth, atMs }) =>
    path === `/${endpoint}` && nth > 1 ? [atMs] : [],
  );
}

async function untilReplayed(endpoint: string, count: number): Promise<void> {
  await until(`${count} events of ${endpoint} are replayed`, () => replayTimes(endpoint).length >= count);
}

async function untilClock(ms: number): Promise<void> {
  await until("that time has come", () => Date.now() >= ms);
}

test("every parked event is told to go on once, and the report says so event by event", async () => {
  const keys = await parkMany(stage.far, { type: "bulk-all", count: 10 });
  const { id, duplicate } = await stage.far.bulkReplays.start(aWish("bulk-all"));
  expect(duplicate).toBe(false);
  const status = await untilEnded(stage.far, id);
  expect(status).toMatchObject({ state: "finished", expected: 10, done: 10, replayed: 10, notReplayed: 0, actor: ANA });
  const results = await resultsOf(stage.far, id);
  expect(results.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  for (const key of keys) {
    expect(await stage.far.settled(key)).toMatchObject({
      state: "delivered",
      deliveries: [
        {
          attemptCount: 2,
          resolutions: [
            {
              actor: ANA,
              counted: true,
              reason: expect.stringMatching(new RegExp(`^bulk replay ${id} \\([0-9a-f]{8}\\): mended$`, "u")),
            },
          ],
        },
      ],
    });
    expect(requestsOf(stage, key)).toHaveLength(2);
  }
  // What `show` folds from the history is what the workflow says itself.
  expect(await stage.temporal.workflow.getHandle(bulkReplayWorkflowId(id)).result()).toEqual(status);
});

test("the pace that was asked for is kept", async () => {
  await parkMany(stage.far, { type: "bulk-paced", count: 12 });
  const { id } = await stage.far.bulkReplays.start(aWish("bulk-paced", { rate: 4 }));
  await untilEnded(stage.far, id);
  const times = replayTimes("bulk-paced");
  expect(times).toHaveLength(12);
  // Eleven gaps of 250 ms; a first request that came late takes its lateness off.
  expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThan(2000);
  const startedMs = Date.parse((await stage.far.bulkReplays.show(id)).startedAt);
  expect(Number(times.at(-1)) - startedMs).toBeGreaterThan(2700);
});

describe("a person's word", () => {
  test("pauses it before its next batch and resumes it where it stood", async () => {
    await parkMany(stage.far, { type: "bulk-steered", count: 12 });
    const { id } = await stage.far.bulkReplays.start(aWish("bulk-steered", { rate: 2 }));
    await untilReplayed("bulk-steered", 1);
    const { bulkReplays } = stage.far;
    expect(await bulkReplays.resume(id, { actor: ANA })).toMatchObject({
      counted: false,
      refusedBecause: "not-paused",
    });
    const paused = await bulkReplays.pause(id, { actor: ANA, note: "they ask for a break" });
    expect(paused).toMatchObject({ counted: true, refusedBecause: null });
    expect(await bulkReplays.pause(id, { actor: ANA })).toMatchObject({ refusedBecause: "already-paused" });
    const pausedMs = Date.parse(paused.at);
    await untilClock(pausedMs + SECOND_MS + SLACK_MS + SECOND_MS);
    const meanwhile = await bulkReplays.show(id);
    expect(meanwhile).toMatchObject({ state: "paused", paused: { actor: ANA, note: "they ask for a break" } });
    expect(meanwhile.done).toBeLessThan(12);
    const own: unknown = await stage.temporal.workflow.getHandle(bulkReplayWorkflowId(id)).query("progress");
    expect(own).toEqual(meanwhile);
    const resumedMs = Date.now();
    expect(await bulkReplays.resume(id, { actor: ANA })).toMatchObject({ counted: true });
    const status = await untilEnded(stage.far, id);
    expect(status).toMatchObject({ state: "finished", replayed: 12, paused: null });
    expect(status.words.map(({ action, counted }) => [action, counted])).toEqual([
      ["resume", false],
      ["pause", true],
      ["pause", false],
      ["resume", true],
    ]);
    expect(replayTimes("bulk-steered")).toHaveLength(12);
    expect(replayTimes("bulk-steered").filter((ms) => ms > pausedMs + SECOND_MS + SLACK_MS && ms < resumedMs)).toEqual(
      [],
    );
    expect(await bulkReplays.pause(id, { actor: ANA })).toMatchObject({ refusedBecause: "already-ended" });
  });

  test("cancels it within one interval of its pace, and what it had not reached stays parked", async () => {
    const keys = await parkMany(stage.far, { type: "bulk-stopped", count: 20 });
    const { id } = await stage.far.bulkReplays.start(aWish("bulk-stopped", { rate: 2 }));
    await untilReplayed("bulk-stopped", 1);
    const verdict = await stage.far.bulkReplays.cancel(id, { actor: ANA, note: "wrong endpoint" });
    expect(verdict).toMatchObject({ counted: true });
    const status = await untilEnded(stage.far, id);
    const canceledMs = Date.parse(verdict.at);
    expect(Date.parse(String(status.endedAt)) - canceledMs).toBeLessThan(SECOND_MS + SLACK_MS);
    expect(status).toMatchObject({ state: "canceled", expected: 20, canceled: { actor: ANA, note: "wrong endpoint" } });
    // One batch at most was in hand when the word came, and one may have been on its way.
    const after = replayTimes("bulk-stopped").filter((ms) => ms > canceledMs);
    expect(after.length).toBeLessThanOrEqual(4);
    const states = await Promise.all(keys.map(async (key) => (await stage.far.settled(key)).state));
    expect(states.filter((state) => state === "needs-attention")).toHaveLength(20 - status.replayed);
    expect(replayTimes("bulk-stopped")).toHaveLength(status.replayed);
  });

  test("counts as a signal or a cancel request of plain Temporal too", async () => {
    await parkMany(stage.far, { type: "bulk-signaled", count: 6 });
    const { id, workflowId } = await stage.far.bulkReplays.start(aWish("bulk-signaled", { rate: 0.5 }));
    const handle = stage.temporal.workflow.getHandle(workflowId);
    await untilReplayed("bulk-signaled", 1);
    await handle.signal("pause", { actor: "bo@example.com", note: "by hand" });
    await handle.signal("by-the-way", { actor: "bo@example.com" });
    await handle.signal("resume", "nonsense");
    const paused = await until("it is paused", async () => {
      const status = await stage.far.bulkReplays.show(id);
      return status.state === "paused" && status.words.length === 2 && status;
    });
    expect(paused.words).toMatchObject([
      { action: "pause", actor: "bo@example.com", counted: true },
      { action: "resume", actor: "", counted: false, refusedBecause: "malformed" },
    ]);
    await handle.cancel();
    expect(await untilEnded(stage.far, id)).toMatchObject({ state: "canceled", canceled: { actor: "temporal" } });
    expect(await handle.describe()).toMatchObject({ status: { name: "COMPLETED" } });
  });
});

describe("a second start", () => {
  test("of the same selection meets the first one; when that has ended it is another one", async () => {
    const keys = await parkMany(stage.far, { type: "bulk-twice", count: 4 });
    const order = aWish("bulk-twice", { since: "1h" });
    const receipts = await Promise.all([0, 1, 2].map(async () => await stage.far.bulkReplays.start(order)));
    const [first] = receipts;
    expect(new Set(receipts.map(({ runId }) => runId)).size).toBe(1);
    expect(receipts.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    await untilEnded(stage.far, String(first?.id));
    await until("all are parked again", () => replayTimes("bulk-twice").length === 4);
    for (const key of keys) expect(await stage.far.settled(key)).toMatchObject({ state: "needs-attention" });
    const again = await stage.far.bulkReplays.start(order);
    expect(again).toMatchObject({ duplicate: false, id: `${first?.id}-2` });
    expect(await untilEnded(stage.far, again.id)).toMatchObject({ replayed: 4 });
    for (const key of keys) expect(await stage.far.settled(key)).toMatchObject({ state: "delivered" });
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual([3, 3, 3, 3]);
  });

  test("under an id of one's own is the same one for ever, and another selection is refused", async () => {
    const id = uniqueName("mine");
    const order = aWish("bulk-all", { id });
    const first = await stage.far.bulkReplays.start(order);
    await untilEnded(stage.far, id);
    expect(await stage.far.bulkReplays.start(order)).toEqual({ ...first, duplicate: true });
    await expect(stage.far.bulkReplays.start(aWish("bulk-twice", { id }))).rejects.toMatchObject({ code: "conflict" });
  });
});

test("it goes on in a new run before its history grows, and its items are read from all of them", async () => {
  const keys = await parkMany(stage.far, { type: "bulk-carried", count: 5 });
  const { id, workflowId, runId } = await stage.far.bulkReplays.start(aWish("bulk-carried", { rate: 0.5 }));
  await untilReplayed("bulk-carried", 1);
  const handle = stage.temporal.workflow.getHandle(workflowId);
  // Paused, so that all of them are in the first run, however long they take.
  expect(await stage.far.bulkReplays.pause(id, { actor: ANA })).toMatchObject({ counted: true });
  for (let sent = 0; sent < 520; sent += 20)
    await Promise.all(Array.from({ length: 20 }, async () => await handle.signal("by-the-way")));
  expect(await stage.far.bulkReplays.resume(id, { actor: ANA })).toMatchObject({ counted: true });
  const status = await untilEnded(stage.far, id);
  expect(status).toMatchObject({ state: "finished", expected: 5, replayed: 5 });
  expect((await handle.describe()).runId).not.toBe(runId);
  expect((await handle.describe()).historyLength).toBeLessThan(100);
  const { complete } = await stage.far.bulkReplays.items(id);
  expect(complete).toBe(true);
  expect((await resultsOf(stage.far, id)).map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  expect(replayTimes("bulk-carried")).toHaveLength(5);
  // Both runs are what the code still does.
  const workflowsPath = fileURLToPath(new URL("../../src/workflows/index.ts", import.meta.url));
  for (const run of [runId, (await handle.describe()).runId]) {
    const history = await stage.temporal.workflow.getHandle(workflowId, run).fetchHistory();
    await Worker.runReplayHistory({ workflowsPath }, history, workflowId);
  }
  const rows = await until("the list knows it", async () => {
    const found = (await stage.far.bulkReplays.list()).filter((row) => row.id === id);
    return found[0]?.state === "finished" && found;
  });
  // One row a chain, under the time it began.
  expect(rows).toMatchObject([{ id, startedAt: status.startedAt, noted: { replayed: 5, done: 5 } }]);
});

describe("while workers come and go", () => {
  test("it goes on where it stood, each event once", async () => {
    const keys = await parkMany(stage.far, { type: "bulk-restarted", count: 24 });
    const { id } = await stage.far.bulkReplays.start(aWish("bulk-restarted", { rate: 4 }));
    await untilReplayed("bulk-restarted", 2);
    await stage.stopWorker();
    const meanwhile = await stage.far.bulkReplays.show(id);
    expect(meanwhile.state).toBe("running");
    expect(meanwhile.done).toBeLessThan(24);
    await stage.startWorker();
    expect(await untilEnded(stage.far, id)).toMatchObject({ state: "finished", expected: 24, replayed: 24 });
    for (const key of keys) await stage.far.settled(key);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 2));
  });

  test("a word is kept until one takes it up", async () => {
    await parkMany(stage.far, { type: "bulk-waiting", count: 2 });
    await stage.stopWorker();
    const { id } = await stage.far.bulkReplays.start(aWish("bulk-waiting"));
    expect(await stage.far.bulkReplays.show(id)).toMatchObject({ state: "running", done: 0, expected: 0 });
    expect(await stage.far.bulkReplays.cancel(id, { actor: ANA })).toMatchObject({ counted: true, pending: true });
    await stage.startWorker();
    expect(await untilEnded(stage.far, id)).toMatchObject({ state: "canceled", replayed: 0 });
    expect(replayTimes("bulk-waiting")).toEqual([]);
  });
});

describe("a start by plain Temporal", () => {
  test("needs no code of ours", async () => {
    await parkMany(stage.far, { type: "bulk-plain", count: 2 });
    const id = uniqueName("bulk-plain");
    const handle = await start(id, { selection: { state: "needs-attention", endpoint: "bulk-plain" }, actor: ANA });
    expect(await handle.result()).toMatchObject({ id, state: "finished", rate: 10, replayed: 2, note: "" });
  });

  test.each([
    ["no selection", { actor: ANA }],
    ["nobody's name", { selection: { state: "needs-attention" } }],
    ["a progress of its own making", { v: 1, carried: { id: "x" } }],
  ])("with %s fails at once with a sentence", async (_what, input) => {
    const id = uniqueName("bad");
    const handle = await start(id, input);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: "bad_argument" } });
    await expect(stage.far.bulkReplays.show(id)).rejects.toMatchObject({ code: "refused" });
  });

  async function start(id: string, input: unknown) {
    const { taskQueue } = stage.config.temporal;
    const workflowId = bulkReplayWorkflowId(id);
    return await stage.temporal.workflow.start("bulk-replay", { workflowId, taskQueue, args: [input] });
  }
});

test("one that is not there is not found, and one that was ended from outside says so", async () => {
  await expect(stage.far.bulkReplays.show("nope")).rejects.toMatchObject({ code: "not_found" });
  await expect(stage.far.bulkReplays.cancel("Not an id", { actor: ANA })).rejects.toMatchObject({ code: "not_found" });
  const { id, workflowId } = await stage.far.bulkReplays.start(
    aWish("bulk-all", { id: uniqueName("over"), rate: 0.01 }),
  );
  await stage.temporal.workflow
    .getHandle(workflowId)
    .terminate("enough")
    .catch(() => undefined);
  const { state, endedOutside } = await stage.far.bulkReplays.show(id);
  expect(endedOutside === undefined ? state : "ended outside").toMatch(/finished|ended outside/u);
});
