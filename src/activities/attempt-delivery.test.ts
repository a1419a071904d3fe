import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import {
  aClue,
  anAnswer,
  anEvent,
  anInput,
  aStage,
  perform,
  STAGE_WORKER,
  type Stage,
  stageConfig,
} from "../../test/support/activity-stage.ts";
import { at, NOON_MS, someSettings } from "../../test/support/deliveries.ts";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import type { SeenTaskEvent, TaskEvent } from "../delivery/lost-attempt.ts";
import type { PresentTask } from "../delivery/own-loss.ts";
import type { DeliverySettings } from "../delivery/plan.ts";
import type { RunReader } from "./dependencies.ts";
import { createAdmission, limitsFor } from "./admission.ts";

const config = stageConfig({
  crm: { url: "https://crm.example/hook" },
  careful: { url: "https://careful.example/", idempotent: false },
});
const LOST = seen("task-started", "task-scheduled", "task-timed-out", "task-started");

const attempt = (stage: Stage, changes: Partial<AttemptInput> = {}): Promise<AttemptResult> =>
  perform(stage.deps, ["attemptDelivery", anInput(changes)]);
const locally = (stage: Stage, changes: Partial<AttemptInput> = {}): Promise<AttemptResult> =>
  attempt(stage, { via: "local", clues: aClue(), ...changes });

/** A stage whose server tells this of the run. */
function aStageAfter(events: readonly SeenTaskEvent[] | Error): Stage {
  const latestTaskEvents = () => (events instanceof Error ? Promise.reject(events) : Promise.resolve(events));
  return aStage(config, { runs: { startEvent: () => Promise.resolve(anEvent()), latestTaskEvents } });
}

describe("an attempt", () => {
  test("reports what it did as data, and as one line in the log", async () => {
    const stage = aStage(config);
    expect(await attempt(stage, { settings: settingsInForce("crm") })).toEqual({
      kind: "attempted",
      endpoint: "crm",
      record: {
        number: 1,
        at: at(0),
        durationMs: expect.any(Number),
        outcome: "delivered",
        certainty: "answered",
        status: 200,
        code: "http_200",
        via: "direct",
      },
    });
    expect(stage.lines).toEqual([
      {
        key: "shop/evt_1",
        endpoint: "crm",
        idempotencyKey: expect.stringMatching(/^cs1_/),
        attempt: 1,
        via: "direct",
        outcome: "delivered",
        certainty: "answered",
        code: "http_200",
        status: 200,
        durationMs: expect.any(Number),
        retryAfterRaw: null,
      },
    ]);
    expect(stage.failures).toEqual([]);
  });

  test("stands, whatever becomes of its log line", async () => {
    const stage = aStage(config);
    const log = { ...stage.deps.log, attempted: () => thrown(new Error("disk full")) };
    const result = await perform({ ...stage.deps, log }, ["attemptDelivery", anInput()]);
    expect(result).toMatchObject({ kind: "attempted", record: { outcome: "delivered" } });
    expect(stage.failures).toMatchObject([{ code: "log_failed" }]);
    expect(stage.sent).toHaveLength(1);
  });

  test("says so where the clock of the endpoint differs, and stands whatever becomes of that", async () => {
    const stage = aStage(config, { answers: [anAnswer({ date: new Date(NOON_MS + 600_000).toUTCString() })] });
    await attempt(stage);
    expect(stage.clockLines).toEqual([{ endpoint: "crm", differenceMs: 600_000 }]);
    const broken = { ...stage.deps.log, clockDiffers: () => thrown(new Error("disk full")) };
    const result = await attempt({ ...stage, deps: { ...stage.deps, log: broken } }, { number: 2 });
    expect(result).toMatchObject({ kind: "attempted", record: { outcome: "delivered" } });
    expect([stage.sent.length, stage.failures]).toMatchObject([2, [{ code: "log_failed" }]]);
  });

  test("tells how long it waited in its lane, where that is worth telling", async () => {
    const stage = aStage(config);
    const held = async (via: AttemptInput["via"], heldMs: number) => {
      const input = anInput({ via, number: heldMs + via.length });
      return perform(stage.deps, ["attemptDelivery", input], { scheduledMs: NOON_MS - heldMs });
    };
    expect(await held("lane", 5000)).toMatchObject({ record: { heldMs: 5000, via: "lane" } });
    expect(await held("lane", 999)).toMatchObject({ record: expect.not.objectContaining({ heldMs: 999 }) });
    expect(await held("direct", 5000)).toMatchObject({ record: expect.not.objectContaining({ heldMs: 5000 }) });
    // A server whose clock is ahead.
    expect(await held("lane", -5000)).toMatchObject({
      record: expect.not.objectContaining({ heldMs: expect.anything() }),
    });
  });

  test("reads an event that is too large to repeat from its run, under the configured name of its source", async () => {
    const aliased = anEvent({ source: "https://shop.example/orders" });
    const startEvent = () => Promise.resolve(aliased);
    const stage = aStage(config, { runs: { startEvent, latestTaskEvents: () => Promise.resolve([]) } });
    await attempt(stage, { event: null });
    await attempt(stage, { number: 2 });
    const [fromRun, repeated] = stage.sent;
    expect(fromRun?.headers["ce-source"]).toBe("shop");
    expect(fromRun?.headers["idempotency-key"]).toBe(repeated?.headers["idempotency-key"]);
  });

  test("asks for a new connection after 408 and 421", async () => {
    const stage = aStage(config);
    for (const [index, lastStatus] of [null, 503, 408, 421].entries())
      await attempt(stage, { lastStatus, number: index + 1 });
    expect(stage.sent.map(({ freshConnection }) => freshConnection)).toEqual([false, false, true, true]);
  });
});

