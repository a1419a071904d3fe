/**
 * From a run's history to its progress, so that reading a state needs no worker.
 *
 * The fold repeats what the workflow did: in each workflow task messages come first,
 * then what had ended, then what the workflow decided to do.
 */
import type {
  AttemptInput,
  Examination,
  LaneAnswer,
  LookupResult,
  PlannedDelivery,
  ResolvedEvent,
} from "./activity-shapes.ts";
import { advance, begin } from "./advance.ts";
import type { Way } from "./attempt.ts";
import { chooseWay } from "./choose-way.ts";
import { isTerminal } from "./event-state.ts";
import type { AttemptResult, Fact } from "./facts.ts";
import { type HistoryEntry, type RunStart, splitByTask, type Task } from "./history-entries.ts";
import { newRunTimers, type RunTimers, timerStarted, waitEndedBy } from "./history-timers.ts";
import { nextAction } from "./next-action.ts";
import type { EventPlan } from "./plan.ts";
import type { Delivery, EventProgress } from "./progress.ts";

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
  readonly timers: RunTimers;
  /** The latest time the workflow has seen. */
  nowMs: number;
  /** Since when each delivery's next attempt has been due: there the workflow began it. */
  readonly dueSince: Map<string, number>;
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
  const fold: Fold = {
    start,
    progress: null,
    held: [],
    clearing: false,
    untouched: true,
    scheduled: new Map(),
    timers: newRunTimers(),
    nowMs: start.startedMs,
    dueSince: new Map(),
  };
  if (start.plan !== null) accept(fold, start.plan, start.startedMs);
  const { tasks, rest } = splitByTask(entries);
  for (const task of tasks) foldTask(fold, task);
  foldRest(fold, rest);
  return fold.progress ?? begin(acceptedFact(start, { fingerprint: start.fingerprint, deliveries: [] }));
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
    if (entry.entry === "activity-scheduled") schedule(fold, entry, atMs);
    if (entry.entry === "timer-started") timerStarted(fold.timers, entry.timerId, deliveriesOf(fold));
    if (entry.entry !== "local-activity") continue;
    // The end of a local activity moves the workflow's clock on within its task.
    nowMs = Math.max(nowMs, entry.atMs);
    foldLocal(fold, entry, { atMs: nowMs, sinceMs: atMs });
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
  if (entry.entry === "timer-fired") timerFired(fold, entry, atMs);
  if (entry.entry === "activity-completed") completed(fold, entry, atMs);
  if (entry.entry === "activity-failed") failed(fold, entry, atMs);
}

function timerFired(fold: Fold, { timerId = "" }: Extract<HistoryEntry, { entry: "timer-fired" }>, atMs: number): void {
  const waited = waitEndedBy(fold.timers, timerId, deliveriesOf(fold));
  tell(fold, waited === null ? { fact: "time-passed", atMs } : { fact: "wait-over", endpoint: waited.endpoint, atMs });
}

function completed(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-completed" }>, atMs: number): void {
  const scheduled = fold.scheduled.get(entry.scheduledId);
  if (scheduled === undefined) return;
  answered(fold, { type: scheduled.type, result: entry.result, via: scheduled.via }, atMs);
}

/** What an activity of our own workflow returned; a run of another kind never comes here. */
function answered(
  fold: Fold,
  { type, result, via }: { readonly type: string; readonly result: unknown; readonly via: Way },
  atMs: number,
): void {
  if (type === "resolveRoutes") resolved(fold, result as ResolvedEvent, atMs);
  if (type === "planDelivery") tell(fold, { fact: "planned", planned: result as PlannedDelivery, atMs });
  if (type === "examineBallots") tell(fold, { fact: "examined", examination: result as Examination, atMs });
  if (type === "reconcileDelivery") tell(fold, { fact: "looked-up", result: result as LookupResult, atMs });
  if (type === "attemptDelivery") tell(fold, { fact: "attempt-reported", via, result: result as AttemptResult, atMs });
}

function failed(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-failed" }>, atMs: number): void {
  const { type = "", endpoint = "" } = fold.scheduled.get(entry.scheduledId) ?? {};
  if (type === "attemptDelivery") tell(fold, { fact: endOf(entry), endpoint, atMs });
  // Taken back it tells nothing: somebody has ended the delivery.
  if (type === "reconcileDelivery" && entry.canceled !== true) tell(fold, { fact: "lookup-broken", endpoint, atMs });
}

