import { describe, expect, test } from "vitest";
import { aDeliveredAttempt, aPlan, anAttempt, anIdentity, at, NOON_MS } from "../../test/support/deliveries.ts";
import type { AttemptRecord, Way } from "./attempt.ts";
import type { DeliveryStatus, EventState } from "./event-state.ts";
import type { AttemptResult } from "./facts.ts";
import { progressFromHistory } from "./history.ts";
import type { HistoryEntry, RunStart } from "./history-entries.ts";
import type { EventPlan } from "./plan.ts";
import { project } from "./project.ts";

const start = (endpoints: readonly string[] = ["crm"], settings: Parameters<typeof aPlan>[1] = {}): RunStart => ({
  event: anIdentity(),
  plan: aPlan(endpoints, settings),
  fingerprint: "sha256:test",
  startedMs: NOON_MS,
});
const plainStart: RunStart = { ...start(), plan: null, fingerprint: "sha256:noted" };

const started = (afterMs = 0): HistoryEntry => ({ entry: "task-started", atMs: NOON_MS + afterMs });
const completed: HistoryEntry = { entry: "task-completed", atMs: NOON_MS };
const lost: HistoryEntry = { entry: "task-lost", atMs: NOON_MS };
const fired = (afterMs = 0): HistoryEntry => ({ entry: "timer-fired", atMs: NOON_MS + afterMs });
const argument = { actor: "ana", reason: "why not" };
const signal = (name: string): HistoryEntry => ({ entry: "message", message: { name, argument }, atMs: NOON_MS });
const update = (action: string): HistoryEntry => ({
  entry: "update-accepted",
  message: { name: "resolve", argument: { ...argument, action } },
  atMs: NOON_MS,
});
const local = (result: AttemptResult, afterMs = 0): HistoryEntry => ({
  entry: "local-activity",
  type: "attemptDelivery",
  result,
  failed: false,
  atMs: NOON_MS + afterMs,
});
const attempted = (record: AttemptRecord, endpoint = "crm"): AttemptResult => ({ kind: "attempted", endpoint, record });
const resolvedRoutes = (plan: EventPlan, first?: AttemptResult): HistoryEntry => ({
  entry: "local-activity",
  type: "resolveRoutes",
  result: { source: "shop", plan, ...(first === undefined ? {} : { first }) },
  failed: false,
  atMs: NOON_MS,
});
const scheduled = (id: number, endpoint = "crm", via: Way = "direct", number = 1): HistoryEntry => ({
  entry: "activity-scheduled",
  id,
  activityId: String(id),
  type: "attemptDelivery",
  input: { v: 1, endpoint, number, via },
  atMs: NOON_MS,
});
const returned = (scheduledId: number, result: AttemptResult, afterMs = 0): HistoryEntry => ({
  entry: "activity-completed",
  scheduledId,
  result,
  atMs: NOON_MS + afterMs,
});
const broke = (scheduledId: number, timedOut: boolean, afterMs = 0): HistoryEntry => ({
  entry: "activity-failed",
  scheduledId,
  timedOut,
  atMs: NOON_MS + afterMs,
});

const stateOf = (run: RunStart, ...entries: readonly HistoryEntry[]): EventState =>
  project(progressFromHistory(run, entries));

function lone(run: RunStart, ...entries: readonly HistoryEntry[]): DeliveryStatus {
  const [delivery, ...others] = stateOf(run, ...entries).deliveries;
  if (delivery === undefined || others.length > 0) throw new TypeError("There is not exactly one delivery");
  return delivery;
}

const retried = anAttempt();
const second = aDeliveredAttempt({ number: 2, at: at(1020) });
const firstFailed = [started(), completed, local(attempted(retried))];