describe("the plan of the input", () => {
  test("has no authority over who gets the event", async () => {
    const elsewhere = stageConfig(
      { crm: { url: "https://crm.example/" } },
      { routes: [{ match: { type: "invoice.*" }, to: ["crm"] }] },
    );
    const stage = aStage(elsewhere);
    expect(await attempt(stage)).toEqual({ kind: "withheld", endpoint: "crm", reason: "not-routed" });
    for (const endpoint of ["mail", "constructor", "__proto__"]) {
      expect(await attempt(stage, { endpoint })).toEqual({ kind: "withheld", endpoint, reason: "unknown-endpoint" });
    }
    expect(await attempt(stage, { event: anEvent({ source: "stranger" }) })).toMatchObject({ reason: "not-routed" });
    expect(stage.sent).toEqual([]);
  });

  test("has no authority over the settings: those in force are used and told", async () => {
    const stage = aStage(config);
    const forged = someSettings({ idempotencyKey: "cs1_forged", idempotent: true, totalMs: 1 });
    const result = await attempt(stage, { endpoint: "careful", settings: forged });
    const settings = settingsInForce("careful");
    expect(result).toMatchObject({ kind: "attempted", settings });
    expect(stage.sent[0]?.headers["idempotency-key"]).toBe(settings.idempotencyKey);
    expect(stage.sent[0]?.timeouts.totalMs).toBe(20_000);
  });

  test("is not mentioned where it was right", async () => {
    const settings = settingsInForce("crm");
    expect(await attempt(aStage(config), { settings })).not.toHaveProperty("settings");
    const { retry } = settings;
    const other = { ...settings, retry: { ...retry, windowMs: 5 } };
    expect(await attempt(aStage(config), { settings: other })).toHaveProperty("settings", settings);
  });
});

