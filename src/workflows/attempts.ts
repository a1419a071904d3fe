/** One attempt, carried out by the way that `chooseWay` picks; whatever comes back is folded in as a fact. */
import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  type ActivityOptions,
  proxyActivities,
  proxyLocalActivities,
  TemporalFailure,
  TimeoutFailure,
  workflowInfo,
} from "@temporalio/workflow";
import type { EventActivities } from "../activities/contract.ts";
import { attemptInputOf } from "../delivery/activity-inputs.ts";
import type { LaneAnswer } from "../delivery/activity-shapes.ts";
import type { Way } from "../delivery/attempt.ts";
import { chooseWay } from "../delivery/choose-way.ts";
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { laneQueue } from "../delivery/names.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { wantsRecall } from "../delivery/next-action.ts";
import type { Delivery } from "../delivery/progress.ts";
import { attemptSummary } from "../delivery/summaries.ts";
import { cancelWhen } from "./cancel-when.ts";
import { LENGTH_AT_START, LENGTH_OF_A_RETRY } from "./history-lengths.ts";
import { apply, deliveryAt, type EventRun, messageCount, progressOf, release, repeatable } from "./event-run.ts";

/** Above the request's own deadline: time to be taken up, to resolve a name, to report. */
const MARGIN_MS = 30 * SECOND_MS;

/**
 * For failures of ours alone (the endpoint's are data): asked again without using an
 * attempt. A request whose worker vanished is never repeated by the server.
 */
const OWN_FAILURES: NonNullable<ActivityOptions["retry"]> = {
  initialInterval: SECOND_MS,
  backoffCoefficient: 2,
  maximumInterval: MINUTE_MS,
  nonRetryableErrorTypes: ["TemporalTimeout:Heartbeat", "TemporalTimeout:StartToClose"],
};

/** Makes one attempt and folds its report in. */
export async function attempt(run: EventRun, index: number): Promise<void> {
  const delivery = deliveryAt(run, index);
  const { endpoint } = delivery;
  const number = delivery.attempts.length + 1;
  const via = wayOf(run, delivery);
  apply(run, { fact: "attempt-begun", endpoint, number, via });
  const facts = { endpoint, number, via, recallOnly: false, summary: attemptSummary({ endpoint, number, via }) };
  await (via === "local" ? attemptLocally(run, delivery, facts) : attemptRegularly(run, index, facts));
}

interface AttemptFacts {
  readonly endpoint: string;
  readonly number: number;
  readonly via: Way;
  readonly recallOnly: boolean;
  readonly summary: string;
}

function wayOf(run: EventRun, delivery: Delivery): Way {
  return chooseWay({
    settings: delivery.settings,
    deliveries: progressOf(run).deliveries.length,
    messages: messageCount(run),
    leftLocal: delivery.leftLocal,
    sentToLane: delivery.sentToLane,
  });
}

/**
 * Asks what an earlier execution of this task did: its outcome is folded in, or that it
 * was lost; then whatever was held meanwhile. Begins no attempt.
 */
export async function clearUp(run: EventRun): Promise<void> {
  const [delivery] = progressOf(run).deliveries;
  if (delivery === undefined) return;
  const { endpoint } = delivery;
  const number = delivery.attempts.length + 1;
  const summary = `look for an earlier attempt ${number} to ${endpoint}`;
  const result = await tryLocally(run, delivery, { endpoint, number, via: "local", recallOnly: true, summary });
  if (result.kind !== "set-aside") apply(run, { fact: "attempt-reported", via: "local", result });
  run.clearing = null;
  release(run);
}

async function attemptLocally(run: EventRun, delivery: Delivery, facts: AttemptFacts): Promise<void> {
  const result = await tryLocally(run, delivery, facts);
  run.lengthAtReport = workflowInfo().historyLength;
  apply(run, { fact: "attempt-reported", via: "local", result });
}