describe("a run with a plan", () => {
  test("is accepted before its first task", () => {
    expect(stateOf(start())).toMatchObject({ state: "accepted", acceptedAt: at(0), fingerprint: "sha256:test" });
  });

  test("shows delivering while a local attempt is in flight, of which the history says nothing", () => {
    expect(lone(start(), started())).toMatchObject({ state: "delivering", waitingFor: null, attemptCount: 0 });
    const dueAgain = [...firstFailed, fired(1010), started(1020)];
    expect(lone(start(), ...dueAgain)).toMatchObject({ state: "delivering", waitingFor: null, attemptCount: 1 });
  });

  test("does not take a regular or a waiting delivery for one that is being tried", () => {
    expect(lone(start(["crm"], { idempotent: false }), started())).toMatchObject({
      state: "accepted",
      waitingFor: "worker",
    });
    expect(lone(start(["crm"], { lane: true }), started())).toMatchObject({ state: "accepted" });
    expect(stateOf(start(["crm", "ledger"]), started()).state).toBe("accepted");
    expect(lone(start(), ...firstFailed, started(500))).toMatchObject({ state: "waiting-retry", waitingFor: "retry" });
  });

  test("tells a first try", () => {
    expect(lone(start(), started(), completed, local(attempted(aDeliveredAttempt())))).toMatchObject({
      state: "delivered",
      attempts: [aDeliveredAttempt()],
    });
  });

  test("tells a retry, its wait and its time", () => {
    expect(lone(start(), ...firstFailed)).toMatchObject({
      state: "waiting-retry",
      nextAt: at(1010),
      waitingFor: "retry",
    });
    expect(lone(start(), ...firstFailed, fired(1010))).toMatchObject({
      state: "delivering",
      waitingFor: "worker",
      nextAt: null,
    });
    const all = [...firstFailed, fired(1010), started(1020), completed, local(attempted(second))];
    expect(lone(start(), ...all)).toMatchObject({ state: "delivered", attemptCount: 2, lastCode: "http_200" });
  });

  test("tells two deliveries apart", () => {
    const run = start(["crm", "ledger"]);
    const both = [started(), completed, scheduled(5, "crm"), scheduled(6, "ledger")];
    expect(stateOf(run, ...both).deliveries.map(({ state }) => state)).toEqual(["delivering", "delivering"]);
    const one = stateOf(run, ...both, returned(6, attempted(anAttempt({ via: "direct" }), "ledger")));
    expect(one.deliveries.map(({ state }) => state)).toEqual(["delivering", "waiting-retry"]);
    const again = [started(), completed, fired(1010), started(1020), completed, scheduled(9, "ledger", "direct", 2)];
    const next = stateOf(run, ...both, returned(6, attempted(anAttempt(), "ledger")), ...again);
    expect(next.deliveries).toMatchObject([
      { state: "delivering", attemptCount: 0 },
      { state: "delivering", nextAt: null },
    ]);
    const done = stateOf(run, ...both, returned(5, attempted(aDeliveredAttempt())), started(), completed);
    expect(done.deliveries.map(({ state }) => state)).toEqual(["delivered", "delivering"]);
  });

  test("tells what a worker reported before any task has read it", () => {
    const answered = lone(
      start(["crm"], { idempotent: false }),
      started(),
      completed,
      scheduled(5),
      returned(5, attempted(second)),
    );
    expect(answered).toMatchObject({ state: "delivered", attemptCount: 1 });
  });

  test("tells an attempt whose worker vanished", () => {
    const gone = lone(
      start(["crm"], { lane: true }),
      started(100),
      completed,
      scheduled(5, "crm", "lane"),
      broke(5, true, 10_100),
    );
    expect(gone).toMatchObject({
      state: "waiting-retry",
      attempts: [
        { number: 1, at: at(100), durationMs: 10_000, code: "worker_lost", outcome: "uncertain", via: "lane" },
      ],
    });
    const careful = lone(start(["crm"], { idempotent: false }), started(), completed, scheduled(5), broke(5, true));
    expect(careful).toMatchObject({ state: "needs-attention", attention: { reason: "outcome-uncertain" } });
  });

  test("tells an attempt that failed on our side", () => {
    const broken = lone(start(["crm"], { idempotent: false }), started(), completed, scheduled(5), broke(5, false));
    expect(broken).toMatchObject({ state: "needs-attention", attemptCount: 0, attention: { reason: "misconfigured" } });
  });

  test("tells a local attempt that ran out of its time as lost: it may have sent", () => {
    const hung: HistoryEntry = {
      entry: "local-activity",
      type: "attemptDelivery",
      result: undefined,
      failed: true,
      timedOut: true,
      atMs: NOON_MS + 50_000,
    };
    const attempts = [{ code: "worker_lost", at: at(0), durationMs: 50_000, via: "local" }];
    expect(lone(start(), started(), completed, hung)).toMatchObject({ state: "waiting-retry", attempts });
    const looking = [signal("discard"), started(), lost, started(9000), completed];
    expect(lone(start(), ...looking, hung)).toMatchObject({
      state: "discarded",
      attempts: [{ code: "worker_lost" }],
      resolutions: [{ counted: true }],
    });
  });

  test("tells queued work that was taken back for a person's word", () => {
    const queued = [started(), completed, scheduled(5, "crm", "lane"), signal("discard"), started(900), completed];
    const waiting = lone(start(["crm"], { lane: true }), ...queued);
    expect(waiting).toMatchObject({ state: "delivering", pending: [{ action: "discard", actor: "ana" }] });
    const back: HistoryEntry = {
      entry: "activity-failed",
      scheduledId: 5,
      timedOut: false,
      canceled: true,
      atMs: NOON_MS + 950,
    };
    const ended = lone(start(["crm"], { lane: true }), ...queued, back, started(1000), completed);
    expect(ended).toMatchObject({ state: "discarded", attemptCount: 0, resolutions: [{ counted: true }] });
    expect(ended).not.toHaveProperty("pending");
  });

  test("tells a lost local attempt, and the regular one that follows", () => {
    const seen = [started(), lost, started(7000), completed, local({ kind: "lost", endpoint: "crm", number: 1 }, 7050)];
    expect(lone(start(), ...seen)).toMatchObject({
      state: "waiting-retry",
      attempts: [{ number: 1, code: "worker_lost", at: at(7000), durationMs: 50, via: "local" }],
    });
    const next = [...seen, fired(8050), started(8060), completed, scheduled(11, "crm", "direct", 2)];
    expect(lone(start(), ...next)).toMatchObject({ state: "delivering", attemptCount: 1 });
  });

  test("tells no attempt of a task that was lost in a worker that lives and has sent nothing", () => {
    const sent = [started(), lost, started(7000), completed, local({ kind: "to-lane", endpoint: "crm" }, 7020)];
    const queued = [...sent, scheduled(8, "crm", "lane")];
    expect(lone(start(), ...queued)).toMatchObject({ state: "delivering", attemptCount: 0, attempts: [] });
    const looked = [signal("discard"), started(), lost, started(7000), completed];
    expect(lone(start(), ...looked, local({ kind: "set-aside", endpoint: "crm" }, 7020))).toMatchObject({
      state: "discarded",
      attemptCount: 0,
    });
    const done = [started(), lost, started(7000), completed, local(attempted(aDeliveredAttempt()), 7050)];
    expect(lone(start(), ...done)).toMatchObject({ state: "delivered", attempts: [aDeliveredAttempt()] });
  });

  test("tells a loss after signs of life as the workflow itself does: its replay passes over them", () => {
    const long = [started(), completed, started(8000), lost, started(30_000), completed];
    expect(lone(start(), ...long, local({ kind: "lost", endpoint: "crm", number: 1 }, 30_040))).toMatchObject({
      attempts: [{ number: 1, code: "worker_lost", at: at(30_000), durationMs: 40 }],
    });
  });

  test("parks where the worker knows no endpoint whose lane it could open", () => {
    const result = { kind: "withheld", endpoint: "crm", reason: "unknown-endpoint" };
    const asked: HistoryEntry = { entry: "local-activity", type: "ensureLane", result, failed: false, atMs: NOON_MS };
    expect(lone(start(["crm"], { lane: true }), started(), completed, asked)).toMatchObject({
      state: "needs-attention",
      attention: { reason: "misconfigured" },
    });
  });

  test("goes by the lane in the task in which a worker sent it there", () => {
    const opened: HistoryEntry = {
      entry: "local-activity",
      type: "ensureLane",
      result: undefined,
      failed: true,
      atMs: NOON_MS,
    };
    const sent = [
      started(),
      completed,
      local({ kind: "to-lane", endpoint: "crm" }),
      opened,
      scheduled(7, "crm", "lane"),
    ];
    expect(lone(start(), ...sent)).toMatchObject({ state: "delivering", attemptCount: 0, waitingFor: null });
    expect(lone(start(), ...sent, returned(7, attempted(aDeliveredAttempt({ via: "lane" }))))).toMatchObject({
      state: "delivered",
    });
  });

  test("goes on by a regular attempt when the local one failed on our side", () => {
    const failed: HistoryEntry = {
      entry: "local-activity",
      type: "attemptDelivery",
      result: undefined,
      failed: true,
      atMs: NOON_MS,
    };
    expect(lone(start(), started(), completed, failed)).toMatchObject({ state: "delivering", waitingFor: "worker" });
    expect(lone(start(), started(), completed, failed, scheduled(7))).toMatchObject({
      state: "delivering",
      waitingFor: null,
    });
  });

  test("passes over what belongs to no event it knows", () => {
    const strange: HistoryEntry = {
      entry: "activity-scheduled",
      id: 5,
      activityId: "5",
      type: "other",
      input: null,
      atMs: NOON_MS,
    };
    const entries = [
      started(),
      completed,
      strange,
      returned(5, attempted(second, "")),
      returned(99, attempted(second)),
      broke(98, true),
    ];
    expect(lone(start(), ...entries, started(), completed)).toMatchObject({ attemptCount: 0 });
    const marker: HistoryEntry = { entry: "local-activity", type: "other", result: {}, failed: false, atMs: NOON_MS };
    expect(stateOf(start(["crm", "ledger"]), marker, started(), completed, marker).state).toBe("accepted");
  });
});

