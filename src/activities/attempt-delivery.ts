/** One attempt of one delivery: is it due here, has it been made already, and if not, make it. */
import { activityInfo } from "@temporalio/activity";
import type { AttemptInput, LocalClues } from "../delivery/activity-shapes.ts";
import { amendedEvent } from "../delivery/amendment.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { lostTask, mayBeRerun } from "../delivery/lost-attempt.ts";
import { eventKey } from "../delivery/names.ts";
import { isRemembered, ownLossesSince } from "../delivery/own-loss.ts";
import type { DeliverySettings } from "../delivery/plan.ts";
import { approvalGate, orderOf } from "./approval-gate.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { whileBeating } from "./heartbeat.ts";
import { logFailure } from "./log-failure.ts";
import { makeAttempt } from "./make-attempt.ts";
import { currentRun, ownEvent } from "./own-event.ts";
import { watchedAttempt } from "./watched-attempt.ts";

/** Everything the making of an attempt needs to know. */
export interface DueAttempt {
  readonly event: BusinessEvent;
  readonly endpoint: string;
  readonly number: number;
  readonly via: AttemptInput["via"];
  readonly settings: DeliverySettings;
  readonly lastStatus: number | null;
  /** Time it waited to be taken up, milliseconds. */
  readonly heldMs: number;
  /** A person's replay; absent = no. */
  readonly replayed?: boolean;
  /** Asked immediately before the request; null = go on. Absent = no approval is due. */
  readonly gate?: () => AttemptResult | null;
}

/** The activity body. The plan's word is not trusted: routes, settings and approvals are judged by this worker's own configuration. */
export async function attemptDelivery(deps: ActivityDependencies, input: AttemptInput): Promise<AttemptResult> {
  const { endpoint, number, via, amendment = null, lastStatus } = input;
  const event = await ownEvent(deps, input.event);
  const order = orderOf(event, input);
  const planned = deps.routing.delivery(order);
  if (planned.kind === "withheld") return planned;
  const { settings, draft } = planned;
  const due: DueAttempt = {
    event: amendedEvent(event, amendment),
    endpoint,
    number,
    via,
    settings,
    lastStatus,
    heldMs: heldMs(deps),
    replayed: input.replayed === true,
    gate: () => (draft === null ? null : approvalGate(deps, { input, order, draft })),
  };
  const result = await attemptOnce(deps, due, input.clues ?? null);
  return result.kind === "attempted" && !sameSettings(settings, input.settings) ? { ...result, settings } : result;
}

/** Makes the attempt unless it was made before, is lost, or belongs elsewhere. */
export async function attemptOnce(
  deps: ActivityDependencies,
  due: DueAttempt,
  clues: LocalClues | null,
): Promise<AttemptResult> {
  const { endpoint, number, via, settings } = due;
  const identity = { runId: currentRun().runId, idempotencyKey: settings.idempotencyKey, number };
  const remembered = deps.memory.recall(identity);
  if (remembered !== null) return await remembered;
  if (clues !== null) {
    const loss = await findLoss(deps, clues);
    // Another execution of the same task may have begun it while the server was asked.
    const begun = deps.memory.recall(identity);
    if (begun !== null) return await begun;
    if (loss !== null && !(loss.isOwn && deps.memory.neverBegan(identity)))
      return { kind: "lost", endpoint, number, ...loss.found };
    // This process sent nothing, and from here on that stands: the lost execution may still be under way in it.
    if (loss !== null) deps.memory.overtake(identity, clues);
    if (clues.recallOnly || !settings.idempotent || deps.memory.isOvertaken(identity, clues))
      return { kind: "set-aside", endpoint };
  }
  const closed = due.gate?.() ?? null;
  if (closed !== null) return closed;
  if (via === "lane") return await deps.memory.remember(identity, async () => await observed(deps, due));
  const place = settings.isolated || settings.lane ? null : deps.admission.enter(endpoint, via);
  if (place === null) return { kind: "to-lane", endpoint };
  try {
    return await deps.memory.remember(identity, async () => await attempted(deps, due));
  } finally {
    place.leave();
  }
}