function endOf({ timedOut, canceled }: Extract<HistoryEntry, { entry: "activity-failed" }>) {
  if (timedOut) return "attempt-lost";
  return canceled === true ? "attempt-set-aside" : "attempt-broken";
}

/** `sinceMs` is where the commands of the task begin. */
function foldLocal(
  fold: Fold,
  { type, result, failed: hasFailed, timedOut }: LocalEntry,
  { atMs, sinceMs }: { readonly atMs: number; readonly sinceMs: number },
): void {
  if (!hasFailed && type === "ensureLane") return laneAnswered(fold, result as LaneAnswer, { atMs, sinceMs });
  if (!hasFailed) return answered(fold, { type, result, via: "local" }, atMs);
  const endpoint = fold.progress?.deliveries[0]?.endpoint;
  const fact = timedOut === true ? "attempt-lost" : "attempt-set-aside";
  if (type === "attemptDelivery" && endpoint !== undefined) tell(fold, { fact, endpoint, atMs });
}

/** An attempt whose lane nobody opens was begun all the same; it is never scheduled, so its number is not known here. */
function laneAnswered(
  fold: Fold,
  answer: LaneAnswer,
  { atMs, sinceMs }: { readonly atMs: number; readonly sinceMs: number },
): void {
  if (answer.kind === "opened") return;
  const { endpoint } = answer;
  beginRegular(fold, { endpoint, number: 0, via: "lane" }, sinceMs);
  tell(fold, { fact: "attempt-reported", via: "lane", result: answer, atMs });
}

function schedule(fold: Fold, entry: Extract<HistoryEntry, { entry: "activity-scheduled" }>, sinceMs: number): void {
  // Written by our own workflow; a run of another kind never comes here.
  const { endpoint = "", number = 0, via = "direct" } = (entry.input ?? {}) as Partial<AttemptInput>;
  fold.scheduled.set(entry.id, { type: entry.type, endpoint, number, via });
  if (entry.type === "attemptDelivery") beginRegular(fold, { endpoint, number, via }, sinceMs);
}

/** It begins where it becomes due within the task, also where its lane is opened first. */
function beginRegular(
  fold: Fold,
  { endpoint, number, via }: { readonly endpoint: string; readonly number: number; readonly via: Way },
  sinceMs: number,
): void {
  const atMs = Math.max(sinceMs, fold.dueSince.get(endpoint) ?? sinceMs);
  tell(fold, { fact: "attempt-begun", endpoint, number, via, atMs });
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
function loneLocal(fold: Fold): Delivery | null {
  const [only, ...others] = deliveriesOf(fold);
  if (only === undefined || others.length > 0) return null;
  const { settings, leftLocal, sentToLane } = only;
  return chooseWay({ settings, deliveries: 1, messages: 0, leftLocal, sentToLane }) === "local" ? only : null;
}

/** None before the event is accepted. */
function deliveriesOf({ progress }: Fold): readonly Delivery[] {
  return progress?.deliveries ?? [];
}

function resolved(fold: Fold, { plan, first }: ResolvedEvent, atMs: number): void {
  if (fold.progress !== null) return;
  accept(fold, plan, atMs);
  if (first !== undefined) tell(fold, { fact: "attempt-reported", via: "local", result: first, atMs });
  release(fold);
}

function accept(fold: Fold, plan: EventPlan, atMs: number): void {
  reach(fold, begin(acceptedFact(fold.start, plan)), atMs);
}

/** Messages count once there is a state they can be about. */
function release(fold: Fold): void {
  if (fold.progress !== null) for (const fact of fold.held.splice(0)) tell(fold, fact);
}

function acceptedFact({ event, startedMs }: RunStart, plan: EventPlan): Extract<Fact, { fact: "accepted" }> {
  return { fact: "accepted", atMs: startedMs, event, plan };
}

function tell(fold: Fold, fact: Exclude<Fact, { fact: "accepted" }>): void {
  if (fold.progress !== null) reach(fold, advance(fold.progress, fact), fact.atMs);
}

/** What was held is folded in with the time of its arrival, and acted on later: the clock does not go back with it. */
function reach(fold: Fold, progress: EventProgress, atMs: number): void {
  fold.progress = progress;
  fold.nowMs = Math.max(fold.nowMs, atMs);
  for (const delivery of progress.deliveries) {
    const isDue = delivery.inFlight === null && nextAction(delivery) === "attempt";
    if (!isDue) fold.dueSince.delete(delivery.endpoint);
    else if (!fold.dueSince.has(delivery.endpoint)) fold.dueSince.set(delivery.endpoint, fold.nowMs);
  }
}