describe("messages", () => {
  test("count once the workflow has read them", () => {
    const parked = [
      started(),
      completed,
      local(attempted(anAttempt({ outcome: "refused", status: 400, code: "http_400" }))),
    ];
    const unread = [...parked, signal("discard")];
    expect(lone(start(), ...unread)).toMatchObject({ state: "needs-attention", resolutions: [] });
    expect(lone(start(), ...unread, started(), completed)).toMatchObject({
      state: "discarded",
      resolutions: [{ action: "discard", counted: true, at: at(0) }],
    });
  });

  test("come before what has ended meanwhile", () => {
    const waits = [...firstFailed, fired(1010), signal("mark-delivered"), started(1020), completed];
    expect(lone(start(), ...waits)).toMatchObject({ state: "delivered", attemptCount: 1 });
  });

  test("that came before the first task make the attempt a regular one", () => {
    const early = lone(start(), signal("replay"), started(30), completed, scheduled(7));
    expect(early).toMatchObject({ state: "delivering", resolutions: [{ refusedBecause: "not-parked", at: at(30) }] });
    expect(lone(start(), signal("discard"), started(30), completed)).toMatchObject({
      state: "discarded",
      attemptCount: 0,
    });
  });

  test("during a local attempt wait for its answer", () => {
    // The task asked for more time after 8 s, and the update came with it.
    const during = [started(), completed, started(8000), completed, update("mark-delivered"), local(attempted(second))];
    expect(lone(start(), ...during)).toMatchObject({
      state: "delivered",
      attemptCount: 1,
      resolutions: [{ action: "mark-delivered", counted: false, refusedBecause: "already-ended", at: at(8000) }],
    });
    const failing = [started(), completed, started(8000), completed, update("discard"), local(attempted(retried))];
    expect(lone(start(), ...failing)).toMatchObject({ state: "discarded", resolutions: [{ counted: true }] });
  });

  test("wait while it is looked for the attempt of a lost task", () => {
    const looking = [signal("discard"), started(), lost, started(9000), completed];
    expect(lone(start(), ...looking)).toMatchObject({ state: "accepted", resolutions: [] });
    const found = [...looking, started(17_000), completed, local(attempted(aDeliveredAttempt()))];
    expect(lone(start(), ...found)).toMatchObject({
      state: "delivered",
      resolutions: [{ refusedBecause: "already-ended", at: at(9000) }],
    });
    const none = [...looking, started(17_000), completed, local({ kind: "set-aside", endpoint: "crm" })];
    expect(lone(start(), ...none)).toMatchObject({ state: "discarded", attemptCount: 0 });
    const failed: HistoryEntry = {
      entry: "local-activity",
      type: "attemptDelivery",
      result: undefined,
      failed: true,
      atMs: NOON_MS,
    };
    expect(lone(start(), ...looking, started(17_000), completed, failed)).toMatchObject({
      state: "discarded",
      attemptCount: 0,
    });
  });

  test("find a retry whose task the server refused", () => {
    const refusedTask = [...firstFailed, fired(1010), started(1020), lost, signal("discard"), started(1400), completed];
    expect(lone(start(), ...refusedTask, local(attempted(second)))).toMatchObject({
      state: "delivered",
      attemptCount: 2,
    });
    expect(lone(start(), ...refusedTask)).toMatchObject({ state: "delivering", resolutions: [] });
  });

  test("do not wait where the lost task cannot have made an attempt", () => {
    const waiting = [...firstFailed, signal("discard"), started(500), lost, started(900), completed];
    expect(lone(start(), ...waiting)).toMatchObject({ state: "discarded", attemptCount: 1 });
    const parked = [started(), completed, local(attempted(anAttempt({ outcome: "refused" })))];
    const marked = [...parked, signal("mark-delivered"), started(), lost, started(), completed];
    expect(lone(start(), ...marked)).toMatchObject({ state: "delivered" });
  });
});

