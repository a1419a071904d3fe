import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOON_MS } from "../../test/support/deliveries.ts";
import type { SeenTaskEvent, TaskEvent } from "./lost-attempt.ts";
import { type Asker, isEarlier, isRemembered, ownLossesSince } from "./own-loss.ts";

const SELF = "7@here-0a1b2c3d";
const OTHER = "7@here-99999999";

/** Oldest first, a minute before noon and each 5 s after the one before, unless it says how long (ms). */
type Written = TaskEvent | readonly [event: TaskEvent, afterMs: number] | { readonly startedBy: string };

function history(...written: readonly Written[]): readonly SeenTaskEvent[] {
  let atMs = NOON_MS - 60_000;
  return written
    .map((one, index): SeenTaskEvent => {
      atMs += Array.isArray(one) ? Number(one[1]) : 5000;
      const place = { id: index + 1, atMs };
      if (typeof one === "object" && "startedBy" in one)
        return { event: "task-started", ...place, worker: one.startedBy };
      return { event: typeof one === "string" ? one : one[0], ...place };
    })
    .toReversed();
}

const MINE = { startedBy: SELF };
const NEXT: Written = ["task-scheduled", 0];
const LOST: readonly Written[] = ["task-scheduled", MINE, ["task-timed-out", 10_000]];
/** What an execution concludes that was given the whole history, with its own task at the end, written or not. */
const ownSince = (written: readonly Written[]): number | null =>
  ownLossesSince(history(...written), { worker: SELF, historyLength: written.length + 2 });
const RETRY_WAIT: readonly Written[] = ["task-completed", "other", "other", "other"];

describe("ownLossesSince", () => {
  test.each<[string, readonly Written[], number]>([
    ["the first task", ["other", ...LOST], -45_000],
    ["the first task, and the present one is written", ["other", ...LOST, NEXT, MINE], -45_000],
    ["a task that was refused for a message that had come", ["other", "task-scheduled", MINE, "task-failed"], -45_000],
    ["a task between retries", ["other", "task-scheduled", MINE, ...RETRY_WAIT, ...LOST], -15_000],
    ["a task after one that only gave a sign of life", ["other", NEXT, MINE, "task-completed", ...LOST], -35_000],
    ["a task on its own queue, then one on everybody's", ["other", ...LOST, NEXT, MINE, "task-timed-out"], -45_000],
    [
      "a task during which a message came",
      ["other", "task-scheduled", MINE, ["task-timed-out", 10_000], ["message", -3000], ["task-scheduled", 3000]],
      -45_000,
    ],
    ["a task before which messages came", ["other", "message", "task-scheduled", "message", ...LOST.slice(1)], -35_000],
  ])("tells when it began: %s", (_, written, sinceMs) => {
    expect(ownSince(written)).toBe(NOON_MS + sinceMs);
  });

  test.each<[string, readonly Written[]]>([
    ["none was lost", ["other", "task-scheduled", MINE]],
    ["the task was somebody else's", ["other", "task-scheduled", { startedBy: OTHER }, "task-timed-out"]],
    ["nobody says whose it was", ["other", "task-scheduled", "task-started", "task-timed-out"]],
    [
      "the first of two was somebody else's",
      ["other", NEXT, { startedBy: OTHER }, "task-timed-out", NEXT, ...LOST.slice(1)],
    ],
    ["the second of two was somebody else's", ["other", ...LOST, NEXT, { startedBy: OTHER }, "task-timed-out"]],
    ["its start was not read", ["task-timed-out"]],
    ["what is behind it was not read", [...LOST]],
    ["a message came after the loss, perhaps while another had the task", ["other", ...LOST, "message"]],
    ["a message came in the moment of the loss", ["other", ...LOST, ["message", 0]]],
    ["the next task came late, perhaps after another one", ["other", ...LOST, "task-scheduled"]],
    ["a task expired before on the queue of a worker that died", ["other", NEXT, "task-expired-in-queue", ...LOST]],
    ["the start of the second one is not there", ["other", ...LOST, NEXT, "task-timed-out"]],
    ["the present one is somebody else's", ["other", ...LOST, NEXT, { startedBy: OTHER }]],
    ["a task was completed since", ["other", ...LOST, NEXT, MINE, "task-completed", NEXT, MINE]],
  ])("tells nothing when %s", (_, written) => {
    expect(ownSince(written)).toBeNull();
  });

  test.each<[string, readonly Written[], number, number | null]>([
    ["the execution that was lost", ["other", ...LOST], 3, null],
    ["the next one, whose own task is not written", ["other", ...LOST], 6, -45_000],
    ["the next one, being lost as well", ["other", ...LOST, NEXT, MINE, "task-timed-out"], 6, null],
    ["the one after that", ["other", ...LOST, NEXT, MINE, "task-timed-out"], 9, -45_000],
  ])("answers %s by the history that this was given", (_, written, historyLength, sinceMs) => {
    const expected = sinceMs === null ? null : NOON_MS + sinceMs;
    expect(ownLossesSince(history(...written), { worker: SELF, historyLength })).toBe(expected);
  });
});

