/** The one mutable thing of an event run: its progress, fed by facts and shown to the world. */
import { CancellationScope, condition, setHandler, workflowInfo } from "@temporalio/workflow";
import { advance, begin } from "../delivery/advance.ts";
import { chooseWay } from "../delivery/choose-way.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { EventIdentity } from "../delivery/event-identity.ts";
import type { EventState, Verdict } from "../delivery/event-state.ts";
import type { Fact, Message } from "../delivery/facts.ts";
import type { EventPlan } from "../delivery/plan.ts";
import type { Delivery, EventProgress } from "../delivery/progress.ts";
import { project } from "../delivery/project.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import { handleInOrder } from "./handle-in-order.ts";
import {
  amendSignal,
  approveSignal,
  decideUpdate,
  discardSignal,
  holdSignal,
  hurrySignal,
  markDeliveredSignal,
  rejectSignal,
  releaseSignal,
  replaySignal,
  resolveUpdate,
  stateQuery,
  withdrawSignal,
} from "./messages.ts";
import { newSignboard, type Signboard, show } from "./signboard.ts";
import { understood } from "./understood.ts";

/** What the Temporal UI offers a person: decisions take { actor, digest, note?, delivery? }, the others { actor, reason, delivery? }. */
const SIGNALS = [
  { definition: approveSignal, description: "approve the exact request whose digest you give" },
  { definition: rejectSignal, description: "reject it, with a note that says why" },
  { definition: withdrawSignal, description: "take your own approval back, until the request is sent" },
  { definition: replaySignal, description: "try a parked delivery again, same key, fresh budget" },
  { definition: discardSignal, description: "end a delivery without sending it" },
  { definition: markDeliveredSignal, description: "record that the endpoint has it, with your evidence as the reason" },
  {
    definition: amendSignal,
    description: "replace the body (data or data_base64) or the endpoint; approvals start anew",
  },
  { definition: hurrySignal, description: "end a retry wait now, never before the Retry-After of the endpoint" },
  { definition: holdSignal, description: "stop one delivery: nothing is sent until somebody releases it" },
  { definition: releaseSignal, description: "let a delivery that is held go on" },
] as const;

export type FactNow = WithoutTime<Exclude<Fact, { fact: "accepted" }>>;

/** Something from outside that waits to be folded in, with its arrival. */
type Arrival = { readonly atMs: number } & ({ readonly message: Message } | { readonly cancel: true });

export interface EventRun {
  /** Set once the input is accepted. */
  event: BusinessEvent | null;
  progress: EventProgress | null;
  /** What came before the event was accepted, or while it is cleared up what an earlier execution did. */
  readonly held: Arrival[];
  /** Set while that is being cleared up. */
  clearing: Promise<void> | null;
  /** History length right after the last report of a local attempt; a clue, never a decision. */
  lengthAtReport: number | null;
  readonly signboard: Signboard;
  /** What people are told, each until it is handed over. */
  readonly notices: Promise<void>[];
}

/** Finds out what an earlier execution did, then folds in what was held. */
type ClearUp = (run: EventRun) => Promise<void>;

/** Opens the run and registers every handler before the first await, so that no message meets a closed door. */
export function openRun(clearUp: ClearUp): EventRun {
  const run: EventRun = {
    event: null,
    progress: null,
    held: [],
    clearing: null,
    lengthAtReport: null,
    signboard: newSignboard(),
    notices: [],
  };
  const arrive = (name: string, argument: unknown): number =>
    receive(run, { name, argument: understood(argument) }, clearUp);
  handleInOrder(SIGNALS, arrive);
  setHandler(resolveUpdate, async (argument) => await verdictOn(run, arrive("resolve", argument)), {
    validator: (argument) => requireMembers(argument),
    description:
      "the same as the signals, with a verdict: action is replay, discard, mark-delivered, amend, hurry, hold or release",
  });
  setHandler(decideUpdate, async (argument) => await verdictOn(run, arrive("decide", argument)), {
    validator: (argument) => requireMembers(argument),
    description: "the same as the signals, with a verdict: action is approve, reject or withdraw",
  });
  setHandler(stateQuery, () => askedState(run), { description: "where the event stands" });
  watchCancel(run, clearUp);
  return run;
}

/** A cancel request counts as a discard of what has not ended; the attempt in flight ends first. */
function watchCancel(run: EventRun, clearUp: ClearUp): void {
  const root = CancellationScope.current();
  const onCancel = (): void => {
    if (mustWait(run)) hold(run, { cancel: true, atMs: Date.now() }, clearUp);
    else apply(run, { fact: "cancel-requested" });
  };
  if (root.consideredCancelled) onCancel();
  else void root.cancelRequested.catch(onCancel);
}

export interface Acceptance {
  readonly event: BusinessEvent;
  readonly identity: EventIdentity;
  readonly plan: EventPlan;
}

/** The event is accepted: from here on there is a state. What came before stays held until `release`. */
export function accept(run: EventRun, { event, identity, plan }: Acceptance): void {
  run.event = event;
  run.progress = begin({ fact: "accepted", atMs: workflowInfo().startTime.getTime(), event: identity, plan });
}