describe("a cancel request", () => {
  const cancel: HistoryEntry = { entry: "cancel-requested", atMs: NOON_MS };

  test("discards once the workflow knows of it", () => {
    expect(lone(start(), ...firstFailed, cancel)).toMatchObject({ state: "waiting-retry" });
    expect(lone(start(), ...firstFailed, cancel, started(), completed)).toMatchObject({ state: "discarded" });
    expect(lone(start(), cancel, started(), completed)).toMatchObject({ state: "discarded", attemptCount: 0 });
  });

  test("leaves an attempt in flight its answer", () => {
    const flying = [started(), completed, scheduled(5), cancel, started(), completed];
    const run = start(["crm"], { idempotent: false });
    expect(lone(run, ...flying)).toMatchObject({ state: "delivering" });
    expect(lone(run, ...flying, returned(5, attempted(second)))).toMatchObject({ state: "delivered", attemptCount: 1 });
  });

  test("waits while it is looked for the attempt of a lost task", () => {
    const refusedTask = [...firstFailed, fired(1010), started(1020), lost, cancel, started(1400), completed];
    expect(lone(start(), ...refusedTask, local(attempted(second)))).toMatchObject({
      state: "delivered",
      attemptCount: 2,
    });
  });
});

describe("a plain start", () => {
  test("has no delivery until its routes are known", () => {
    // An attempt nobody could have made yet is not believed either.
    expect(stateOf(plainStart, started(), completed, local(attempted(second))).deliveries).toEqual([]);
    expect(stateOf(plainStart, started())).toMatchObject({
      state: "accepted",
      fingerprint: "sha256:noted",
      deliveries: [],
    });
  });

  test("tells the first attempt made on the way", () => {
    const tried = lone(
      plainStart,
      started(),
      completed,
      resolvedRoutes(aPlan(["crm"]), attempted(aDeliveredAttempt())),
    );
    expect(tried).toMatchObject({ state: "delivered", attemptCount: 1 });
    const all = [started(), completed, resolvedRoutes(aPlan(["crm"]), attempted(retried)), fired(1010), started(1020)];
    expect(lone(plainStart, ...all)).toMatchObject({ state: "delivering", waitingFor: null, attemptCount: 1 });
  });

  test("goes to several endpoints once the routes are known", () => {
    const routed = [
      started(),
      completed,
      resolvedRoutes(aPlan(["crm", "ledger"])),
      scheduled(6, "crm"),
      scheduled(7, "ledger"),
    ];
    expect(stateOf(plainStart, ...routed).deliveries.map(({ state }) => state)).toEqual(["delivering", "delivering"]);
  });

  test("keeps a message that came before the event was accepted", () => {
    const routed = [
      signal("discard"),
      started(40),
      completed,
      resolvedRoutes(aPlan(["crm"]), { kind: "set-aside", endpoint: "crm" }),
    ];
    expect(lone(plainStart, ...routed)).toMatchObject({
      state: "discarded",
      resolutions: [{ counted: true, at: at(40) }],
    });
    const answeredFirst = [
      signal("discard"),
      started(40),
      completed,
      resolvedRoutes(aPlan(["crm"]), attempted(aDeliveredAttempt())),
    ];
    expect(lone(plainStart, ...answeredFirst)).toMatchObject({ state: "delivered", resolutions: [{ counted: false }] });
    const cancel: HistoryEntry = { entry: "cancel-requested", atMs: NOON_MS };
    expect(lone(plainStart, cancel, started(), completed, resolvedRoutes(aPlan(["crm"])))).toMatchObject({
      state: "discarded",
    });
  });

  test("asks for its routes again when the first look failed", () => {
    const asks: HistoryEntry = {
      entry: "activity-scheduled",
      id: 5,
      activityId: "5",
      type: "resolveRoutes",
      input: { v: 1 },
      atMs: NOON_MS,
    };
    const failed: HistoryEntry = {
      entry: "local-activity",
      type: "resolveRoutes",
      result: undefined,
      failed: true,
      atMs: NOON_MS,
    };
    const again = [started(), completed, failed, asks];
    expect(stateOf(plainStart, ...again)).toMatchObject({ state: "accepted", deliveries: [] });
    expect(stateOf(plainStart, ...again, broke(5, false))).toMatchObject({ deliveries: [] });
    const came: HistoryEntry = {
      entry: "activity-completed",
      scheduledId: 5,
      result: { source: "shop", plan: aPlan(["crm"]) },
      atMs: NOON_MS,
    };
    expect(lone(plainStart, ...again, came)).toMatchObject({ state: "accepted" });
    expect(lone(plainStart, ...again, came, started())).toMatchObject({ state: "delivering", waitingFor: null });
    const other = { ...came, result: { source: "shop", plan: aPlan(["crm", "ledger"]) } };
    expect(stateOf(plainStart, ...again, came, other).deliveries).toHaveLength(1);
  });
});