describe("a re-run", () => {
  test("joins the attempt in flight: one request", async () => {
    const open = aHangingAnswer();
    const stage = aStage(config, { answers: [open.answer] });
    const original = locally(stage);
    await open.asked;
    const rerun = locally(stage, { clues: aClue({ historyLength: 6 }) });
    open.release();
    expect(await rerun).toEqual(await original);
    expect(stage.sent).toHaveLength(1);
  });

  test("is answered from memory for 60 s, whatever the history says, on every way", async () => {
    const stage = aStageAfter(LOST);
    const original = await locally(stage);
    stage.clock.nowMs += 59_000;
    expect(await locally(stage, { clues: aClue({ recallOnly: true, expectedLength: null }) })).toEqual(original);
    expect(await attempt(stage)).toEqual(original);
    expect(stage.sent).toHaveLength(1);
  });

  test("is made anew in a run of its own: the event was deleted and sent again", async () => {
    const stage = aStage(config);
    await locally(stage);
    const input = anInput({ via: "local", clues: aClue() });
    await perform(stage.deps, ["attemptDelivery", input], { runId: "run-2" });
    expect(stage.sent).toHaveLength(2);
  });

  test("sends nothing once its worker was lost, and says so", async () => {
    const stage = aStageAfter(LOST);
    expect(await locally(stage, { number: 3, clues: aClue({ historyLength: 6 }) })).toEqual({
      kind: "lost",
      endpoint: "crm",
      number: 3,
      sinceMs: NOON_MS - 3000,
    });
    expect(stage.sent).toEqual([]);
  });

  test("sends nothing when the history cannot be read: it would repeat unseen", async () => {
    const stage = aStageAfter(new Error("unavailable"));
    expect(await locally(stage, { clues: aClue({ expectedLength: null }) })).toMatchObject({ kind: "lost" });
    expect(stage.failures).toMatchObject([{ activity: "attemptDelivery", code: "history_unreadable" }]);
    expect(stage.sent).toEqual([]);
  });

  test("is made when the history clears it", async () => {
    const stage = aStageAfter(seen("task-started", "task-scheduled", "task-expired-in-queue", "other"));
    expect(await locally(stage, { clues: aClue({ historyLength: 8 }) })).toMatchObject({ kind: "attempted" });
  });

  test("does not ask the server when nothing speaks for a loss", async () => {
    const stage = aStageAfter(LOST);
    expect(await locally(stage)).toMatchObject({ kind: "attempted", record: { via: "local" } });
  });

  test("begins nothing when it shall only look", async () => {
    const stage = aStageAfter(seen("task-started", "task-scheduled", "other"));
    const clues = aClue({ recallOnly: true, expectedLength: null });
    expect(await locally(stage, { clues })).toEqual({ kind: "set-aside", endpoint: "crm" });
    expect(await locally(aStageAfter(LOST), { clues })).toMatchObject({ kind: "lost" });
    expect(stage.sent).toEqual([]);
  });
});

