/** The one mutable thing of an endpoint's run: its control, fed by facts and shown to the world. */
import { setCurrentDetails, setHandler, upsertMemo, workflowInfo } from "@temporalio/workflow";
import { type EndpointControl, newControl } from "../delivery/gates/control.ts";
import type { ControlFact } from "../delivery/gates/control-facts.ts";
import { advanceControl, judgeResume } from "../delivery/gates/endpoint-control.ts";
import { type Gate, gateShown } from "../delivery/gates/gate-entry.ts";
import { controlDetails } from "../delivery/gates/gate-words.ts";
import type { LaneRate } from "../delivery/gates/lane-rate.ts";
import { readReport } from "../delivery/gates/read-report.ts";
import { readPause, readResume } from "../delivery/gates/read-words.ts";
import { membersOf } from "../delivery/message-members.ts";
import { endpointOfWorkflow } from "../delivery/names.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import { handleInOrder } from "./handle-in-order.ts";
import {
  applySignal,
  configuredSignal,
  ENDPOINT_MEMO,
  type EndpointMemo,
  pauseSignal,
  reportSignal,
  reportUpdate,
  resumeSignal,
  resumeUpdate,
  type ResumeVerdict,
} from "./messages.ts";
import { refusal } from "./refusal.ts";
import { understood } from "./understood.ts";

export interface EndpointRun {
  control: EndpointControl;
  /** Facts folded in so far. */
  facts: number;
  /** What lane and registry were last told; null = not known. */
  applied: { readonly gate: Gate; readonly rate: LaneRate } | null;
  shown: string;
}

/** Opens the run and registers every handler before the first await. */
export function openEndpointRun(carried: EndpointControl | null): EndpointRun {
  const name = ownName();
  const run: EndpointRun = { control: startOf(carried) ?? newControl(name), facts: 0, applied: null, shown: "" };
  handleInOrder([
    {
      definition: pauseSignal,
      description: "hold every attempt to this endpoint: { actor, reason, until? }",
      handle: (argument) => pause(run, argument),
    },
    {
      definition: resumeSignal,
      description: "let a few attempts try it, then open it: { actor, reason?, probe?, rampMs? }",
      handle: (argument) => void resume(run, argument),
    },
    {
      definition: reportSignal,
      description: "what a worker has seen of this endpoint, kept by the server also where no worker runs",
      handle: (argument) => void afterReport(run, argument),
    },
    { definition: configuredSignal, handle: (argument) => configured(run, argument) },
    { definition: applySignal, description: "put the lane and the registry right", handle: () => forget(run) },
  ]);
  setHandler(resumeUpdate, (argument: unknown) => resume(run, argument), {
    description: "the same as the signal, with a verdict",
  });
  setHandler(reportUpdate, (argument: unknown) => afterReport(run, argument), {
    validator: (argument: unknown) => {
      if (readReport(argument) === null) throw new TypeError("Only workers send reports, and this is none");
    },
    description: "what a worker has seen of this endpoint",
  });
  return run;
}

/** What the run before had folded is trusted; what somebody else gives as input says nothing. */
function startOf(carried: EndpointControl | null): EndpointControl | null {
  return workflowInfo().continuedFromExecutionRunId === undefined ? null : carried;
}

/** Anybody may start a workflow: only the ID says which endpoint it is about. */
function ownName(): string {
  const { workflowId } = workflowInfo();
  const name = endpointOfWorkflow(workflowId);
  if (name !== null) return name;
  throw refusal(
    `A workflow of type endpoint has an ID such as endpoint:crm, not ${JSON.stringify(workflowId)}`,
    "bad_id",
  );
}

/** Folds in a fact that happens now, and shows how the endpoint stands. */
export function live(run: EndpointRun, fact: WithoutTime<ControlFact>): void {
  run.facts += fact.fact === "time-passed" ? 0 : 1;
  run.control = advanceControl(run.control, { ...fact, atMs: Date.now() });
  show(run);
}

/** Applied also where it changes nothing: whoever said it waits to see it confirmed. */
function pause(run: EndpointRun, argument: unknown): void {
  live(run, { fact: "pause", word: readPause(argument, workflowInfo().startTime.getTime()) });
  forget(run);
}

function resume(run: EndpointRun, argument: unknown): ResumeVerdict {
  const at = new Date().toISOString();
  const word = readResume(understood(argument));
  if (word === null) return { counted: false, refusedBecause: "malformed", at };
  live(run, { fact: "time-passed" });
  const refusedBecause = judgeResume(run.control, word);
  live(run, { fact: "resume", word });
  // A hold of which this run knows nothing, say because an earlier one was terminated, goes all the same.
  if (refusedBecause === "not-held") forget(run);
  return { counted: refusedBecause === null, refusedBecause, at };
}

function afterReport(run: EndpointRun, argument: unknown): { readonly gate: Gate } {
  const report = readReport(argument);
  if (report !== null) live(run, { fact: "reported", report });
  return { gate: gateShown(run.control) };
}

function configured(run: EndpointRun, argument: unknown): void {
  const { configVersion } = membersOf(argument);
  if (typeof configVersion === "string") live(run, { fact: "configured", configVersion });
}

function forget(run: EndpointRun): void {
  run.applied = null;
  run.facts += 1;
}

export function memoOf({ counts: _left, ...memo }: EndpointControl): EndpointMemo {
  return memo;
}

/** An upsert, one event, only when something has changed that people or programs look at. */
function show(run: EndpointRun): void {
  const { watchUntilMs: _watch, circuit: _circuit, ...visible } = memoOf(run.control);
  const shown = JSON.stringify(visible);
  if (shown === run.shown) return;
  run.shown = shown;
  setCurrentDetails(controlDetails(run.control));
  upsertMemo({ [ENDPOINT_MEMO]: memoOf(run.control) });
}
