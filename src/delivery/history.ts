/**
 * From a run's history to its progress, so that reading a state needs no worker.
 *
 * The fold repeats what the workflow did: in each workflow task messages come first,
 * then what had ended, then what the workflow decided to do.
 */
import type { AttemptInput, LaneAnswer, ResolvedEvent } from "./activity-shapes.ts";
import { advance, begin } from "./advance.ts";
import type { Way } from "./attempt.ts";
import { chooseWay } from "./choose-way.ts";
import type { EventIdentity } from "./event-identity.ts";
import { isTerminal } from "./event-state.ts";
import type { AttemptResult, Fact, Message } from "./facts.ts";
import type { EventPlan } from "./plan.ts";
import type { Delivery, EventProgress } from "./progress.ts";

/** One history event, as far as the fold reads it; `atMs` is its time, milliseconds since the epoch. */
export type HistoryEntry = { readonly atMs: number } & (
  | { readonly entry: "message"; readonly message: Message }
  | { readonly entry: "cancel-requested" }
  | { readonly entry: "timer-fired" }
  | { readonly entry: "task-started" }
  | { readonly entry: "task-completed" }
  | { readonly entry: "task-lost" }
  | {
      readonly entry: "activity-scheduled";
      readonly id: number;
      readonly activityId: string;
      readonly type: string;
      readonly input: unknown;
    }
  | { readonly entry: "activity-completed"; readonly scheduledId: number; readonly result: unknown }
  | {
      readonly entry: "activity-failed";
      readonly scheduledId: number;
      readonly timedOut: boolean;
      /** Taken back before a worker began it. */
      readonly canceled?: boolean;
    }
  | {
      readonly entry: "local-activity";
      readonly type: string;
      readonly result: unknown;
      readonly failed: boolean;
      /** With `failed`: it ran out of its time. */
      readonly timedOut?: boolean;
    }
  | { readonly entry: "update-accepted"; readonly message: Message }
);

export interface RunStart {
  readonly event: EventIdentity;
  /** Null = a plain start whose routes the worker resolves. */
  readonly plan: EventPlan | null;
  readonly fingerprint: string;
  readonly startedMs: number;
}

interface Fold {
  readonly start: RunStart;
  progress: EventProgress | null;
  /** Messages the workflow has received but not yet read. */
  readonly held: Arrival[];
  /** The workflow looks for an attempt of an earlier execution. */
  clearing: boolean;
  /** No task has completed yet. */
  untouched: boolean;
  readonly scheduled: Map<number, Scheduled>;
}

type Arrival = Extract<Fact, { fact: "message" | "cancel-requested" }>;

interface Scheduled {
  readonly type: string;
  readonly endpoint: string;
  readonly number: number;
  readonly via: Way;
}

/** The progress of a run as far as the server has recorded it. */
export function progressFromHistory(start: RunStart, entries: readonly HistoryEntry[]): EventProgress {
  const fold: Fold = { start, progress: null, held: [], clearing: false, untouched: true, scheduled: new Map() };
  if (start.plan !== null) fold.progress = begin(acceptedFact(start, start.plan));
  const { tasks, rest } = splitByTask(entries);
  for (const task of tasks) foldTask(fold, task);
  foldRest(fold, rest);
  return fold.progress ?? begin(acceptedFact(start, { fingerprint: start.fingerprint, deliveries: [] }));
}

interface Task {
  /** The workflow's own time while it ran. */
  readonly atMs: number;
  readonly inputs: readonly HistoryEntry[];
  readonly commands: readonly HistoryEntry[];
}

/** Cuts a history at its completed workflow tasks; `rest` is what no task has seen yet. */
function splitByTask(entries: readonly HistoryEntry[]): {
  readonly tasks: readonly Task[];
  readonly rest: readonly HistoryEntry[];
} {
  const tasks: { atMs: number; inputs: HistoryEntry[]; commands: HistoryEntry[] }[] = [];
  let inputs: HistoryEntry[] = [];
  let startedMs = 0;
  for (const entry of entries) {
    if (entry.entry === "task-started") startedMs = entry.atMs;
    if (entry.entry === "task-completed") {
      tasks.push({ atMs: startedMs, inputs, commands: [] });
      inputs = [];
    } else if (isCommand(entry)) tasks.at(-1)?.commands.push(entry);
    else inputs.push(entry);
  }
  return { tasks, rest: inputs };
}

function isCommand({ entry }: HistoryEntry): boolean {
  return entry === "activity-scheduled" || entry === "local-activity" || entry === "update-accepted";
}

