/**
 * Workflow type `endpoint`, ID `endpoint:<name>`: who holds one endpoint, why and until when.
 *
 * An interpreter of `delivery/gates/`: it lives facts (a person spoke, workers reported, a
 * timer fired), folds them with `advanceControl`, and has what follows applied to the lane
 * and the registry. It ends when there is nothing more to say; the next word starts it anew.
 */
import { condition, CancellationScope, makeContinueAsNewFunc, sleep, workflowInfo } from "@temporalio/workflow";
import { type EndpointControl, isAtRest } from "../delivery/gates/control.ts";
import { timerSummary } from "../delivery/gates/gate-words.ts";
import type { Ledger } from "../delivery/gates/ledger.ts";
import { nextTimeMs } from "../delivery/gates/pass-time.ts";
import { nextLookMs } from "../delivery/gates/recovery.ts";
import { applyGate, isApplied, lookAtLane } from "./apply.ts";
import { type EndpointRun, live, memoOf, openEndpointRun } from "./endpoint-run.ts";
import { ENDPOINT_MEMO } from "./messages.ts";

export interface EndpointResult {
  readonly v: 1;
  readonly endpoint: string;
  readonly ledger: Ledger;
}

/** A flood of reports must find a new run in time; the server's own suggestion comes much later. */
const MAX_EVENTS = 1000;

/** `start` = what the run before had folded. */
export async function endpoint(start?: EndpointControl): Promise<EndpointResult> {
  const run = openEndpointRun(start ?? null);
  for (;;) {
    live(run, { fact: "time-passed" });
    if (workflowInfo().historyLength >= MAX_EVENTS) return await goOn(run);
    if (!isApplied(run)) await applyGate(run);
    else if (isAtRest(run.control)) return { v: 1, endpoint: run.control.endpoint, ledger: run.control.ledger };
    else if (isLookDue(run)) live(run, { fact: "lane-seen", held: await lookAtLane(run) });
    else await untilSomethingHappens(run);
  }
}

/** Handlers are synchronous, so none is under way here. */
async function goOn(run: EndpointRun): Promise<never> {
  const memo = { [ENDPOINT_MEMO]: memoOf(run.control) };
  return await makeContinueAsNewFunc<typeof endpoint>({ memo })(run.control);
}

function isLookDue({ control }: EndpointRun): boolean {
  const lookMs = nextLookMs(control);
  return lookMs !== null && lookMs <= Date.now();
}

/** A message, or the time at which something is due. */
async function untilSomethingHappens(run: EndpointRun): Promise<void> {
  const { facts } = run;
  const happened = condition(() => run.facts !== facts);
  const times = [nextTimeMs(run.control, Date.now()), nextLookMs(run.control)].filter((time) => time !== null);
  if (times.length === 0) return await happened;
  const nextMs = Math.min(...times);
  const waitMs = Math.max(1, nextMs - Date.now());
  const timer = new CancellationScope();
  const due = timer.run(async () => await sleep(waitMs, { summary: timerSummary(run.control, waitMs) }));
  await Promise.race([happened, due]);
  timer.cancel();
  await due.catch(() => undefined);
}
