/** What the workflow of a simulated run does in one task, until every delivery waits for something. */
import { chooseWay } from "../../src/delivery/choose-way.ts";
import { nextAction, wantsRecall } from "../../src/delivery/next-action.ts";
import { nextRevisionOf } from "../../src/delivery/progress.ts";
import { someExamination, someLaneAnswer, somePlanned, someResult } from "./simulated-answers.ts";
import { keepClocks } from "./simulated-clocks.ts";
import {
  type Command,
  deliveryAt,
  endOfLocal,
  followerAt,
  live,
  type Question,
  schedule,
  startTimer,
  stopTimers,
  type World,
} from "./simulated-world.ts";

/** Another task begins while local activities go on; returns its start. */
type Beat = (commands: Command[]) => number;

/** Deliveries go on side by side: which local activity ends first is the tape's choice. */
export function decide(world: World, atMs: number, { commands, beat }: { commands: Command[]; beat: Beat }): void {
  let nowMs = atMs;
  followAll(world, nowMs, commands);
  for (let question = takeLocal(world); question !== null; question = takeLocal(world)) {
    const beats = question.asks !== "lane" && world.locals.every(({ asks }) => asks !== "lane") && world.pick(6) === 0;
    if (beats) nowMs = afterBeat(world, question, { commands, nowMs: beat(commands) });
    nowMs = endOfLocal(world, nowMs);
    finish(world, question, { atMs: nowMs, commands });
    followAll(world, nowMs, commands);
  }
}

function takeLocal(world: World): Question | null {
  return world.locals.length === 0 ? null : (world.locals.splice(world.pick(world.locals.length), 1)[0] ?? null);
}

function afterBeat(
  world: World,
  question: Question,
  { commands, nowMs }: { commands: Command[]; nowMs: number },
): number {
  // A replay passes over the task that only beat, so that for it the attempt begins here; a loss tells.
  if (question.asks === "attempt") {
    const { endpoint, number, via } = question;
    live(world, { fact: "attempt-begun", endpoint, number, via }, nowMs);
  }
  followAll(world, nowMs, commands);
  return nowMs;
}

function followAll(world: World, atMs: number, commands: Command[]): void {
  for (const index of world.plan.deliveries.keys()) follow(world, index, { atMs, commands });
}

interface Now {
  readonly atMs: number;
  readonly commands: Command[];
}

/** The loop of one delivery, as far as it goes without an answer. */
function follow(world: World, index: number, now: Now): void {
  const follower = followerAt(world, index);
  forgetLookup(world, index);
  while (!follower.busy && !follower.done) {
    keepClocks(world, index, now);
    const delivery = deliveryAt(world, index);
    const { wait, endpoint, ballots, approval } = delivery;
    const digest = approval?.draft.digest ?? "";
    const revision = nextRevisionOf(delivery);
    stopTimers(world, (timer) => timer.index === index && timer.of === "wait" && timer.wait !== wait);
    switch (nextAction(delivery)) {
      case "nothing":
        follower.done = true;
        if (delivery.state === "rejected") startTimer(world, { index, of: "listening" }, now.commands);
        break;
      case "await-person":
      case "await-decision":
      case "await-release":
        return;
      case "reconcile":
        lookUp(world, index, now.commands);
        break;
      case "wait":
        return keepWaiting(world, index, now);
      case "plan":
        ask(world, { asks: "plan", index, endpoint, revision });
        break;
      case "examine":
        ask(world, {
          asks: "examine",
          index,
          endpoint,
          revision,
          digest,
          sequences: ballots.map(({ sequence }) => sequence),
        });
        break;
      case "attempt":
        attempt(world, index, now);
        break;
    }
  }
}

function ask(world: World, question: Question): void {
  followerAt(world, question.index).busy = true;
  world.locals.push(question);
}

/** As soon as somebody has ended the delivery, nobody waits for its lookup. */
function forgetLookup(world: World, index: number): void {
  const follower = followerAt(world, index);
  if (follower.lookup === null || nextAction(deliveryAt(world, index)) === "reconcile") return;
  follower.lookup = null;
  follower.busy = false;
}

function lookUp(world: World, index: number, commands: Command[]): void {
  const delivery = deliveryAt(world, index);
  const { endpoint, attempts } = delivery;
  const follower = followerAt(world, index);
  follower.busy = true;
  const revision = nextRevisionOf(delivery);
  const question: Question = { asks: "lookup", index, endpoint, number: attempts.length, revision };
  follower.lookup = scheduleQuestion(world, question, commands);
}