function foldTask(fold: Fold, { atMs, inputs, commands }: Task): void {
  fold.held.push(...arrivalsOf([...inputs, ...commands], atMs));
  const looked = looksForAnAttempt(fold, inputs, commands);
  fold.untouched = false;
  if (!looked) release(fold);
  for (const entry of inputs) foldEnd(fold, entry, atMs);
  if (looked) return foldLook(fold, commands, atMs);
  beginLocal(fold, atMs);
  if (commands.some(isLocalAttempt)) beginLocalAnew(fold, atMs);
  foldCommands(fold, commands, atMs);
}

function foldCommands(fold: Fold, commands: readonly HistoryEntry[], atMs: number): void {
  let nowMs = atMs;
  for (const entry of commands) {
    // The end of a local activity moves the workflow's clock on within its task; an attempt begins before its lane is opened.
    if (entry.entry === "local-activity" && entry.type !== "ensureLane") nowMs = Math.max(nowMs, entry.atMs);
    foldCommand(fold, entry, nowMs);
  }
}

/**
 * Whether the workflow, before it read what had arrived, looked for an attempt of an
 * earlier execution. Its marker tells; without one the look may still be under way,
 * where a task was lost that made a local attempt.
 */
function looksForAnAttempt(fold: Fold, inputs: readonly HistoryEntry[], commands: readonly HistoryEntry[]): boolean {
  const only = loneLocal(fold);
  if (fold.clearing || only === null) return fold.clearing;
  if (fold.held.length === 0 || fold.progress?.messages !== 0 || only.inFlight !== null) return false;
  if (commands.some(isLocalAttempt)) return true;
  const lostAt = inputs.findLastIndex(({ entry }) => entry === "task-lost");
  return lostAt >= 0 && (fold.untouched || inputs.slice(0, lostAt).some(({ entry }) => entry === "timer-fired"));
}

/** What the look found goes first, then what had arrived, then what the workflow did about it. */
function foldLook(fold: Fold, commands: readonly HistoryEntry[], atMs: number): void {
  const looks: readonly LocalEntry[] = commands.filter(isLocalAttempt);
  // Without its marker the look is still under way, and the task only gave a sign of life.
  fold.clearing = looks.length === 0;
  if (fold.clearing) return;
  foldCommands(fold, looks.filter(foundSomething), atMs);
  release(fold);
  const rest = commands.filter((entry) => !isLocalAttempt(entry));
  foldCommands(fold, rest, Math.max(atMs, ...looks.map((look) => look.atMs)));
}

type LocalEntry = Extract<HistoryEntry, { entry: "local-activity" }>;

function isLocalAttempt(entry: HistoryEntry): entry is LocalEntry {
  return entry.entry === "local-activity" && entry.type === "attemptDelivery";
}

function foundSomething(look: LocalEntry): boolean {
  return look.failed ? look.timedOut === true : (look.result as AttemptResult).kind !== "set-aside";
}

/** Messages are handed to the workflow before anything else, then the news of a cancel request. */
function arrivalsOf(entries: readonly HistoryEntry[], atMs: number): readonly Arrival[] {
  const messages = entries.flatMap((entry) =>
    "message" in entry ? [{ fact: "message", message: entry.message, atMs } as const] : [],
  );
  const cancels = entries
    .filter(({ entry }) => entry === "cancel-requested")
    .map(() => ({ fact: "cancel-requested", atMs }) as const);
  return [...messages, ...cancels];
}

/** Ends that no task has seen are facts all the same; messages count once the workflow has read them. */
function foldRest(fold: Fold, rest: readonly HistoryEntry[]): void {
  for (const entry of rest) foldEnd(fold, entry, entry.atMs);
  const last = rest.at(-1);
  if (last?.entry === "task-started") beginLocal(fold, last.atMs);
}

function foldEnd(fold: Fold, entry: HistoryEntry, atMs: number): void {
  if (entry.entry === "timer-fired") timerFired(fold, atMs);
  if (entry.entry === "activity-completed") completed(fold, entry, atMs);
  if (entry.entry === "activity-failed") failed(fold, entry, atMs);
}

/** With several deliveries the timer's owner is told by the attempt that follows. */
function timerFired(fold: Fold, atMs: number): void {
  const only = fold.progress?.deliveries.length === 1 ? fold.progress.deliveries[0] : undefined;
  if (only !== undefined && only.wait !== null) tell(fold, { fact: "wait-over", endpoint: only.endpoint, atMs });
}

function completed(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-completed" }>, atMs: number): void {
  const scheduled = fold.scheduled.get(entry.scheduledId);
  if (scheduled === undefined) return;
  if (scheduled.type === "resolveRoutes") resolved(fold, entry.result as ResolvedEvent, atMs);
  else tell(fold, { fact: "attempt-reported", via: scheduled.via, result: entry.result as AttemptResult, atMs });
}