describe("a re-run of a task that this very process has lost, being slow", () => {
  /** The task before began in this process and timed out; nothing says that it sent anything. */
  const OWN_LOST = seen("task-timed-out", "task-started", "task-scheduled", "other").map((one) =>
    one.event === "task-started" ? { ...one, worker: STAGE_WORKER } : one,
  );
  const AGAIN = aClue({ historyLength: 6 });
  const SECOND: PresentTask = { attempt: 2, startedMs: NOON_MS };

  function aSlowStage({ isOpen = () => true, ...runs }: Partial<RunReader> & { isOpen?: () => boolean } = {}): Stage {
    const admission = createAdmission({ limits: limitsFor(10), now: () => NOON_MS, gateOpen: isOpen });
    return aStage(config, {
      admission,
      runs: {
        latestTaskEvents: () => Promise.resolve(OWN_LOST),
        presentTask: () => Promise.resolve(SECOND),
        ...runs,
      },
    });
  }

  test("is made as if nothing was lost, once", async () => {
    const stage = aSlowStage();
    const made = await locally(stage, { clues: AGAIN });
    expect(made).toMatchObject({ kind: "attempted", record: { outcome: "delivered" } });
    expect(await locally(stage, { clues: AGAIN })).toEqual(made);
    expect(stage.sent).toHaveLength(1);
  });

  test("goes to its lane, or finds nothing, as if nothing was lost", async () => {
    const stage = aSlowStage({ isOpen: () => false });
    expect(await locally(stage, { clues: AGAIN })).toEqual({ kind: "to-lane", endpoint: "crm" });
    const look = aClue({ ...AGAIN, recallOnly: true, expectedLength: null });
    expect(await locally(aSlowStage(), { clues: look })).toEqual({ kind: "set-aside", endpoint: "crm" });
    expect(stage.sent).toEqual([]);
  });

  test("is answered from memory where the attempt was made", async () => {
    const stage = aSlowStage();
    const original = await locally(stage);
    expect(await locally(stage, { clues: AGAIN })).toEqual(original);
    expect(stage.sent).toHaveLength(1);
  });

  test.each<[string, Partial<RunReader>]>([
    ["another worker began it", { latestTaskEvents: () => Promise.resolve(LOST) }],
    [
      "there was a second loss, of which nobody knows whose it was",
      { presentTask: () => Promise.resolve({ ...SECOND, attempt: 3 }) },
    ],
    ["the server has handed out no task", { presentTask: () => Promise.resolve(null) }],
  ])("is lost all the same when %s", async (_, runs) => {
    const stage = aSlowStage(runs);
    expect(await locally(stage, { clues: AGAIN })).toMatchObject({ kind: "lost", number: 1 });
    expect(stage.sent).toEqual([]);
  });

  test("is lost all the same, and known since when, where only the task cannot be asked for", async () => {
    const stage = aSlowStage({ presentTask: () => Promise.reject(new Error("unavailable")) });
    expect(await locally(stage, { clues: AGAIN })).toMatchObject({ kind: "lost", sinceMs: NOON_MS - 1000 });
    expect(stage.failures).toMatchObject([{ activity: "attemptDelivery", code: "task_unreadable" }]);
    expect(stage.sent).toEqual([]);
  });

  test("is lost all the same when the attempt failed on our side, for then it may have been sent", async () => {
    const stage = aSlowStage();
    const broken = { ...stage.deps, send: () => Promise.reject(new Error("a broken assumption")) };
    const input = anInput({ via: "local", clues: aClue() });
    await expect(perform(broken, ["attemptDelivery", input])).rejects.toBeInstanceOf(ApplicationFailure);
    expect(await locally(stage, { clues: AGAIN })).toMatchObject({ kind: "lost", sinceMs: NOON_MS - 1000 });
    expect(stage.sent).toEqual([]);
  });

  test.each([
    ["the lost task was its own", OWN_LOST],
    ["it was not", LOST],
  ])("joins an attempt that the lost execution begins while the server is asked: %s", async (_, events) => {
    const asking = { answer(_events: readonly SeenTaskEvent[]): void {} };
    const answered = new Promise<readonly SeenTaskEvent[]>((resolve) => Object.assign(asking, { answer: resolve }));
    const stage = aSlowStage({ latestTaskEvents: () => answered, isOpen: () => stage.sent.length === 0 });
    const rerun = locally(stage, { clues: AGAIN });
    const original = await locally(stage);
    asking.answer(events);
    expect(original).toMatchObject({ kind: "attempted" });
    expect(await rerun).toEqual(original);
    expect(stage.sent).toHaveLength(1);
  });

  test("keeps the lost execution from sending when that wakes at last", async () => {
    const gate = { isOpen: false };
    const stage = aSlowStage({ isOpen: () => gate.isOpen });
    expect(await locally(stage, { clues: AGAIN })).toMatchObject({ kind: "to-lane" });
    gate.isOpen = true;
    expect(await locally(stage)).toEqual({ kind: "set-aside", endpoint: "crm" });
    expect(stage.sent).toEqual([]);
    expect(await attempt(stage, { via: "lane" })).toMatchObject({ kind: "attempted", record: { number: 1 } });
  });
});

