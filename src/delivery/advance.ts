/** The fold: an event's progress after one more fact. Pure, so the workflow and `get` cannot disagree. */
import type { Way } from "./attempt.ts";
import type { AttemptResult, Fact, Message, WithheldReason } from "./facts.ts";
import type { Examination, PlannedDelivery } from "./activity-shapes.ts";
import { ask, expire, judgeBallots, lapse, plan, receiveBallot, settleBallots } from "./approval-fold.ts";
import { expectsProposal, isAsked, readBallot } from "./ballots.ts";
import { change, withVerdict } from "./change.ts";
import { isTerminal, type Resolution } from "./event-state.ts";
import { recorded } from "./record-bounds.ts";
import { type Delivery, type EventProgress, freshDelivery, withoutProposal } from "./progress.ts";
import {
  applyInstruction,
  type Instruction,
  judge,
  type Judgement,
  readInstruction,
  resolutionOf,
  targetOf,
} from "./resolve.ts";
import { giveUpLookup, type Heard, loseAttempt, reconcile, settle } from "./settle.ts";
import { withheldAdvice } from "./withheld-advice.ts";

/** The first fact of every event. */
export function begin(fact: Extract<Fact, { fact: "accepted" }>): EventProgress {
  return {
    event: fact.event,
    fingerprint: fact.plan.fingerprint,
    acceptedAt: new Date(fact.atMs).toISOString(),
    deliveries: fact.plan.deliveries.map(freshDelivery),
    messages: 0,
    verdicts: {},
  };
}

/** Folds one fact in. A fact about an unknown delivery changes nothing. */
export function advance(progress: EventProgress, fact: Exclude<Fact, { fact: "accepted" }>): EventProgress {
  const current = lapse(progress, fact.atMs);
  return settleBallots(lapse(fold(current, fact), fact.atMs));
}

function fold(progress: EventProgress, fact: Exclude<Fact, { fact: "accepted" }>): EventProgress {
  switch (fact.fact) {
    case "attempt-begun":
      return change(progress, fact.endpoint, (delivery) => beginAttempt(delivery, fact));
    case "attempt-reported":
      return afterReport(progress, fact);
    case "attempt-lost":
      return ended(progress, fact.endpoint, (delivery) => loseAttempt(delivery, heardOf(progress, fact.atMs)));
    case "wait-over":
      return change(progress, fact.endpoint, endWait);
    case "attempt-set-aside":
      return ended(progress, fact.endpoint, (delivery) => ({ ...delivery, leftLocal: true }));
    case "attempt-broken":
      return withheld(progress, fact.endpoint, { reason: null, atMs: fact.atMs });
    case "looked-up":
      return change(progress, fact.result.endpoint, (delivery) =>
        reconcile(delivery, fact.result.record, heardOf(progress, fact.atMs)),
      );
    case "lookup-broken":
      return change(progress, fact.endpoint, (delivery) => giveUpLookup(delivery, fact.atMs));
    case "planned":
      return afterPlanning(progress, fact.planned, fact.atMs);
    case "examined":
      return afterExamination(progress, fact.examination, fact.atMs);
    case "time-passed":
      return progress;
    case "message":
      return receive(progress, fact.message, fact.atMs);
    case "cancel-requested":
      return cancel(progress, fact.atMs);
  }
}

function beginAttempt(delivery: Delivery, fact: { number: number; via: Way; atMs: number }): Delivery {
  const { number, via, atMs } = fact;
  return {
    ...delivery,
    state: "delivering",
    wait: null,
    inFlight: { number, via, sinceMs: atMs },
    leftLocal: delivery.leftLocal || via !== "local",
  };
}

/** A timer may fire in the very task in which somebody ended its wait: then the person's word stands. */
function endWait(delivery: Delivery): Delivery {
  return delivery.wait === null ? delivery : { ...delivery, state: "delivering", wait: null };
}

function afterReport(
  progress: EventProgress,
  fact: { readonly via: Way; readonly result: AttemptResult; readonly atMs: number },
): EventProgress {
  const { result, atMs } = fact;
  const heard = heardOf(progress, atMs);
  switch (result.kind) {
    case "attempted":
      return ended(progress, result.endpoint, (delivery) => settle(delivery, result, heard));
    case "lost":
      return ended(progress, result.endpoint, (delivery) => loseAttempt(startedAt(delivery, result.sinceMs), heard));
    case "to-lane":
      return ended(progress, result.endpoint, (delivery) => ({ ...delivery, leftLocal: true, sentToLane: true }));
    case "set-aside":
      return ended(progress, result.endpoint, (delivery) => ({ ...delivery, leftLocal: true }));
    case "withheld":
      return withheld(progress, result.endpoint, { reason: result.reason, atMs });
    case "unapproved":
      return ended(progress, result.endpoint, (delivery) =>
        ask(delivery, result.draft, { atMs, because: result.because ?? "changed" }),
      );
    case "too-late":
      return ended(progress, result.endpoint, (delivery) => expire(delivery, atMs));
  }
}

function heardOf({ event }: EventProgress, atMs: number): Heard {
  return { synthetic: event.synthetic, atMs };
}

/** Somebody may have ended the delivery while the worker was asked: then its answer changes nothing. */
function afterPlanning(progress: EventProgress, planned: PlannedDelivery, atMs: number): EventProgress {
  const { endpoint } = planned;
  if (planned.kind === "planned") return change(progress, endpoint, (delivery) => plan(delivery, planned, atMs));
  const isExpected = progress.deliveries.some(
    (delivery) => delivery.endpoint === endpoint && expectsProposal(delivery),
  );
  return isExpected ? withheld(progress, endpoint, { reason: planned.reason, atMs }) : progress;
}

