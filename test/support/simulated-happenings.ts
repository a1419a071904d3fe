/** What the outside does between two workflow tasks of a simulated run: timers, ends of activities, a cancel request. */
import { wantsRecall } from "../../src/delivery/next-action.ts";
import { someLookup, someResult } from "./simulated-answers.ts";
import { type Clock, sleepUntil } from "./simulated-clocks.ts";
import { someAnswer } from "./simulated-deliveries.ts";
import {
  accept,
  type Command,
  deliveryAt,
  followerAt,
  live,
  type Question,
  type Timer,
  type World,
  write,
} from "./simulated-world.ts";

/** Folds the end in once a task has read it. */
type End = (atMs: number, commands: Command[]) => void;

export interface Happenings {
  readonly ends: readonly End[];
  readonly timer: boolean;
  readonly cancel: boolean;
}

export function happen(world: World): Happenings {
  const areAnswersFirst = world.pick(2) === 0;
  const first = areAnswersFirst ? answersCame(world) : [];
  const timers = timersFired(world);
  const ends = areAnswersFirst ? [...first, ...timers] : [...timers, ...answersCame(world)];
  const cancel = !world.canceled && world.pick(60) === 59;
  if (cancel) {
    world.canceled = true;
    write(world, { entry: "cancel-requested" });
  }
  return { ends, timer: timers.length > 0, cancel };
}

function answersCame(world: World): readonly End[] {
  return [...world.open].flatMap(([scheduledId, open]) => {
    if (world.pick(3) === 0) return [];
    world.open.delete(scheduledId);
    return [came(world, scheduledId, open)];
  });
}

/** One in so many of the timers that run fires before the next task. */
const CHANCES: Readonly<Record<Timer["of"], number>> = {
  wait: 2,
  listening: 3,
  reminder: 3,
  escalation: 3,
  expiry: 12,
};

function timersFired(world: World): readonly End[] {
  const fired = [...world.timers].filter(([, { of }]) => world.pick(CHANCES[of]) === CHANCES[of] - 1);
  return fired.map(([timerId, timer]) => {
    if ("dueMs" in timer && !wakesEarly(world, timer)) world.nowMs = Math.max(world.nowMs, timer.dueMs);
    if (timer.of === "wait") world.nowMs = Math.max(world.nowMs, timer.firesAtMs);
    world.timers.delete(timerId);
    write(world, { entry: "timer-fired", timerId });
    return firedEnd(world, timer);
  });
}

/** A worker's clock may be behind the server's, which fires timers in the order of their times. */
function wakesEarly(world: World, { dueMs }: Clock): boolean {
  const isFirst = [...world.timers.values()].every((other) => !("dueMs" in other) || other.dueMs >= dueMs);
  return isFirst && world.pick(5) === 0;
}

function firedEnd(world: World, timer: Timer): End {
  return (atMs, commands) => {
    const { endpoint, wait } = deliveryAt(world, timer.index);
    if ("dueMs" in timer) sleepUntil(world, timer, { atMs, commands });
    else if (timer.of === "wait" && timer.wait === wait) live(world, { fact: "wait-over", endpoint }, atMs);
    else if (timer.of === "listening") live(world, { fact: "time-passed" }, atMs);
  };
}

function came(world: World, scheduledId: number, open: Question | "resolveRoutes" | "notifyPeople"): End {
  if (open === "notifyPeople") {
    write(world, { entry: "activity-completed", scheduledId, result: null });
    return () => undefined;
  }
  if (open === "resolveRoutes") {
    write(world, { entry: "activity-completed", scheduledId, result: { source: "shop", plan: world.plan } });
    return (atMs) => accept(world, atMs);
  }
  switch (open.asks) {
    case "plan":
    case "examine": {
      const { result, tell } = someAnswer(world, open);
      write(world, { entry: "activity-completed", scheduledId, result });
      return tell;
    }
    case "attempt":
      return attemptCame(world, scheduledId, open);
    case "lookup":
      return lookupCame(world, scheduledId, open);
    case "lane":
      throw new TypeError("A lane is only asked for locally");
  }
}

/** Its follower may not wait for it any more: then whatever comes changes nothing. */
function lookupCame(world: World, scheduledId: number, question: Extract<Question, { asks: "lookup" }>): End {
  const { index, endpoint } = question;
  const isWanted = followerAt(world, index).lookup === scheduledId;
  const ended = (fact: Parameters<typeof live>[1]) => (atMs: number) => {
    const follower = followerAt(world, index);
    if (follower.lookup !== scheduledId) return;
    follower.lookup = null;
    follower.busy = false;
    live(world, fact, atMs);
  };
  if (!isWanted && world.pick(2) === 0) {
    write(world, { entry: "activity-failed", scheduledId, timedOut: false, canceled: true });
    return () => undefined;
  }
  const fate = world.pick(10);
  if (fate === 0) {
    write(world, { entry: "activity-failed", scheduledId, timedOut: world.pick(2) === 0 });
    return ended({ fact: "lookup-broken", endpoint });
  }
  const result = someLookup(world, question);
  write(world, { entry: "activity-completed", scheduledId, result });
  return ended({ fact: "looked-up", result });
}

function attemptCame(world: World, scheduledId: number, question: Extract<Question, { asks: "attempt" }>): End {
  const { index, endpoint, number, via } = question;
  const ended = (fact: Parameters<typeof live>[1]) => (atMs: number) => {
    followerAt(world, index).busy = false;
    live(world, fact, atMs);
  };
  const delivery = deliveryAt(world, index);
  if (wantsRecall(delivery) && world.pick(2) === 0) {
    write(world, { entry: "activity-failed", scheduledId, timedOut: false, canceled: true });
    return ended({ fact: "attempt-set-aside", endpoint });
  }
  const fate = world.pick(8);
  if (fate > 1) {
    const result = someResult(world, { endpoint, number, via, delivery });
    write(world, { entry: "activity-completed", scheduledId, result });
    return ended({ fact: "attempt-reported", via, result });
  }
  write(world, { entry: "activity-failed", scheduledId, timedOut: fate === 0 });
  return ended({ fact: fate === 0 ? "attempt-lost" : "attempt-broken", endpoint });
}
