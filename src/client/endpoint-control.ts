/** A person stops an endpoint, or lets it go on. */
import { setTimeout as sleep } from "node:timers/promises";
import { WorkflowUpdateRPCTimeoutOrCancelledError } from "@temporalio/client";
import { SECOND_MS } from "../delivery/durations.ts";
import { entryOf, type GateMap } from "../delivery/gates/gate-entry.ts";
import { oneLineReason } from "../delivery/gates/lane-reason.ts";
import { timeText } from "../delivery/gates/ledger.ts";
import type { PauseArgument, ResumeArgument } from "../delivery/gates/read-words.ts";
import { GATES_WORKFLOW_ID } from "../delivery/names.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";
import { GATES_MEMO, pauseSignal, resumeSignal, resumeUpdate, type ResumeVerdict } from "../workflows/messages.ts";
import { type EndpointSeen, inFlightOf, readEndpointRun, signalEndpoint, startingEndpoint } from "./endpoint-run.ts";
import {
  pauseArgument,
  type PauseOrder,
  requireEndpoint,
  resumeArgument,
  type ResumeOrder,
  untilOf,
} from "./endpoint-words.ts";
import { putGate } from "./gate-registry.ts";
import { countWorkers } from "./health.ts";
import { setLaneRate } from "./lane-queue.ts";
import { endTaken, type ReplacedPause, replacedPause } from "./replaced-pause.ts";
import { explainSilence, type Session, withDeadline } from "./session.ts";

export interface PauseReport {
  readonly endpoint: string;
  /** RFC 3339. */
  readonly at: string;
  /** Null = until somebody resumes. */
  readonly until: string | null;
  /** Seen polling for event workflows within the last 75 s. 0 = none runs: it holds, and is put on record when one starts. */
  readonly workers: number;
  /** No attempt begins anywhere from now on. False = workers were seen, but none has taken it in within 3 s. */
  readonly confirmed: boolean;
  /** False = the server allows no rates on queues: the workers hold. */
  readonly heldOnServer: boolean;
  /** Attempts that had begun before and have not ended, as workers told; approximate. */
  readonly inFlight: number;
  /** The pause that stood before, which this one replaces, also where it is the shorter one; null = none is known. */
  readonly replaces: ReplacedPause | null;
}

export interface ResumeReport {
  readonly endpoint: string;
  /** RFC 3339. */
  readonly at: string;
  /** Null = no worker has answered: it takes effect when one does. */
  readonly counted: boolean | null;
  /** `not-held`: it was open; `throttled`: only a Retry-After holds it, which is never cut short. */
  readonly refusedBecause: ResumeVerdict["refusedBecause"];
  readonly workers: number;
}

/** Processes trust their copy of the registry for so long, see `worker/gate-snapshot.ts`. */
const COPY_TRUSTED_MS = 2 * SECOND_MS;
/** From when the registry was told. A copy lacks the word for longer only where its worker hangs, and then it is refused. */
const HOLDS_WITHIN_MS = 3 * SECOND_MS;
const LOOK_EVERY_MS = 50;
const VERDICT_WITHIN_MS = 5 * SECOND_MS;

/**
 * Stops every attempt to an endpoint; events are still accepted, and wait. Needs no worker.
 *
 * The lane's rate on the server, from which moment on it hands nothing out; the record and
 * the registry, by signals, which wait for a worker if need be. Returns when it holds
 * everywhere. Throws `unknown_endpoint`, `bad_argument`, `temporal_unreachable`.
 */
