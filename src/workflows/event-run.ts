/** The one mutable thing of an event run: its progress, fed by facts and shown to the world. */
import { CancellationScope, condition, setDefaultSignalHandler, setHandler, workflowInfo } from "@temporalio/workflow";
import { advance, begin } from "../delivery/advance.ts";
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

export interface EventRun {
  /** Set once the input is accepted. */
  event: BusinessEvent | null;
  progress: EventProgress | null;
  /** Messages that came before the event was accepted, with their arrival. */
  readonly early: { readonly message: Message; readonly atMs: number }[];
  cancelRequested: boolean;
  /** History length right after the last report of a local attempt, plus what its task recorded besides; null = none. */
  lengthAtReport: number | null;
  readonly signboard: Signboard;
}

/** Opens the run and registers every handler before the first await, so that no message meets a closed door. */
export function openRun(): EventRun {
  const run: EventRun = {
    event: null,
    progress: null,
    early: [],
    cancelRequested: false,
    lengthAtReport: null,
    signboard: newSignboard(),
  };
  for (const signal of RESOLUTION_SIGNALS) {
    setHandler(signal.definition, (argument) => void receive(run, { name: signal.definition.name, argument }), {
      description: signal.description,
    });
  }
  setDefaultSignalHandler((name, ...args) => void receive(run, { name, argument: args[0] }));
  setHandler(resolveUpdate, async (argument) => await answer(run, { name: "resolve", argument }), {
    validator: (argument) => requireMembers(argument),
    description: "the same as the signals, with a verdict: action is replay, discard or mark-delivered",
  });
  setHandler(stateQuery, () => stateOf(run), { description: "where the event stands" });
  return run;
}

/** A cancel request counts as a discard of what has not ended; the attempt in flight ends first. */
export function watchCancel(run: EventRun): void {
  void CancellationScope.current().cancelRequested.catch(() => {
    run.cancelRequested = true;
    if (run.progress !== null) apply(run, { fact: "cancel-requested" });
  });
}

export interface Acceptance {
  readonly event: BusinessEvent;
  readonly identity: EventIdentity;
  readonly plan: EventPlan;
}

/** The event is accepted: from here on there is a state. `firstBegun` tells of an attempt already made on the way. */
export function accept(run: EventRun, acceptance: Acceptance, firstBegun: { readonly sinceMs: number } | null): void {
  const { event, identity, plan } = acceptance;
  run.event = event;
  run.progress = begin({ fact: "accepted", atMs: workflowInfo().startTime.getTime(), event: identity, plan });
  const [only] = plan.deliveries;
  if (firstBegun !== null && only !== undefined) {
    const { endpoint } = only;
    run.progress = advance(run.progress, { fact: "attempt-begun", endpoint, number: 1, via: "local", atMs: firstBegun.sinceMs });
  }
  for (const { message, atMs } of run.early.splice(0)) {
    run.progress = advance(run.progress, { fact: "message", message, atMs });
  }
  if (run.cancelRequested) run.progress = advance(run.progress, { fact: "cancel-requested", atMs: Date.now() });
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

/** Messages received so far, also those that still wait for the acceptance. */
export function messageCount(run: EventRun): number {
  return run.progress?.messages ?? run.early.length + (run.cancelRequested ? 1 : 0);
}

/** Returns the position of the message, under which its verdict will stand. */
function receive(run: EventRun, message: Message): number {
  const sequence = run.progress?.messages ?? run.early.length;
  if (run.progress === null) run.early.push({ message, atMs: Date.now() });
  else apply(run, { fact: "message", message });
  return sequence;
}

async function answer(run: EventRun, message: Message): Promise<Verdict> {
  const sequence = receive(run, message);
  await condition(() => run.progress?.verdicts[sequence] !== undefined);
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