describe("a lost execution that wakes in a worker that has no task of the run any more", () => {
  const byThisWorker = (one: SeenTaskEvent): SeenTaskEvent =>
    one.event === "task-started" && one.id === 3 ? { ...one, worker: STAGE_WORKER } : one;
  const LOSS: readonly TaskEvent[] = ["task-timed-out", "task-started", "task-scheduled", "other"];

  test.each<[string, readonly TaskEvent[], PresentTask | null]>([
    ["while another worker has the task", LOSS, { attempt: 2, startedMs: NOON_MS + 50 }],
    [
      "after another worker gave a sign of life in it",
      ["task-started", "task-scheduled", "task-completed", "task-started", "task-scheduled", ...LOSS],
      { attempt: 1, startedMs: NOON_MS + 8000 },
    ],
    [
      "after another worker made the attempt, and the run is over",
      ["other", "other", "task-completed", "task-started", "task-scheduled", ...LOSS],
      null,
    ],
  ])("sends nothing: %s", async (_, events, present) => {
    const stage = aStage(config, {
      runs: {
        latestTaskEvents: () => Promise.resolve(seen(...events).map(byThisWorker)),
        presentTask: () => Promise.resolve(present),
      },
    });
    stage.clock.nowMs += 12_000;
    expect(await locally(stage)).toMatchObject({ kind: "lost", number: 1 });
    expect(stage.sent).toEqual([]);
  });
});

describe("the way", () => {
  test("is never local to an endpoint that turns out not to be idempotent", async () => {
    const stage = aStage(config);
    expect(await locally(stage, { endpoint: "careful" })).toEqual({ kind: "set-aside", endpoint: "careful" });
    expect(stage.sent).toEqual([]);
  });

  test("is the lane for an endpoint with limits, and for an isolated one, whatever the plan says", async () => {
    const limited = stageConfig({
      crm: { url: "https://crm.example/", limits: { concurrency: 3 } },
      apart: { url: "https://apart.example/", isolated: true },
    });
    for (const endpoint of ["crm", "apart"]) {
      const stage = aStage(limited);
      expect(await attempt(stage, { endpoint })).toEqual({ kind: "to-lane", endpoint });
      expect(await locally(stage, { endpoint })).toEqual({ kind: "to-lane", endpoint });
      expect(stage.sent).toEqual([]);
      expect(await attempt(stage, { endpoint, via: "lane" })).toMatchObject({ kind: "attempted" });
    }
  });

  test("is the lane once the endpoint's share is in use, and open again when a place is free", async () => {
    const open = aHangingAnswer();
    const admission = createAdmission({ limits: limitsFor(10), now: () => NOON_MS, gateOpen: () => true });
    const stage = aStage(config, { admission, answers: [open.answer, anAnswer()] });
    const first = attempt(stage);
    await open.asked;
    expect(await attempt(stage, { event: anEvent({ id: "evt_2" }) })).toEqual({ kind: "to-lane", endpoint: "crm" });
    open.release();
    await first;
    expect(await attempt(stage, { event: anEvent({ id: "evt_3" }) })).toMatchObject({ kind: "attempted" });
  });

  test("is the lane while the gate is not open; attempts there need no place", async () => {
    const admission = createAdmission({ limits: limitsFor(10), now: () => NOON_MS, gateOpen: () => false });
    const stage = aStage(config, { admission });
    expect(await attempt(stage)).toEqual({ kind: "to-lane", endpoint: "crm" });
    expect(await attempt(stage, { via: "lane" })).toMatchObject({ kind: "attempted", record: { via: "lane" } });
  });

  test("is the lane after a lane attempt was slow, until one was quick", async () => {
    const stage: Stage = aStage(config, {
      answers: [() => later(3000), anAnswer()],
    });
    const later = (tookMs: number) => {
      stage.clock.nowMs += tookMs;
      return Promise.resolve(anAnswer());
    };
    await attempt(stage, { via: "lane" });
    expect(await locally(stage, { number: 2, clues: aClue({ scheduledAtMs: stage.clock.nowMs }) })).toMatchObject({
      kind: "to-lane",
    });
    await attempt(stage, { via: "lane", number: 3 });
    expect(await locally(stage, { number: 4, clues: aClue({ scheduledAtMs: stage.clock.nowMs }) })).toMatchObject({
      kind: "attempted",
    });
  });

  test("gives its place back when the attempt fails on our side", async () => {
    const admission = createAdmission({ limits: limitsFor(10), now: () => NOON_MS, gateOpen: () => true });
    const stage = aStage(config, {
      admission,
      answers: [() => Promise.reject(new Error("a broken assumption")), anAnswer()],
    });
    await expect(attempt(stage)).rejects.toBeInstanceOf(ApplicationFailure);
    expect(await attempt(stage)).toMatchObject({ kind: "attempted" });
    expect(stage.sent).toHaveLength(2);
  });
});