/** A lane attempt does not enter the bulkhead, but its pace is known to it. */
async function observed(deps: ActivityDependencies, due: DueAttempt): Promise<AttemptResult> {
  const startedMs = deps.now();
  const result = await attempted(deps, due);
  deps.admission.observe(due.endpoint, deps.now() - startedMs);
  return result;
}

async function attempted(deps: ActivityDependencies, due: DueAttempt): Promise<AttemptResult> {
  const record = await watchedAttempt(deps, due, async () =>
    due.via === "local" ? await makeAttempt(deps, due) : await whileBeating(makeAttempt(deps, due)),
  );
  logAttempt(deps, due, record);
  return { kind: "attempted", endpoint: due.endpoint, record };
}

/** What the endpoint answered stands, whatever becomes of the log line: to fail here would send again. */
function logAttempt(deps: ActivityDependencies, due: DueAttempt, record: AttemptRecord): void {
  try {
    deps.log.attempted(lineOf(due, record));
  } catch (error) {
    logFailure(deps.log, { activity: "attemptDelivery", code: "log_failed", error });
  }
}

interface Loss {
  readonly found: { readonly sinceMs?: number };
  /** The lost task was begun by this very process, no longer ago than it remembers. */
  readonly isOwn: boolean;
}

/** When the history cannot be read, the attempt counts as lost: to assume it was not would repeat it unseen. */
async function findLoss(deps: ActivityDependencies, clues: LocalClues): Promise<Loss | null> {
  if (!mayBeRerun({ ...clues, nowMs: deps.now() })) return null;
  const { historyLength } = clues;
  try {
    const events = await deps.runs.latestTaskEvents(currentRun(), historyLength);
    const lost = lostTask(events, historyLength);
    if (lost === null) return null;
    const sinceMs = ownLossesSince(events, { worker: deps.worker, historyLength });
    return { found: { sinceMs: lost.startedMs }, isOwn: sinceMs !== null && (await remembers(deps, sinceMs)) };
  } catch (error) {
    logFailure(deps.log, { activity: "attemptDelivery", code: "history_unreadable", error });
    return { found: {}, isOwn: false };
  }
}

/** When the server does not tell, no: the loss that was found stands. */
async function remembers(deps: ActivityDependencies, sinceMs: number): Promise<boolean> {
  try {
    const present = await deps.runs.presentTask(currentRun());
    return isRemembered({ sinceMs, present, nowMs: deps.now() });
  } catch (error) {
    logFailure(deps.log, { activity: "attemptDelivery", code: "task_unreadable", error });
    return false;
  }
}

function heldMs(deps: ActivityDependencies): number {
  // From its first scheduling on: going back to a lane that is held is part of the wait.
  return Math.max(0, deps.now() - activityInfo().scheduledTimestampMs);
}

function sameSettings(left: DeliverySettings, right: DeliverySettings): boolean {
  return (
    left.idempotencyKey === right.idempotencyKey &&
    left.configVersion === right.configVersion &&
    left.idempotent === right.idempotent &&
    left.isolated === right.isolated &&
    left.lane === right.lane &&
    left.approval === right.approval &&
    left.reconcile === right.reconcile &&
    left.totalMs === right.totalMs &&
    JSON.stringify(left.retry) === JSON.stringify(right.retry)
  );
}

function lineOf({ event, endpoint, settings }: DueAttempt, record: AttemptRecord) {
  const { number, via, outcome, certainty, code, durationMs } = record;
  return {
    key: eventKey(event.source, event.id),
    endpoint,
    idempotencyKey: settings.idempotencyKey,
    attempt: number,
    via,
    outcome,
    certainty,
    code,
    status: record.status ?? null,
    durationMs,
    retryAfterRaw: record.retryAfterRaw ?? null,
  };
}
