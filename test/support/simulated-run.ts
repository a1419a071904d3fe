/**
 * A run of an event, played out by a tape of choices: the facts its workflow would live,
 * and beside them the history the server would write. A model, so it decides nothing
 * itself: ways, waits and verdicts are those of `delivery/`.
 */
import { begin } from "../../src/delivery/advance.ts";
import { chooseWay } from "../../src/delivery/choose-way.ts";
import { isTerminal } from "../../src/delivery/event-state.ts";
import type { AttemptResult } from "../../src/delivery/facts.ts";
import type { HistoryEntry, RunStart } from "../../src/delivery/history-entries.ts";
import type { EventPlan } from "../../src/delivery/plan.ts";
import type { EventProgress } from "../../src/delivery/progress.ts";
import { aPlan, anIdentity, NOON_MS, someSettings } from "./deliveries.ts";
import { someMessages, someRecord, someResult } from "./simulated-answers.ts";
import { decide } from "./simulated-deliveries.ts";
import { happen } from "./simulated-happenings.ts";
import {
  accept,
  type Command,
  deliveryAt,
  endOfLocal,
  live,
  newWorld,
  release,
  schedule,
  type World,
  write,
} from "./simulated-world.ts";

export interface SimulatedRun {
  readonly start: RunStart;
  readonly entries: readonly HistoryEntry[];
  readonly lived: EventProgress;
  /** Every state on the way there. */
  readonly trace: readonly EventProgress[];
}

const MAX_TASKS = 24;

/** Plays a run until it ends or the tape has decided often enough; stops right after a completed task. */
export function simulateRun(tape: readonly number[]): SimulatedRun {
  let position = 0;
  const pick = (bound: number): number => (tape[position++] ?? 0) % bound;
  const plan = somePlan(pick);
  const isPlanned = pick(3) > 0;
  const event = anIdentity();
  const start: RunStart = {
    event,
    plan: isPlanned ? plan : null,
    fingerprint: plan.fingerprint,
    startedMs: NOON_MS,
  };
  const world = newWorld(pick, plan);
  if (isPlanned) accept(world, NOON_MS);
  const tasks = 1 + pick(MAX_TASKS);
  for (let task = 0; task < tasks && position < tape.length && !hasEnded(world); task += 1) runTask(world, task);
  const { entries, trace, progress } = world;
  const unaccepted = begin({ fact: "accepted", atMs: NOON_MS, event, plan: { ...plan, deliveries: [] } });
  return { start, entries, trace, lived: progress ?? unaccepted };
}

function somePlan(pick: World["pick"]): EventPlan {
  const { retry } = someSettings();
  const idempotent = pick(4) > 0;
  const lookup = !idempotent && pick(4) > 0 ? { reconcile: true as const } : {};
  const changes = { lane: pick(6) === 0, idempotent, ...lookup, retry: { ...retry, scheduleMs: [1000, 2000] } };
  const plan = aPlan(["crm", "ledger", "mail"].slice(0, Math.max(1, pick(5) - 1)), changes);
  const deliveries = plan.deliveries.map(({ endpoint, settings }) => {
    return { endpoint, settings: pick(2) === 0 ? settings : { ...settings, approval: true as const } };
  });
  return { ...plan, deliveries };
}

function hasEnded({ progress, timers }: World): boolean {
  const isListening = [...timers.values()].some(({ of }) => of === "listening");
  return !isListening && (progress?.deliveries.every(({ state }) => isTerminal(state)) ?? false);
}

/** What the outside did since the last task, then one task: its inputs, what the workflow makes of them, its commands. */
function runTask(world: World, task: number): void {
  const signals = someMessages(world);
  for (const message of signals) write(world, { entry: "message", message });
  const { ends, timer, cancel } = happen(world);
  const { losses, startedMs } = beginTask(world);
  const updates = someMessages(world);
  const messages = [...signals, ...updates].map((message) => ({ fact: "message", message, atMs: startedMs }) as const);
  world.held.push(...messages, ...(cancel ? [{ fact: "cancel-requested", atMs: startedMs } as const] : []));
  const commands: Command[] = updates.map((message) => ({ entry: "update-accepted", message }));
  const disturbed = losses > 0 || updates.length > 0;
  const looks = looksForAnAttempt(world, task === 0 ? disturbed : timer);
  if (!looks) release(world);
  for (const end of ends) end(startedMs, commands);
  const beforeMs = looks ? look(world, { mayFind: losses > 0, atMs: startedMs }, commands) : startedMs;
  const atMs = world.progress === null ? resolveRoutes(world, beforeMs, commands) : beforeMs;
  if (world.progress !== null) decide(world, atMs, { commands, beat: (written) => beat(world, written, "attempt") });
  write(world, { entry: "task-completed" });
  for (const command of commands) write(world, command);
}

