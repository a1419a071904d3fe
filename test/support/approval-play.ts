/**
 * An event that waits for people, played by a tape of choices: the test is its interpreter, and workers
 * with configurations that change answer it by the real activities. Nothing here knows the rules.
 */
import { advance, begin } from "../../src/delivery/advance.ts";
import { attemptInputOf, examineInputOf, planInputOf } from "../../src/delivery/activity-inputs.ts";
import type { AttemptInput, ExamineInput, PlanInput } from "../../src/delivery/activity-shapes.ts";
import { isAsked } from "../../src/delivery/ballots.ts";
import { chooseWay } from "../../src/delivery/choose-way.ts";
import type { BusinessEvent } from "../../src/delivery/event.ts";
import { identityOf } from "../../src/delivery/event-identity.ts";
import { nextAction, wantsRecall } from "../../src/delivery/next-action.ts";
import type { Delivery, EventProgress } from "../../src/delivery/progress.ts";
import { project } from "../../src/delivery/project.ts";
import type { OutgoingRequest } from "../../src/egress/exchange.ts";
import { aStage, anAnswer, perform, type Stage } from "./activity-stage.ts";
import { changedSetup, choose, configOf, type Setup, someSetup } from "./approval-setups.ts";
import {
  type Said,
  type Scene,
  someDecision,
  someOrder,
  someRepetition,
  type Shown,
  type Word,
} from "./approval-words.ts";
import type { Later } from "./approvals.ts";
import { NOON_MS } from "./deliveries.ts";

/** A request that left a worker. */
export interface Sent {
  readonly setup: Setup;
  readonly request: OutgoingRequest;
  readonly atMs: number;
  /** How much had been said by then. */
  readonly saidBefore: number;
}

type Job =
  | { readonly does: "planDelivery"; readonly input: PlanInput }
  | { readonly does: "examineBallots"; readonly input: ExamineInput }
  | { readonly does: "attemptDelivery"; readonly input: AttemptInput };

export interface Play extends Scene {
  readonly event: BusinessEvent;
  nowMs: number;
  setup: Setup;
  /** Some workers still have it. */
  older: Setup;
  progress: EventProgress;
  readonly jobs: Map<number, Job>;
  readonly said: Said[];
  readonly shown: Map<string, Shown>;
  readonly sent: Sent[];
}

const STEPS = 90;

export async function playApproval(tape: readonly number[]): Promise<Play> {
  let position = 0;
  const pick = (bound: number): number => (tape[position++] ?? 0) % bound;
  const setup = someSetup(pick);
  const requestedBy = choose(pick, [undefined, "ANA", "bo "]);
  const data = { amount: choose(pick, [500, 50]) };
  const event = {
    source: "shop",
    id: "evt_1",
    type: "refund.requested",
    data,
    ...(requestedBy && { requestedBy }),
  };
  const plan = stageOf(setup).deps.routing.plan(event);
  const progress = begin({ fact: "accepted", atMs: NOON_MS, event: identityOf(event), plan });
  const play: Play = {
    pick,
    event,
    nowMs: NOON_MS,
    setup,
    older: setup,
    progress,
    jobs: new Map(),
    said: [],
    shown: new Map(),
    sent: [],
  };
  for (let step = 0; step < STEPS && position < tape.length; step += 1) await takeStep(play);
  return play;
}

async function takeStep(play: Play): Promise<void> {
  const { pick } = play;
  const kind = pick(20);
  if (kind < 7) say(play, someDecision(play));
  else if (kind === 7) say(play, someRepetition(play));
  else if (kind === 8) say(play, someOrder(play));
  else if (kind === 9) changeSetup(play);
  else if (kind === 10) pass(play, choose(pick, [1000, 5000, 15_000, 40_000]));
  else await workOn(play, { index: pick(play.progress.deliveries.length), turns: 1 + pick(3) });
}

/** Work goes on for a while, or anything else comes between its begin and its end. */
async function workOn(play: Play, { index, turns }: { readonly index: number; readonly turns: number }): Promise<void> {
  await work(play, index);
  if (turns > 1) await workOn(play, { index, turns: turns - 1 });
}

/** Timers are the interpreter's: whoever waits for a time hears that it has come. */
function pass(play: Play, durationMs: number): void {
  play.nowMs += durationMs;
  tell(play, { fact: "time-passed", atMs: play.nowMs });
}

function changeSetup(play: Play): void {
  play.older = play.setup;
  play.setup = changedSetup(play.setup, play.pick);
}

