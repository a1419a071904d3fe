/**
 * A run of an event, played out by a tape of choices: the facts its workflow would live,
 * and beside them the history the server would write. A model, so it decides nothing
 * itself: ways, waits and verdicts are those of `delivery/`.
 */
import { begin } from "../../src/delivery/advance.ts";
import { chooseWay } from "../../src/delivery/choose-way.ts";
import { isTerminal } from "../../src/delivery/event-state.ts";
import type { AttemptResult } from "../../src/delivery/facts.ts";
import type { HistoryEntry, RunStart } from "../../src/delivery/history.ts";
import type { EventPlan } from "../../src/delivery/plan.ts";
import type { Delivery, EventProgress } from "../../src/delivery/progress.ts";
import { aPlan, anIdentity, NOON_MS, someSettings } from "./deliveries.ts";
import { happen } from "./simulated-happenings.ts";
import {
  accept,
  accepted,
  type Command,
  endOfLocal,
  live,
  release,
  someMessages,
  someRecord,
  someResult,
  type World,
  write,
} from "./simulated-world.ts";

export interface SimulatedRun {
  readonly start: RunStart;
  readonly entries: readonly HistoryEntry[];
  readonly lived: EventProgress;
}

const MAX_TASKS = 14;

/** Plays a run until it ends or the tape has decided often enough; stops right after a completed task. */
export function simulateRun(tape: readonly number[]): SimulatedRun {
  let position = 0;
  const pick = (bound: number): number => (tape[position++] ?? 0) % bound;
  const plan = somePlan(pick);
  const planned = pick(3) > 0;
  const start: RunStart = {
    event: anIdentity(),
    plan: planned ? plan : null,
    fingerprint: plan.fingerprint,
    startedMs: NOON_MS,
  };
  const progress = planned ? begin({ fact: "accepted", atMs: NOON_MS, event: start.event, plan }) : null;
  const world: World = {
    pick,
    nowMs: NOON_MS,
    plan,
    entries: [],
    progress,
    held: [],
    canceled: false,
    open: new Map(),
  };
  const tasks = 1 + pick(MAX_TASKS);
  for (let task = 0; task < tasks && !hasEnded(world); task += 1) runTask(world, task);
  return { start, entries: world.entries, lived: world.progress ?? begin(accepted({ ...plan, deliveries: [] })) };
}

function somePlan(pick: World["pick"]): EventPlan {
  const { retry } = someSettings();
  const changes = { lane: pick(6) === 0, idempotent: pick(4) > 0, retry: { ...retry, scheduleMs: [1000, 2000] } };
  return aPlan(["crm", "ledger", "mail"].slice(0, Math.max(1, pick(5) - 1)), changes);
}

function hasEnded({ progress }: World): boolean {
  return progress?.deliveries.every(({ state }) => isTerminal(state)) ?? false;
}