describe("stopping", () => {
  test("a regular attempt stops when the server has given it up, a local one only with the worker", async () => {
    for (const via of ["direct", "lane", "local"] as const) {
      const stage = aStage(config);
      const clues = via === "local" ? { clues: aClue() } : {};
      await perform(stage.deps, ["attemptDelivery", anInput({ via, ...clues })], {
        meet: (environment) => environment.cancel("TIMED_OUT"),
      });
      expect(stage.sent[0]?.signal?.aborted).toBe(via !== "local");
    }
  });

  test("no attempt on its way stops because a person's word waits: its answer goes first", async () => {
    for (const via of ["direct", "lane"] as const) {
      const stage = aStage(config);
      await perform(stage.deps, ["attemptDelivery", anInput({ via })], {
        meet: (environment) => environment.cancel("CANCELLED"),
      });
      expect(stage.sent[0]?.signal?.aborted).toBe(false);
    }
  });

  test("both hear of the worker's end", async () => {
    for (const via of ["direct", "local"] as const) {
      const stopping = new AbortController();
      const stage = aStage(config, { stopping: stopping.signal });
      await attempt(stage, via === "local" ? { via, clues: aClue() } : { via });
      stopping.abort();
      expect(stage.sent[0]?.signal?.aborted).toBe(true);
    }
  });
});

describe("ensureLane", () => {
  test("opens the lane it is asked for", async () => {
    const stage = aStage(config);
    await expect(perform(stage.deps, ["ensureLane", { endpoint: "crm" }])).resolves.toEqual({ kind: "opened" });
    expect(stage.lanes).toEqual(["crm"]);
  });

  test("opens none for an endpoint nobody configured", async () => {
    const stage = aStage(config);
    await expect(perform(stage.deps, ["ensureLane", { endpoint: "nowhere" }])).resolves.toEqual({
      kind: "withheld",
      endpoint: "nowhere",
      reason: "unknown-endpoint",
    });
    expect(stage.lanes).toEqual([]);
  });
});

/** Newest first, a second apart, the newest at noon. */
function seen(...events: readonly TaskEvent[]): readonly SeenTaskEvent[] {
  return events.map((event, index) => ({ event, id: events.length - index, atMs: NOON_MS - index * 1000 }));
}

function thrown(error: Error): never {
  throw error;
}

function settingsInForce(endpoint: string): DeliverySettings {
  const order = { event: anEvent(), endpoint, revision: 1, amendment: null };
  const planned = aStage(config).deps.routing.delivery(order);
  if (planned.kind === "withheld") throw new TypeError(`The event is not routed to ${endpoint}`);
  return planned.settings;
}

/** An answer that comes when it is released; `asked` resolves once the request is out. */
function aHangingAnswer() {
  const open = { release(): void {}, ask(): void {} };
  const released = new Promise<void>((resolve) => Object.assign(open, { release: resolve }));
  const asked = new Promise<void>((resolve) => Object.assign(open, { ask: resolve }));
  const answer = async () => {
    open.ask();
    await released;
    return anAnswer();
  };
  return { answer, asked, release: () => open.release() };
}
