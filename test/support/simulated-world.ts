/**
 * The world of a simulated run: its clock, what the server has written, and what the workflow
 * has lived. What happens in it is decided by a tape of choices.
 */
import { advance, begin } from "../../src/delivery/advance.ts";
import type { ApprovalProgress } from "../../src/delivery/approval.ts";
import type { Way } from "../../src/delivery/attempt.ts";
import type { AttemptResult, Fact } from "../../src/delivery/facts.ts";
import type { HistoryEntry } from "../../src/delivery/history-entries.ts";
import type { EventPlan } from "../../src/delivery/plan.ts";
import type { Delivery, EventProgress, RetryWait } from "../../src/delivery/progress.ts";
import type { WithoutTime } from "../../src/delivery/without-time.ts";
import { anIdentity, NOON_MS } from "./deliveries.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;

/** What asks a worker, and has not been answered. */
export type Question = { readonly index: number; readonly endpoint: string } & (
  | { readonly asks: "attempt"; readonly number: number; readonly via: Way }
  | { readonly asks: "lane"; readonly number: number }
  /** `number` is that of the attempt it is about. */
  | { readonly asks: "lookup"; readonly number: number; readonly revision: number }
  /** `revision` is that of a new proposal, `digest` that of the one in force. */
  | { readonly asks: "plan"; readonly revision: number }
  | {
      readonly asks: "examine";
      readonly revision: number;
      readonly digest: string;
      readonly sequences: readonly number[];
    }
);

/** A timer that runs. After a rejection the run listens on; the clocks of a proposal show what they are for. */
export type Timer = { readonly index: number } & (
  | { readonly of: "wait"; readonly wait: RetryWait; readonly firesAtMs: number }
  | { readonly of: "listening" }
  | { readonly of: "expiry" | "reminder" | "escalation"; readonly dueMs: number; readonly position: number }
);

/** One delivery as its workflow follows it. */
export interface Follower {
  /** It waits for the answer to a question. */
  busy: boolean;
  /** Nothing is left to do. */
  done: boolean;
  /** The lookup whose answer it waits for; another one that is still under way is of no interest any more. */
  lookup: number | null;
  /** Revision of the proposal whose clocks run; null = none do. */
  clocksOf: number | null;
  /** That proposal as it was when they were started. */
  approval: ApprovalProgress | null;
}

export interface World {
  /** A number from 0 up to, but not, `bound`: the next choice of the tape, 0 beyond its end. */
  pick(bound: number): number;
  nowMs: number;
  readonly plan: EventPlan;
  readonly entries: HistoryEntry[];
  progress: EventProgress | null;
  /** Every state the workflow has been in. */
  readonly trace: EventProgress[];
  /** What has arrived but is not read yet: the event is not accepted, or an earlier attempt is looked for. */
  readonly held: Extract<Later, { fact: "message" | "cancel-requested" }>[];
  canceled: boolean;
  /** Regular activities under way, by the number of their scheduling event. */
  readonly open: Map<number, Question | "resolveRoutes" | "notifyPeople">;
  /** Local activities under way. */
  readonly locals: Question[];
  readonly timers: Map<string, Timer>;
  readonly followers: readonly Follower[];
  lastId: number;
}

/** What the workflow asks for in a task; written at its end, save where a time of its own is given. */
export type Command = WithoutTime<HistoryEntry> & { readonly atMs?: number };

export function newWorld(pick: World["pick"], plan: EventPlan): World {
  return {
    pick,
    plan,
    nowMs: NOON_MS,
    entries: [],
    progress: null,
    trace: [],
    held: [],
    canceled: false,
    open: new Map(),
    locals: [],
    timers: new Map(),
    followers: plan.deliveries.map(() => ({ busy: false, done: false, lookup: null, clocksOf: null, approval: null })),
    lastId: 0,
  };
}

function nextId(world: World): number {
  world.lastId += 1;
  return world.lastId;
}

export function write(world: World, entry: Command): void {
  world.nowMs += world.pick(400);
  world.entries.push({ atMs: world.nowMs, ...entry });
}

/** A local activity begun at `atMs` takes its time, and the workflow's clock goes on from its end. */
export function endOfLocal(world: World, atMs: number): number {
  world.nowMs = Math.max(world.nowMs, atMs + world.pick(300));
  return world.nowMs;
}

export function live(world: World, fact: WithoutTime<Later>, atMs: number): void {
  // Nothing but arrivals happens before the acceptance.
  if (world.progress === null) throw new TypeError(`${fact.fact} came before the event was accepted`);
  world.progress = advance(world.progress, { ...fact, atMs });
  world.trace.push(world.progress);
}

export function deliveryAt({ progress }: World, index: number): Delivery {
  const delivery = progress?.deliveries[index];
  if (delivery === undefined) throw new TypeError(`There is no delivery number ${index}`);
  return delivery;
}

export function followerAt({ followers }: World, index: number): Follower {
  const follower = followers[index];
  if (follower === undefined) throw new TypeError(`Nobody follows delivery number ${index}`);
  return follower;
}

export function release(world: World): void {
  if (world.progress === null) return;
  for (const { atMs, ...fact } of world.held.splice(0)) live(world, fact, atMs);
}

/** The event is accepted: with the first attempt, if one was made on the way, then with what was held. */
export function accept(world: World, atMs: number, first: AttemptResult | null = null): void {
  world.progress = begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: world.plan });
  world.trace.push(world.progress);
  if (first !== null) live(world, { fact: "attempt-reported", via: "local", result: first }, atMs);
  release(world);
}

export function schedule(
  world: World,
  { type, input, open }: { type: string; input: unknown; open: Question | "resolveRoutes" | "notifyPeople" },
  commands: Command[],
): number {
  const id = nextId(world);
  world.open.set(id, open);
  commands.push({ entry: "activity-scheduled", id, activityId: String(id), type, input });
  return id;
}

export function startTimer(world: World, timer: Timer, commands: Command[]): void {
  const timerId = String(nextId(world));
  world.timers.set(timerId, timer);
  commands.push({ entry: "timer-started", timerId });
}

export function stopTimers(world: World, isMeant: (timer: Timer) => boolean): void {
  for (const [id, timer] of world.timers) if (isMeant(timer)) world.timers.delete(id);
}