function tell(play: Play, fact: Later): void {
  play.progress = advance(play.progress, fact);
  for (const { endpoint, proposal } of project(play.progress, play.event).deliveries) {
    if (proposal !== null && !play.shown.has(proposal.digest))
      play.shown.set(proposal.digest, { endpoint, proposal, saidBefore: play.said.length, triedAtMs: null });
  }
}

function say(play: Play, word: Word | null): void {
  if (word === null) return;
  const { name, argument } = word;
  play.said.push({ name, argument, atMs: play.nowMs });
  tell(play, { fact: "message", message: { name, argument }, atMs: play.nowMs });
}

async function work(play: Play, index: number): Promise<void> {
  const delivery = play.progress.deliveries[index];
  const job = play.jobs.get(index);
  if (delivery === undefined) return;
  if (job !== undefined) return await finish(play, { index, delivery, job });
  const { endpoint } = delivery;
  switch (nextAction(delivery)) {
    case "plan":
      return void play.jobs.set(index, { does: "planDelivery", input: planInputOf(delivery, play.event) });
    case "examine":
      return void play.jobs.set(index, {
        does: "examineBallots",
        input: examineInput(play, delivery),
      });
    case "attempt":
      return void play.jobs.set(index, {
        does: "attemptDelivery",
        input: beginAttempt(play, delivery),
      });
    case "wait":
      play.nowMs = Math.max(play.nowMs, delivery.wait?.untilMs ?? 0);
      return tell(play, { fact: "wait-over", endpoint, atMs: play.nowMs });
    case "nothing":
    case "await-person":
    case "await-decision":
    case "await-release":
    // No endpoint of a play can be asked what became of an attempt.
    case "reconcile":
      return;
  }
}

/** As `workflows/attempts.ts` begins one; never locally. */
function beginAttempt(play: Play, delivery: Delivery): AttemptInput {
  const { endpoint, settings, attempts, leftLocal, sentToLane } = delivery;
  const number = attempts.length + 1;
  const via = chooseWay({ settings, deliveries: 2, messages: 1, leftLocal, sentToLane });
  tell(play, { fact: "attempt-begun", endpoint, number, via, atMs: play.nowMs });
  return attemptInputOf(delivery, { number, via, event: play.event });
}

function examineInput({ event, progress }: Play, delivery: Delivery): ExamineInput {
  if (!isAsked(delivery)) throw new TypeError("There is nothing to examine");
  return examineInputOf(delivery, { event, key: progress.event.key });
}

interface Due {
  readonly index: number;
  readonly delivery: Delivery;
  readonly job: Job;
}

/** A worker takes the job up, with today's configuration or still with yesterday's; or it is taken back. */
async function finish(play: Play, { index, delivery, job }: Due): Promise<void> {
  const { endpoint, approval } = delivery;
  play.jobs.delete(index);
  const atMs = play.nowMs;
  const isAttempt = job.does === "attemptDelivery";
  if (isAttempt && wantsRecall(delivery) && play.pick(2) === 0)
    return tell(play, { fact: "attempt-set-aside", endpoint, atMs });
  const { stage, setup } = worker(play);
  if (job.does === "planDelivery")
    return tell(play, {
      fact: "planned",
      planned: await perform(stage.deps, [job.does, job.input]),
      atMs,
    });
  if (job.does === "examineBallots")
    return tell(play, {
      fact: "examined",
      examination: await perform(stage.deps, [job.does, job.input]),
      atMs,
    });
  const result = await perform(stage.deps, [job.does, job.input], { scheduledMs: atMs });
  play.sent.push(...stage.sent.map((request) => ({ setup, request, atMs, saidBefore: play.said.length })));
  const isLost = result.kind === "attempted" && play.pick(10) === 9;
  if (isLost) tell(play, { fact: "attempt-lost", endpoint, atMs });
  else tell(play, { fact: "attempt-reported", via: job.input.via, result, atMs });
  const shown = play.shown.get(approval?.draft.digest ?? "");
  if (result.kind === "attempted" && shown !== undefined) shown.triedAtMs ??= atMs;
}

function worker(play: Play): { readonly stage: Stage; readonly setup: Setup } {
  const setup = play.pick(8) === 7 ? play.older : play.setup;
  const stage = stageOf(setup, choose(play.pick, [503, 400, 200, 503]));
  stage.clock.nowMs = play.nowMs;
  return { stage, setup };
}

function stageOf(setup: Setup, status = 200): Stage {
  const config = configOf(setup);
  if (config === null) throw new TypeError("A worker has no valid configuration");
  return aStage(config, { answers: [anAnswer({ status })] });
}