describe("isRemembered", () => {
  const young = {
    sinceMs: NOON_MS,
    present: { attempt: 2, startedMs: NOON_MS + 10_000 },
    nowMs: NOON_MS + 12_000,
  };

  test.each<[string, Partial<typeof young>, boolean]>([
    ["a task that is handed out for the second time", {}, true],
    ["one that is handed out anew because something came in", { present: { attempt: 1, startedMs: NOON_MS } }, true],
    ["up to half a minute", { present: { attempt: 2, startedMs: NOON_MS + 29_999 } }, true],
    ["a clock of ours that is behind", { nowMs: NOON_MS - 5000 }, true],
    ["a third time: whose the second was, nobody has written", { present: { attempt: 3, startedMs: NOON_MS } }, false],
    ["half a minute", { present: { attempt: 2, startedMs: NOON_MS + 30_000 } }, false],
    ["a process that was frozen meanwhile", { nowMs: NOON_MS + 45_000 }, false],
  ])("judges %s", (_, changes, expected) => {
    expect(isRemembered({ ...young, ...changes })).toBe(expected);
  });

  test("says no where the server has handed out no task: whoever asks is the lost one", () => {
    expect(isRemembered({ ...young, present: null })).toBe(false);
  });
});

describe("isEarlier", () => {
  const one = { historyLength: 3, scheduledAtMs: NOON_MS };

  test.each([
    ["a shorter history, whatever the time", { historyLength: 6, scheduledAtMs: NOON_MS - 1 }, true],
    ["the same history, but a later start", { historyLength: 3, scheduledAtMs: NOON_MS + 1 }, true],
    ["the very same", one, false],
    ["a longer history", { historyLength: 2, scheduledAtMs: NOON_MS + 1 }, false],
  ])("compares with %s", (_, other, expected) => {
    expect(isEarlier(one, other)).toBe(expected);
  });
});

/** One loss, as the server sees it. */
interface Loss {
  readonly worker: string;
  readonly fate: "task-timed-out" | "task-failed";
  /** Until it is taken up, and from there to its loss. */
  readonly waitMs: number;
  readonly tookMs: number;
  /** A message comes while nobody has the task, or while somebody has. */
  readonly message: "none" | "waiting" | "running";
}

const aLoss: fc.Arbitrary<Loss> = fc.record({
  worker: fc.constantFrom(SELF, SELF, SELF, OTHER),
  fate: fc.constantFrom("task-timed-out", "task-failed"),
  waitMs: fc.constantFrom(0, 1, 500, 2000),
  tookMs: fc.constantFrom(0, 1, 200, 10_000),
  message: fc.constantFrom("none", "none", "none", "waiting", "running"),
});

interface Circumstances {
  /** Whether the first task waits on a worker's own queue. */
  readonly isSticky: boolean;
  /** Worker that has the present task. */
  readonly presentBy?: string;
}

/**
 * Temporal's rules (1.2x, `workflow_task_state_machine.go`): a loss counts an attempt up, except on a worker's own
 * queue, which is given up instead; a task above its first attempt is not written, nor is its loss; what has come in
 * is written with the loss and makes the next attempt the first again, or when the task is taken up.
 */