/** A failure of ours comes before anything was sent and sets the attempt aside; one that hangs may have sent, and is lost. */
async function tryLocally(run: EventRun, delivery: Delivery, facts: AttemptFacts): Promise<AttemptResult> {
  const activities = proxyLocalActivities<EventActivities>({
    startToCloseTimeout: delivery.settings.totalMs + MARGIN_MS,
    retry: { maximumAttempts: 1 },
    summary: facts.summary,
  });
  const { historyLength } = workflowInfo();
  const { recallOnly } = facts;
  const clues = { historyLength, expectedLength: expectedLengthOf(run, facts), scheduledAtMs: Date.now(), recallOnly };
  try {
    return await activities.attemptDelivery({ ...attemptInputOf(delivery, { ...facts, event: run.event }), clues });
  } catch (error) {
    // Unlike a regular activity, a local one fails with its failure itself, not with an ActivityFailure around it.
    if (!(error instanceof TemporalFailure)) throw error;
    const { endpoint, number } = facts;
    return error instanceof TimeoutFailure ? { kind: "lost", endpoint, number } : { kind: "set-aside", endpoint };
  }
}

/** A guess that only saves work: the attempt asks the history whenever it does not hold. */
function expectedLengthOf(run: EventRun, { number, recallOnly }: AttemptFacts): number | null {
  if (recallOnly) return null;
  if (number === 1) return LENGTH_AT_START;
  return run.lengthAtReport === null ? null : run.lengthAtReport + LENGTH_OF_A_RETRY;
}

async function attemptRegularly(run: EventRun, index: number, facts: AttemptFacts): Promise<void> {
  const delivery = deliveryAt(run, index);
  const { endpoint, via } = facts;
  const withheld = via === "lane" ? await openLane(endpoint) : null;
  if (withheld !== null) {
    apply(run, { fact: "attempt-reported", via, result: withheld });
    return;
  }
  const activities = proxyActivities<EventActivities>({
    startToCloseTimeout: delivery.settings.totalMs + MARGIN_MS,
    heartbeatTimeout: 10 * SECOND_MS,
    cancellationType: "WAIT_CANCELLATION_COMPLETED",
    retry: OWN_FAILURES,
    summary: facts.summary,
    ...(via === "lane" ? laneOptions(run, endpoint) : {}),
  });
  const request = new CancellationScope();
  const report = request.run(
    async () => await activities.attemptDelivery(attemptInputOf(delivery, { ...facts, event: repeatable(run) })),
  );
  // A person's word that waits for this attempt, or the end of its approval, takes back work that no worker has begun;
  // the server does that at once. A request on its way is never cut: its answer goes first.
  const stopWatching = cancelWhen(() => wantsRecall(deliveryAt(run, index)), request);
  try {
    const result = await report;
    apply(run, { fact: "attempt-reported", via, result });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    apply(run, { fact: endOf(error), endpoint });
  } finally {
    stopWatching();
  }
}

/** Sources share a lane fairly where the server has that switched on; elsewhere the key means nothing. */
function laneOptions(run: EventRun, endpoint: string): Pick<ActivityOptions, "taskQueue" | "priority"> {
  const { source } = progressOf(run).event;
  return { taskQueue: laneQueue(workflowInfo().taskQueue, endpoint), priority: { fairnessKey: source } };
}

/** What became of a regular attempt that reported nothing. */
function endOf({ cause }: ActivityFailure): "attempt-lost" | "attempt-set-aside" | "attempt-broken" {
  if (cause instanceof TimeoutFailure) return "attempt-lost";
  return cause instanceof CancelledFailure ? "attempt-set-aside" : "attempt-broken";
}

/**
 * Asked in the very task that schedules the attempt: one event, no state transition.
 * Null = go on; a failure is left to the sweep.
 */
async function openLane(endpoint: string): Promise<Extract<LaneAnswer, { kind: "withheld" }> | null> {
  const { ensureLane } = proxyLocalActivities<EventActivities>({
    startToCloseTimeout: 5 * SECOND_MS,
    retry: { maximumAttempts: 1 },
    summary: `open the lane of ${endpoint}`,
  });
  try {
    const answer = await ensureLane({ endpoint });
    return answer.kind === "withheld" ? answer : null;
  } catch (error) {
    if (error instanceof TemporalFailure) return null;
    throw error;
  }
}
