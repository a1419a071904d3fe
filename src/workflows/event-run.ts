/** The one mutable thing of an event run: its progress, fed by facts and shown to the world. */
import { CancellationScope, condition, setDefaultSignalHandler, setHandler, workflowInfo } from "@temporalio/workflow";
import { advance, begin } from "../delivery/advance.ts";
import { chooseWay } from "../delivery/choose-way.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { EventIdentity } from "../delivery/event-identity.ts";
import type { EventState } from "../delivery/event-state.ts";
import type { Fact, Message } from "../delivery/facts.ts";
import type { EventPlan } from "../delivery/plan.ts";
import type { Delivery, EventProgress, Verdict } from "../delivery/progress.ts";
import { project } from "../delivery/project.ts";
import { discardSignal, markDeliveredSignal, replaySignal, resolveUpdate, stateQuery } from "./messages.ts";
import { newSignboard, type Signboard, show } from "./signboard.ts";

/** What the Temporal UI offers a person; each takes { actor, reason, delivery? }. */
const RESOLUTION_SIGNALS = [
  { definition: replaySignal, description: "try a parked delivery again, same key, fresh budget" },
  { definition: discardSignal, description: "end a delivery without sending it" },
  { definition: markDeliveredSignal, description: "record that the endpoint has it, with your evidence as the reason" },
] as const;

type WithoutTime<F> = F extends unknown ? Omit<F, "atMs"> : never;
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
  };
  const arrive = (name: string, argument: unknown): number => receive(run, { name, argument }, clearUp);
  for (const { definition, description } of RESOLUTION_SIGNALS) {
    setHandler(definition, (argument) => void arrive(definition.name, argument), { description });
  }
  setDefaultSignalHandler((name, ...args) => void arrive(name, args[0]));
  setHandler(resolveUpdate, async (argument) => await verdictOn(run, arrive("resolve", argument)), {
    validator: (argument) => requireMembers(argument),
    description: "the same as the signals, with a verdict: action is replay, discard or mark-delivered",
  });
  setHandler(stateQuery, () => stateOf(run), { description: "where the event stands" });
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
  show(run.signboard, project(progressOf(run)));
}

/** Folds in a fact that happened now, and shows the new state. */
export function apply(run: EventRun, fact: FactNow): void {
  run.progress = advance(progressOf(run), { ...fact, atMs: Date.now() });
  show(run.signboard, project(run.progress));
}

export function progressOf(run: EventRun): EventProgress {
  if (run.progress === null) throw new TypeError("The event was used before it was accepted");
  return run.progress;
}

export function deliveryOf(run: EventRun, endpoint: string): Delivery {
  const delivery = progressOf(run).deliveries.find((candidate) => candidate.endpoint === endpoint);
  if (delivery === undefined) throw new TypeError(`The event has no delivery to ${endpoint}`);
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

function stateOf(run: EventRun): EventState {
  if (run.progress === null) throw new TypeError("The event is being accepted; ask again in a moment");
  return project(run.progress);
}