function aServer(losses: readonly Loss[], { isSticky, presentBy = SELF }: Circumstances) {
  const written: SeenTaskEvent[] = [{ event: "other", id: 1, atMs: NOON_MS }];
  const given: Asker[] = [];
  const server = { nowMs: NOON_MS, attempt: 1, isSticky };
  const write = (event: TaskEvent, worker?: string): void =>
    void written.push({
      event,
      id: written.length + 1,
      atMs: server.nowMs,
      ...(worker === undefined ? {} : { worker }),
    });
  const schedule = (): void => void (server.attempt === 1 && write("task-scheduled"));
  const takeUp = ({ worker, waitMs, message }: Pick<Loss, "worker" | "waitMs" | "message">): void => {
    if (message === "waiting") write("message");
    server.nowMs += waitMs;
    if (message === "waiting" && server.attempt > 1) {
      server.attempt = 1;
      schedule();
    }
    if (server.attempt === 1) write("task-started", worker);
    // The worker is given the two events of its task also where they are not written.
    given.push({ worker, historyLength: written.length + (server.attempt === 1 ? 0 : 2) });
  };
  const lose = ({ fate, tookMs, message }: Loss): void => {
    const cameMs = server.nowMs + Math.floor(tookMs / 2);
    server.nowMs += tookMs;
    if (server.attempt === 1) write(fate);
    server.attempt = server.isSticky ? 1 : server.attempt + 1;
    server.isSticky = false;
    if (message === "running") {
      written.push({ event: "message", id: written.length + 1, atMs: cameMs });
      server.attempt = 1;
    }
    schedule();
  };
  schedule();
  for (const loss of losses) {
    takeUp(loss);
    lose(loss);
  }
  takeUp({ worker: presentBy, waitMs: 1, message: "none" });
  const present = { attempt: server.attempt, startedMs: server.nowMs };
  return { newestFirst: written.toReversed(), given, present, nowMs: server.nowMs };
}

/** What each execution concludes of this worker's, if it asks now: the lost ones, and last the present one. */
function conclusions(losses: readonly Loss[], circumstances: Circumstances): readonly boolean[] {
  const { newestFirst, given, present, nowMs } = aServer(losses, circumstances);
  return given.map((asker) => {
    const sinceMs = asker.worker === SELF ? ownLossesSince(newestFirst, asker) : null;
    return sinceMs !== null && isRemembered({ sinceMs, present, nowMs });
  });
}

/** What the present execution concludes. */
function areOwn(losses: readonly Loss[], isSticky: boolean): boolean {
  return conclusions(losses, { isSticky }).at(-1) === true;
}

describe("a worker", () => {
  test("never takes a task for its own that somebody else had, whatever the server has left out", () => {
    const losses = fc.array(aLoss, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(losses, fc.boolean(), (lost, isSticky) => {
        fc.pre(areOwn(lost, isSticky));
        expect(lost.map(({ worker }) => worker)).toEqual(lost.map(() => SELF));
      }),
      { numRuns: 2000, maxSkipsPerRun: 1000 },
    );
  });

  test("never lets an execution that was lost go on, whoever has the task now", () => {
    const losses = fc.array(aLoss, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(losses, fc.boolean(), fc.constantFrom(SELF, OTHER), (lost, isSticky, presentBy) => {
        const concluded = conclusions(lost, { isSticky, presentBy });
        expect(concluded.slice(0, -1)).toEqual(lost.map(() => false));
      }),
      { numRuns: 2000 },
    );
  });

  test("knows its own task again where nothing came in, also after its own queue was given up", () => {
    const own = aLoss.map((loss): Loss => ({ ...loss, worker: SELF, message: "none" }));
    fc.assert(
      fc.property(own, own, (first, second) => {
        expect([areOwn([first], false), areOwn([first], true), areOwn([first, second], true)]).toEqual([
          true,
          true,
          true,
        ]);
        expect(areOwn([first, second], false)).toBe(false);
      }),
    );
  });
});