function failed(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-failed" }>, atMs: number): void {
  const scheduled = fold.scheduled.get(entry.scheduledId);
  if (scheduled === undefined || scheduled.type === "resolveRoutes") return;
  const { endpoint } = scheduled;
  tell(fold, { fact: endOf(entry), endpoint, atMs });
}

function endOf({ timedOut, canceled }: Extract<HistoryEntry, { entry: "activity-failed" }>) {
  if (timedOut) return "attempt-lost";
  return canceled === true ? "attempt-set-aside" : "attempt-broken";
}

function foldCommand(fold: Fold, entry: HistoryEntry, atMs: number): void {
  if (entry.entry === "activity-scheduled") schedule(fold, entry, atMs);
  if (entry.entry !== "local-activity") return;
  if (entry.type === "resolveRoutes" && !entry.failed) resolved(fold, entry.result as ResolvedEvent, atMs);
  if (entry.type === "ensureLane" && !entry.failed) laneAnswered(fold, entry.result as LaneAnswer, atMs);
  if (entry.type !== "attemptDelivery") return;
  if (!entry.failed)
    tell(fold, { fact: "attempt-reported", via: "local", result: entry.result as AttemptResult, atMs });
  const endpoint = fold.progress?.deliveries[0]?.endpoint;
  const fact = entry.timedOut === true ? "attempt-lost" : "attempt-set-aside";
  if (entry.failed && endpoint !== undefined) tell(fold, { fact, endpoint, atMs });
}

function laneAnswered(fold: Fold, answer: LaneAnswer, atMs: number): void {
  if (answer.kind === "withheld") tell(fold, { fact: "attempt-reported", via: "lane", result: answer, atMs });
}

function schedule(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-scheduled" }>, atMs: number): void {
  // Written by our own workflow; a run of another kind never comes here.
  const { endpoint = "", number = 0, via = "direct" } = (entry.input ?? {}) as Partial<AttemptInput>;
  fold.scheduled.set(entry.id, { type: entry.type, endpoint, number, via });
  if (entry.type === "attemptDelivery") tell(fold, { fact: "attempt-begun", endpoint, number, via, atMs });
}

/** A local attempt leaves no event until it ends; when one is due and the way is local, the task is making it. */
function beginLocal(fold: Fold, atMs: number): void {
  const only = loneLocal(fold);
  if (only === null || fold.progress === null || fold.progress.messages > 0) return;
  if (isTerminal(only.state) || only.attention !== null || only.wait !== null || only.inFlight !== null) return;
  tell(fold, { fact: "attempt-begun", endpoint: only.endpoint, number: only.attempts.length + 1, via: "local", atMs });
}

/**
 * A workflow that is replayed passes over the tasks that only gave a sign of life: for it,
 * the attempt began in the task that tells its end. It shows where that end is a loss.
 */
function beginLocalAnew(fold: Fold, atMs: number): void {
  const only = loneLocal(fold);
  if (only?.inFlight?.via !== "local") return;
  const { endpoint, inFlight } = only;
  tell(fold, { fact: "attempt-begun", endpoint, number: inFlight.number, via: "local", atMs });
}

/** The only delivery, while its attempts are local; else null. */
function loneLocal({ progress }: Fold): Delivery | null {
  const [only, ...others] = progress?.deliveries ?? [];
  if (only === undefined || others.length > 0) return null;
  const { settings, leftLocal, sentToLane } = only;
  return chooseWay({ settings, deliveries: 1, messages: 0, leftLocal, sentToLane }) === "local" ? only : null;
}

function resolved(fold: Fold, { plan, first }: ResolvedEvent, atMs: number): void {
  if (fold.progress !== null) return;
  fold.progress = begin(acceptedFact(fold.start, plan));
  if (first !== undefined) tell(fold, { fact: "attempt-reported", via: "local", result: first, atMs });
  release(fold);
}

/** Messages count once there is a state they can be about. */
function release(fold: Fold): void {
  if (fold.progress !== null) for (const fact of fold.held.splice(0)) tell(fold, fact);
}

function acceptedFact({ event, startedMs }: RunStart, plan: EventPlan): Extract<Fact, { fact: "accepted" }> {
  return { fact: "accepted", atMs: startedMs, event, plan };
}

function tell(fold: Fold, fact: Exclude<Fact, { fact: "accepted" }>): void {
  if (fold.progress !== null) fold.progress = advance(fold.progress, fact);
}