function afterExamination(progress: EventProgress, examination: Examination, atMs: number): EventProgress {
  const { endpoint } = examination;
  if (examination.kind === "examined") return judgeBallots(progress, examination, atMs);
  if (!progress.deliveries.some((delivery) => delivery.endpoint === endpoint && isAsked(delivery))) return progress;
  const parked = withheld(progress, endpoint, { reason: examination.reason, atMs });
  return change(parked, endpoint, (delivery) => withoutProposal(delivery, { because: "misconfigured", atMs }));
}

/** An attempt has ended one way or another: what waited for it goes next. */
function ended(progress: EventProgress, endpoint: string, update: (delivery: Delivery) => Delivery): EventProgress {
  const index = progress.deliveries.findIndex((delivery) => delivery.endpoint === endpoint);
  const before = progress.deliveries[index];
  if (before === undefined) return progress;
  const after = change(progress, endpoint, (delivery) => ({ ...update(delivery), inFlight: null, pending: [] }));
  return before.pending.reduce((folded, instruction) => instruct(folded, instruction, index), after);
}

/** The execution that noticed a loss began later than the one that was lost. */
function startedAt(delivery: Delivery, sinceMs: number | undefined): Delivery {
  if (sinceMs === undefined) return delivery;
  const { number, via } = delivery.inFlight ?? { number: delivery.attempts.length + 1, via: "local" as const };
  return { ...delivery, inFlight: { number, via, sinceMs } };
}

/** Nothing was sent, and the reason lies in our own configuration: the advice says which. A synthetic event just ends. */
function withheld(
  progress: EventProgress,
  endpoint: string,
  why: { readonly reason: WithheldReason | null; readonly atMs: number },
): EventProgress {
  const since = new Date(why.atMs).toISOString();
  const attention = { reason: "misconfigured", since, advice: withheldAdvice(endpoint, why.reason) } as const;
  return ended(progress, endpoint, (delivery) =>
    progress.event.synthetic
      ? { ...delivery, state: "discarded", wait: null }
      : { ...delivery, state: "needs-attention", wait: null, attention },
  );
}

function receive(progress: EventProgress, message: Message, atMs: number): EventProgress {
  const sequence = progress.messages;
  const counted = { ...progress, messages: sequence + 1 };
  const ballot = readBallot(message, sequence, atMs);
  if (ballot !== null) return receiveBallot(counted, ballot);
  const instruction = readInstruction(message, sequence, atMs);
  if (instruction === null)
    return withVerdict(counted, { sequence, atMs }, { counted: false, refusedBecause: "not-supported" });
  const target = targetOf(instruction, counted.deliveries);
  return "index" in target
    ? instruct(counted, instruction, target.index)
    : resolved(counted, instruction, { index: 0, refusedBecause: target.refused });
}

function instruct(progress: EventProgress, instruction: Instruction, index: number): EventProgress {
  const delivery = progress.deliveries[index];
  if (delivery === undefined) return resolved(progress, instruction, { index, refusedBecause: "unknown-delivery" });
  const judgement = judgeAmong(progress, instruction, delivery);
  switch (judgement.verdict) {
    case "wait":
      return change(progress, delivery.endpoint, (held) => ({ ...held, pending: [...held.pending, instruction] }));
    case "refused":
      return resolved(progress, instruction, { index, refusedBecause: judgement.because });
    case "counts":
      return resolved(
        change(progress, delivery.endpoint, (now) => applyInstruction(instruction, now)),
        instruction,
        { index, refusedBecause: null },
      );
  }
}

/**
 * An endpoint gets an event once: an amendment cannot move a delivery to where another one goes,
 * or went, because their keys would be the same.
 */
function judgeAmong(progress: EventProgress, instruction: Instruction, delivery: Delivery): Judgement {
  const judgement = judge(instruction, delivery);
  const to = instruction.content?.endpoint;
  const taken = progress.deliveries.some(
    (other) => other !== delivery && to !== undefined && [other.endpoint, ...other.formerEndpoints].includes(to),
  );
  return judgement.verdict === "counts" && taken ? { verdict: "refused", because: "bad-amendment" } : judgement;
}

type Refusal = Delivery["resolutions"][number]["refusedBecause"];

/** The person's word on record, whether it counted or not. */
function resolved(
  progress: EventProgress,
  instruction: Instruction,
  { index, refusedBecause }: { readonly index: number; readonly refusedBecause: Refusal },
): EventProgress {
  const endpoint = progress.deliveries[index]?.endpoint ?? "";
  const resolution = resolutionOf(instruction, refusedBecause);
  const noted = change(progress, endpoint, (delivery) => ({
    ...delivery,
    resolutions: recorded(delivery.resolutions, resolution, withShortReason),
  }));
  return withVerdict(noted, instruction, resolution);
}

function withShortReason(resolution: Resolution, maxLength: number): Resolution {
  return { ...resolution, reason: resolution.reason.slice(0, maxLength) };
}

/** Whoever may cancel in Temporal; nobody waits for the verdict. */
const CANCEL = {
  sequence: -1,
  action: "discard",
  actor: "temporal:cancel",
  reason: "cancel requested in Temporal",
  endpoint: null,
  malformed: false,
} as const;

/** A cancel request is a discard of whatever has not ended. */
function cancel(progress: EventProgress, atMs: number): EventProgress {
  return progress.deliveries.reduce(
    (folded, { state }, index) => (isTerminal(state) ? folded : instruct(folded, { ...CANCEL, atMs }, index)),
    progress,
  );
}