function keepWaiting(world: World, index: number, { atMs, commands }: Now): void {
  const { wait } = deliveryAt(world, index);
  const isRunning = [...world.timers.values()].some((timer) => timer.index === index && timer.of === "wait");
  if (wait !== null && !isRunning)
    startTimer(world, { index, of: "wait", wait, firesAtMs: atMs + wait.delayMs }, commands);
}

function attempt(world: World, index: number, { atMs, commands }: Now): void {
  const { endpoint, settings, leftLocal, sentToLane, attempts } = deliveryAt(world, index);
  const number = attempts.length + 1;
  const [deliveries, messages] = [world.plan.deliveries.length, world.progress?.messages ?? 0];
  const via = chooseWay({ settings, deliveries, messages, leftLocal, sentToLane });
  live(world, { fact: "attempt-begun", endpoint, number, via }, atMs);
  if (via === "local") return ask(world, { asks: "attempt", index, endpoint, number, via });
  if (via === "lane") return ask(world, { asks: "lane", index, endpoint, number });
  followerAt(world, index).busy = true;
  scheduleQuestion(world, { asks: "attempt", index, endpoint, number, via }, commands);
}

function scheduleQuestion(world: World, question: Question, commands: Command[]): number {
  const { endpoint } = question;
  const facts = question.asks === "attempt" ? { number: question.number, via: question.via } : {};
  return schedule(world, { type: TYPES[question.asks], input: { v: 1, endpoint, ...facts }, open: question }, commands);
}

const TYPES: Readonly<Record<Question["asks"], string>> = {
  attempt: "attemptDelivery",
  lane: "ensureLane",
  lookup: "reconcileDelivery",
  plan: "planDelivery",
  examine: "examineBallots",
};

/** A local activity has ended: its marker, and what follows from it. */
function finish(world: World, question: Question, now: Now): void {
  switch (question.asks) {
    case "plan":
    case "examine":
      return finishAsking(world, question, now);
    case "lane":
      return finishLane(world, question, now);
    case "attempt":
      return finishAttempt(world, question, now);
    case "lookup":
      throw new TypeError("A lookup is never a local activity");
  }
}

function mark(question: Question, result: unknown, { atMs, commands }: Now): void {
  commands.push({ entry: "local-activity", type: TYPES[question.asks], result, failed: result === undefined, atMs });
}

/** Where the local activity fails, a regular one asks on. */
function finishAsking(world: World, question: Extract<Question, { asks: "plan" | "examine" }>, now: Now): void {
  if (world.pick(6) === 0) {
    mark(question, undefined, now);
    return void scheduleQuestion(world, question, now.commands);
  }
  const { result, tell } = someAnswer(world, question);
  mark(question, result, now);
  tell(now.atMs);
}

/** What a worker says to a question about an approval, and how it is folded in. */
export function someAnswer(
  world: World,
  question: Extract<Question, { asks: "plan" | "examine" }>,
): { readonly result: unknown; readonly tell: (atMs: number) => void } {
  const answered = (fact: Parameters<typeof live>[1]) => (atMs: number) => {
    followerAt(world, question.index).busy = false;
    live(world, fact, atMs);
  };
  if (question.asks === "plan") {
    const planned = somePlanned(world, question);
    return { result: planned, tell: answered({ fact: "planned", planned }) };
  }
  const examination = someExamination(world, question);
  return { result: examination, tell: answered({ fact: "examined", examination }) };
}

function finishLane(world: World, question: Extract<Question, { asks: "lane" }>, now: Now): void {
  const { index, endpoint, number } = question;
  const result = someLaneAnswer(world, endpoint);
  mark(question, result, now);
  if (result?.kind === "withheld") {
    followerAt(world, index).busy = false;
    return live(world, { fact: "attempt-reported", via: "lane", result }, now.atMs);
  }
  if (!wantsRecall(deliveryAt(world, index)))
    return void scheduleQuestion(world, { asks: "attempt", index, endpoint, number, via: "lane" }, now.commands);
  // Taken back in the very task that would have scheduled it: neither is ever written.
  followerAt(world, index).busy = false;
  live(world, { fact: "attempt-set-aside", endpoint }, now.atMs);
}

function finishAttempt(world: World, question: Extract<Question, { asks: "attempt" }>, now: Now): void {
  const { index, endpoint, number, via } = question;
  followerAt(world, index).busy = false;
  const delivery = deliveryAt(world, index);
  const result = world.pick(8) === 0 ? undefined : someResult(world, { endpoint, number, via, delivery });
  mark(question, result, now);
  if (result === undefined) live(world, { fact: "attempt-set-aside", endpoint }, now.atMs);
  else live(world, { fact: "attempt-reported", via: "local", result }, now.atMs);
}