/** Folds in what was held, in the order of its arrival. */
export function release(run: EventRun): void {
  for (const arrival of run.held.splice(0)) {
    const { atMs } = arrival;
    const fact =
      "message" in arrival
        ? ({ fact: "message", message: arrival.message } as const)
        : ({ fact: "cancel-requested" } as const);
    run.progress = advance(progressOf(run), { ...fact, atMs });
  }
  show(run.signboard, stateOf(run), progressOf(run));
}

/** Folds in a fact that happened now, and shows the new state. */
export function apply(run: EventRun, fact: FactNow): void {
  run.progress = advance(progressOf(run), { ...fact, atMs: Date.now() });
  show(run.signboard, stateOf(run), progressOf(run));
}

export function progressOf(run: EventRun): EventProgress {
  if (run.progress === null) throw new TypeError("The event was used before it was accepted");
  return run.progress;
}

export function deliveryAt(run: EventRun, index: number): Delivery {
  const delivery = progressOf(run).deliveries[index];
  if (delivery === undefined) throw new TypeError(`The event has no delivery number ${index + 1}`);
  return delivery;
}

/** Messages received so far, also those that are still held. */
export function messageCount(run: EventRun): number {
  return (run.progress?.messages ?? 0) + run.held.length;
}

/** Returns the position of the message, under which its verdict will stand. */
function receive(run: EventRun, message: Message, clearUp: ClearUp): number {
  const sequence = (run.progress?.messages ?? 0) + run.held.filter((arrival) => "message" in arrival).length;
  if (mustWait(run)) hold(run, { message, atMs: Date.now() }, clearUp);
  else apply(run, { fact: "message", message });
  return sequence;
}

function mustWait(run: EventRun): boolean {
  return run.progress === null || run.clearing !== null || mayHideAnAttempt(run);
}

function hold(run: EventRun, arrival: Arrival, clearUp: ClearUp): void {
  run.held.push(arrival);
  if (run.progress === null) return;
  // Arrivals are met in the root scope, which a cancel request cancels; the look must not end with it.
  run.clearing ??= CancellationScope.nonCancellable(async () => await clearUp(run));
}

/**
 * Whether a local attempt may have been made that this execution knows nothing of. The
 * server hands messages over before timers, so one that comes in a retry wait may stand
 * behind an attempt whose task was refused or lost. No clock is asked whether the retry
 * was due: that of a worker may be wrong. After a first message there are no local
 * attempts any more, so this costs one event, once.
 */
function mayHideAnAttempt(run: EventRun): boolean {
  if (messageCount(run) > 0) return false;
  return progressOf(run).deliveries.some((delivery) => delivery.wait !== null && mayGoLocally(run, delivery));
}

/** Whether this delivery's attempts have been local so far. */
export function mayGoLocally(run: EventRun, { settings, leftLocal, sentToLane }: Delivery): boolean {
  const deliveries = progressOf(run).deliveries.length;
  return chooseWay({ settings, deliveries, messages: 0, leftLocal, sentToLane }) === "local";
}

async function verdictOn(run: EventRun, sequence: number): Promise<Verdict> {
  // A cancel request cancels the scope in which updates are handled; their answer is due all the same.
  await CancellationScope.nonCancellable(
    async () => await condition(() => run.progress?.verdicts[sequence] !== undefined),
  );
  const verdict = run.progress?.verdicts[sequence];
  if (verdict === undefined) throw new TypeError("A message went unanswered");
  return verdict;
}

function requireMembers(argument: unknown): void {
  if (typeof argument !== "object" || argument === null) {
    throw new TypeError('The update takes one object: { "action", "actor", "reason", "delivery"? }');
  }
}

function askedState(run: EventRun): EventState {
  if (run.progress === null) throw new TypeError("The event is being accepted; ask again in a moment");
  return stateOf(run);
}

/** Above this a result or an answer shows proposals without their body, which `get` has: payloads are bounded by 2 MiB. */
const MAX_SHOWN_CHARACTERS = 512 * 1024;

/** The state as the run itself tells it. */
export function stateOf(run: EventRun): EventState {
  return project(progressOf(run), shownEvent(run));
}

/** The event whose body proposals show; null where none is asked for, or where it would be too large. */
function shownEvent({ event, progress }: EventRun): BusinessEvent | null {
  const proposed = progress?.deliveries.filter(({ approval }) => approval !== null) ?? [];
  if (proposed.length === 0) return null;
  const shown = JSON.stringify([event, proposed.map(({ amendment }) => amendment)]);
  return shown.length * proposed.length <= MAX_SHOWN_CHARACTERS ? event : null;
}

/** Above this, regular activities read the event from the run's first history event instead of repeating it. */
const MAX_REPEATED_CHARACTERS = 16 * 1024;

export function repeatable(run: EventRun): BusinessEvent | null {
  return JSON.stringify(run.event).length <= MAX_REPEATED_CHARACTERS ? run.event : null;
}