/** As the workflow decides it: something has arrived for the first time, where a local attempt may have been made unseen. */
function looksForAnAttempt(world: World, suspicious: boolean): boolean {
  const only = world.progress?.deliveries.length === 1 ? world.progress.deliveries[0] : undefined;
  if (only === undefined || world.held.length === 0 || world.progress?.messages !== 0) return false;
  const { settings, leftLocal, sentToLane } = only;
  const way = chooseWay({ settings, deliveries: 1, messages: 0, leftLocal, sentToLane });
  return suspicious && way === "local" && only.inFlight === null;
}

function look(
  world: World,
  { mayFind, atMs }: { readonly mayFind: boolean; readonly atMs: number },
  commands: Command[],
): number {
  const { endpoint, attempts } = deliveryAt(world, 0);
  const number = attempts.length + 1;
  const found: readonly (AttemptResult | undefined)[] = [
    { kind: "set-aside", endpoint },
    undefined,
    ...(mayFind
      ? [
          { kind: "lost", endpoint, number } as const,
          { kind: "attempted", endpoint, record: someRecord(world, number, "local") } as const,
        ]
      : []),
  ];
  const endMs = endOfLocal(world, mayFind && world.pick(4) === 0 ? beat(world, commands, "look") : atMs);
  const result = found[world.pick(found.length)];
  commands.push({
    entry: "local-activity",
    type: "attemptDelivery",
    result,
    failed: result === undefined,
    atMs: endMs,
  });
  if (result !== undefined && result.kind !== "set-aside")
    live(world, { fact: "attempt-reported", via: "local", result }, endMs);
  release(world);
  return endMs;
}

/** A task may be lost a few times before a worker sees it through; returns the start of that one. */
function beginTask(world: World): { readonly losses: number; readonly startedMs: number } {
  const losses = world.pick(5) === 0 ? 1 + world.pick(2) : 0;
  for (let lost = 0; lost < losses; lost += 1) {
    write(world, { entry: "task-started" });
    write(world, { entry: "task-lost" });
  }
  write(world, { entry: "task-started" });
  return { losses, startedMs: world.nowMs };
}

function resolveRoutes(world: World, atMs: number, commands: Command[]): number {
  if ([...world.open.values()].includes("resolveRoutes")) return atMs;
  const type = "resolveRoutes";
  const endMs = endOfLocal(world, atMs);
  if (world.pick(4) === 0) {
    commands.push({ entry: "local-activity", type, result: undefined, failed: true, atMs: endMs });
    schedule(world, { type, input: { v: 1 }, open: type }, commands);
    return endMs;
  }
  const [only, ...others] = world.plan.deliveries;
  const alone = only !== undefined && others.length === 0 ? only : null;
  const way = alone && chooseWay({ ...alone, deliveries: 1, messages: 0, leftLocal: false, sentToLane: false });
  const facts = { endpoint: alone?.endpoint ?? "", number: 1, via: "local", delivery: null } as const;
  const first = way === "local" ? someResult(world, facts) : null;
  const result = { source: "shop", plan: world.plan, ...(first === null ? {} : { first }) };
  commands.push({ entry: "local-activity", type, result, failed: false, atMs: endMs });
  accept(world, endMs, first);
  return endMs;
}

/** A task that holds a long local attempt asks for more time: it completes without the attempt's marker, and another begins. */
function beat(world: World, commands: Command[], during: "attempt" | "look"): number {
  write(world, { entry: "task-completed" });
  for (const command of commands.splice(0)) write(world, command);
  const signals = someMessages(world);
  for (const message of signals) write(world, { entry: "message", message });
  write(world, { entry: "task-started" });
  const startedMs = world.nowMs;
  const updates = someMessages(world);
  commands.push(...updates.map((message) => ({ entry: "update-accepted", message }) as const));
  for (const message of [...signals, ...updates]) world.held.push({ fact: "message", message, atMs: startedMs });
  if (during === "attempt") release(world);
  return startedMs;
}