export async function pauseEndpoint(session: Session, endpoint: string, order: PauseOrder): Promise<PauseReport> {
  requireEndpoint(session, endpoint);
  const word = pauseArgument(order);
  const until = untilOf(word);
  const reason = oneLineReason(`paused by ${word.actor}: ${word.reason}`);
  const [lane, { workers, before }] = await Promise.all([
    setLaneRate(session, endpoint, { ratePerSecond: 0, reason }),
    signalPauseTo(session, endpoint, { word, until }),
    putGate(session, endpoint, { state: "paused", until, pending: true }),
  ]);
  const at = timeText(Date.now());
  // One that has just begun is not seen yet, nor are those that poll lanes alone: their copy is waited out.
  if (workers === 0) await sleep(COPY_TRUSTED_MS);
  const confirmed = workers === 0 || (await isConfirmed(session, endpoint));
  const after = workers === 0 ? null : await readEndpointRun(session, endpoint);
  const taken = confirmed ? endTaken({ before, after }, word) : null;
  return {
    endpoint,
    at,
    until: taken ?? until,
    workers,
    confirmed,
    heldOnServer: lane === "set",
    inFlight: after === null ? 0 : inFlightOf(after),
    replaces: replacedPause(before, Date.parse(at)),
  };
}

interface PauseSaid {
  /** How many were seen. Where there is none the word will wait, and says by which time it is over. */
  readonly workers: number;
  /** The endpoint's run before the word; null = it could not be read, which must not keep anybody from pausing. */
  readonly before: EndpointSeen | null;
}

async function signalPauseTo(
  session: Session,
  endpoint: string,
  { word, until }: { readonly word: PauseArgument; readonly until: string | null },
): Promise<PauseSaid> {
  const [workers, before] = await Promise.all([
    countWorkers(session),
    readEndpointRun(session, endpoint).catch(() => null),
  ]);
  const said = workers > 0 || until === null ? word : { ...word, until };
  await signalEndpoint(session, endpoint, { signal: pauseSignal, word: said });
  return { workers, before };
}

/** A worker has taken it in, and no process trusts an older copy any more; within three seconds, or not at all. */
async function isConfirmed(session: Session, endpoint: string): Promise<boolean> {
  const endsAtMs = performance.now() + HOLDS_WITHIN_MS;
  const handle = session.client.workflow.getHandle(GATES_WORKFLOW_ID);
  for (;;) {
    const { memo } = await withDeadline(session, () => handle.describe());
    const gates = (memo?.[GATES_MEMO] ?? {}) as GateMap; // written by our registry alone
    const shown = entryOf(gates, endpoint);
    if (shown?.state === "paused" && shown.pending !== true) break;
    if (performance.now() > endsAtMs) return false;
    await sleep(LOOK_EVERY_MS);
  }
  await sleep(Math.max(0, Math.min(COPY_TRUSTED_MS, endsAtMs - performance.now())));
  return true;
}

/**
 * Lets an endpoint go on: a burst of probes first, then open. Never throws because it did not count.
 *
 * Where no worker answers, the word waits for one. Throws `unknown_endpoint`, `bad_argument`,
 * `temporal_unreachable`.
 */
export async function resumeEndpoint(session: Session, endpoint: string, order: ResumeOrder): Promise<ResumeReport> {
  requireEndpoint(session, endpoint);
  const word = resumeArgument(order);
  const workers = await countWorkers(session);
  const verdict = workers === 0 ? null : await verdictOn(session, endpoint, word);
  if (verdict !== null) return { endpoint, workers, ...verdict };
  await signalEndpoint(session, endpoint, { signal: resumeSignal, word });
  return { endpoint, workers, at: timeText(Date.now()), counted: null, refusedBecause: null };
}

/** Null = workers were seen, but none answers. */
async function verdictOn(session: Session, endpoint: string, word: ResumeArgument): Promise<ResumeVerdict | null> {
  const ask = async (): Promise<ResumeVerdict> =>
    await session.client.workflow.executeUpdateWithStart(resumeUpdate, {
      args: [word],
      startWorkflowOperation: startingEndpoint(session, endpoint),
    });
  try {
    return await session.client.withDeadline(Date.now() + VERDICT_WITHIN_MS, ask);
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return null;
    const status = grpcFailure(error)?.status;
    if (status === GRPC_STATUS.deadlineExceeded || status === GRPC_STATUS.aborted) return null;
    throw explainSilence(error);
  }
}