/** What the outside did since the last task, then one task: its inputs, what the workflow makes of them, its commands. */
function runTask(world: World, task: number): void {
  const signals = someMessages(world);
  for (const message of signals) write(world, { entry: "message", message });
  const { ends, timer, cancel } = happen(world, task);
  const { losses, startedMs } = beginTask(world);
  const updates = someMessages(world);
  const messages = [...signals, ...updates].map((message) => ({ fact: "message", message, atMs: startedMs }) as const);
  world.held.push(...messages, ...(cancel ? [{ fact: "cancel-requested", atMs: startedMs } as const] : []));
  const commands: Command[] = updates.map((message) => ({ entry: "update-accepted", message }));
  const disturbed = losses > 0 || updates.length > 0;
  const looks = looksForAnAttempt(world, task === 0 ? disturbed : timer);
  if (!looks) release(world);
  for (const end of ends) end(startedMs);
  const atMs = looks ? look(world, { mayFind: losses > 0, atMs: startedMs }, commands) : startedMs;
  decide(world, atMs, commands);
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
  const [only] = world.progress?.deliveries ?? [];
  if (only === undefined) throw new TypeError("There is nothing to look for");
  const { endpoint } = only;
  const number = only.attempts.length + 1;
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

/** What the workflow does in one task, until every delivery waits for something. */
function decide(world: World, atMs: number, commands: Command[]): void {
  let sinceMs = world.progress === null ? resolveRoutes(world, atMs, commands) : atMs;
  for (const { endpoint } of world.plan.deliveries) {
    for (let delivery = dueOf(world, endpoint); delivery !== null; delivery = dueOf(world, endpoint)) {
      sinceMs = attempt(world, { delivery, atMs: sinceMs }, commands);
    }
  }
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
  const goesLocally = alone !== null && !alone.settings.lane && alone.settings.idempotent;
  const first = goesLocally ? someResult(world, { endpoint: alone.endpoint, number: 1, via: "local" }) : null;
  const result = { source: "shop", plan: world.plan, ...(first === null ? {} : { first }) };
  commands.push({ entry: "local-activity", type, result, failed: false, atMs: endMs });
  accept(world, endMs, first);
  return endMs;
}

function dueOf({ progress }: World, endpoint: string): Delivery | null {
  const delivery = progress?.deliveries.find((one) => one.endpoint === endpoint);
  if (delivery === undefined || isTerminal(delivery.state)) return null;
  return delivery.attention === null && delivery.wait === null && delivery.inFlight === null ? delivery : null;
}

/** Begins an attempt; a local one is over with it. Returns when the task goes on. */
function attempt(
  world: World,
  { delivery, atMs }: { readonly delivery: Delivery; readonly atMs: number },
  commands: Command[],
): number {
  const { endpoint, settings, leftLocal, sentToLane } = delivery;
  const number = delivery.attempts.length + 1;
  const [deliveries, messages] = [world.plan.deliveries.length, world.progress?.messages ?? 0];
  const via = chooseWay({ settings, deliveries, messages, leftLocal, sentToLane });
  live(world, { fact: "attempt-begun", endpoint, number, via }, atMs);
  if (via === "local") return attemptLocally(world, { endpoint, number, atMs }, commands);
  if (via === "lane")
    commands.push({
      entry: "local-activity",
      type: "ensureLane",
      result: { kind: "opened" },
      failed: world.pick(2) === 0,
    });
  const input = { v: 1, endpoint, number, via };
  schedule(world, { type: "attemptDelivery", input, open: { endpoint, number, via } }, commands);
  return atMs;
}

function attemptLocally(
  world: World,
  { endpoint, number, atMs }: { readonly endpoint: string; readonly number: number; readonly atMs: number },
  commands: Command[],
): number {
  const beatMs = world.pick(5) === 0 ? beat(world, commands, "attempt") : null;
  // A replay passes over the task that only beat, so that for it the attempt begins here; a loss tells.
  if (beatMs !== null) live(world, { fact: "attempt-begun", endpoint, number, via: "local" }, beatMs);
  const endMs = endOfLocal(world, beatMs ?? atMs);
  const failed = world.pick(8) === 0;
  const result = failed ? undefined : someResult(world, { endpoint, number, via: "local" });
  commands.push({ entry: "local-activity", type: "attemptDelivery", result, failed, atMs: endMs });
  if (result === undefined) live(world, { fact: "attempt-set-aside", endpoint }, endMs);
  else live(world, { fact: "attempt-reported", via: "local", result }, endMs);
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

function schedule(
  world: World,
  {
    type,
    input,
    open,
  }: { readonly type: string; readonly input: unknown; readonly open: NonNullable<ReturnType<World["open"]["get"]>> },
  commands: Command[],
): void {
  const id = 1000 + world.open.size + commands.length + 100 * world.entries.length;
  world.open.set(id, open);
  commands.push({ entry: "activity-scheduled", id, activityId: String(id), type, input });
}
