/** From untrusted input to an accepted event: parsed, routed, under its own key; or a failed run with a sentence. */
import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from "@temporalio/workflow";
import type { EventActivities } from "../activities/contract.ts";
import type { ResolvedEvent, ResolveInput } from "../delivery/activity-shapes.ts";
import { BAD_INPUT_TYPES } from "../delivery/bad-input.ts";
import { HOUR_MS, MINUTE_MS } from "../delivery/durations.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { identityOf } from "../delivery/event-identity.ts";
import { isKnownVersion, membersOf } from "../delivery/message-members.ts";
import { eventKey, isName } from "../delivery/names.ts";
import { parseEvent } from "../delivery/parse-event.ts";
import { type EventPlan, parsePlan } from "../delivery/plan.ts";
import { isCountersignError } from "../errors.ts";
import { clearUp } from "./attempts.ts";
import { accept, apply, type EventRun, mayGoLocally, messageCount, progressOf, release } from "./event-run.ts";
import { LENGTH_AT_START } from "./history-lengths.ts";
import { refusal } from "./refusal.ts";
import { label } from "./signboard.ts";
import { understood } from "./understood.ts";

/** Accepts the input or fails the run; a failed run used no attempt, so a corrected event may use its key again. */
export async function acceptEvent(run: EventRun, input: unknown): Promise<void> {
  const plan = typeof input === "object" && input !== null && "plan" in input ? parsePlan(input.plan) : null;
  const said = understood(input);
  if (plan === null) return await acceptUnrouted(run, read(withoutInfinities(said)));
  const event = read(said);
  // An alias is for the worker to resolve: whoever planned this was not our client.
  if (!isName(event.source)) return await acceptUnrouted(run, event);
  requireOwnKey(event);
  accept(run, { event, identity: identityOf(event), plan });
  await meetHeld(run);
}

/** What came before the first task may stand behind a local attempt of an earlier execution: that is cleared up first. */
async function meetHeld(run: EventRun): Promise<void> {
  const [only, ...others] = progressOf(run).deliveries;
  const disturbed = workflowInfo().historyLength !== LENGTH_AT_START + messageCount(run);
  const suspected =
    run.held.length > 0 && disturbed && only !== undefined && others.length === 0 && mayGoLocally(run, only);
  if (!suspected) return release(run);
  run.clearing = clearUp(run);
  await run.clearing;
}

/** A plain Temporal start brings no plan: the worker resolves it, and tries a lone quick delivery in the same step. */
async function acceptUnrouted(run: EventRun, event: BusinessEvent): Promise<void> {
  if (isName(event.source)) requireOwnKey(event);
  const resolved = await resolve(run, event);
  const settled = withExactBody({ ...event, source: resolved.source }, resolved);
  requireOwnKey(settled);
  const plan: EventPlan = resolved.plan;
  accept(run, { event: settled, identity: identityOf(settled), plan });
  label(progressOf(run));
  if (resolved.first !== undefined) {
    // The label above is one event more than an undisturbed history has.
    run.lengthAtReport = workflowInfo().historyLength + 1;
    apply(run, { fact: "attempt-reported", via: "local", result: resolved.first });
  }
  release(run);
}

/** The longest total time-out an endpoint may have is an hour: the first attempt may be made on the way. */
const LONGEST_ATTEMPT_MS = HOUR_MS + 5 * MINUTE_MS;

async function resolve(run: EventRun, event: BusinessEvent): Promise<ResolvedEvent> {
  const clues = {
    historyLength: workflowInfo().historyLength,
    expectedLength: LENGTH_AT_START + messageCount(run),
    scheduledAtMs: Date.now(),
    recallOnly: messageCount(run) > 0,
  };
  const local = proxyLocalActivities<EventActivities>({
    startToCloseTimeout: LONGEST_ATTEMPT_MS,
    retry: { maximumAttempts: 1 },
    summary: "find the routes of this event",
  });
  const input: ResolveInput = { v: 1, event };
  try {
    return await local.resolveRoutes({ ...input, clues });
  } catch (error) {
    rethrowBadInput(error);
    return await resolveLater(input);
  }
}

/** The configuration could not be used just now: ask again, for as long as it takes. */
async function resolveLater(input: ResolveInput): Promise<ResolvedEvent> {
  const regular = proxyActivities<EventActivities>({
    startToCloseTimeout: MINUTE_MS,
    retry: { initialInterval: 1000, maximumInterval: MINUTE_MS, nonRetryableErrorTypes: [...BAD_INPUT_TYPES] },
    summary: "find the routes of this event, again",
  });
  try {
    return await regular.resolveRoutes(input);
  } catch (error) {
    rethrowBadInput(error);
    throw error;
  }
}

/** A local activity fails with its failure itself, a regular one with an ActivityFailure around it. */
function rethrowBadInput(error: unknown): void {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  if (!(failure instanceof ApplicationFailure)) return;
  const { message, type } = failure;
  if (type !== null && type !== undefined && BAD_INPUT_TYPES.includes(type)) throw refusal(message, type);
}

function withExactBody(event: BusinessEvent, { exactBody }: ResolvedEvent): BusinessEvent {
  if (exactBody === undefined) return event;
  const { data: _parsed, ...rest } = event;
  return { ...rest, data_base64: exactBody };
}

/**
 * `JSON.parse` reads numbers such as `1e400` as Infinity, which no event holds. What is
 * delivered are the bytes as sent, and `resolveRoutes` brings them.
 */
function withoutInfinities(input: unknown): unknown {
  return typeof input === "object" && input !== null && "data" in input && holdsInfinity(input.data)
    ? { ...input, data: null }
    : input;
}

function holdsInfinity(value: unknown): boolean {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === "number" && !Number.isFinite(next)) return true;
    if (typeof next === "object" && next !== null) for (const part of Object.values(next)) waiting.push(part);
  }
  return false;
}

function read(input: unknown): BusinessEvent {
  if (!isKnownVersion(membersOf(input)))
    throw refusal('Event member "v" is of another version; accepted: 1, or none.', "bad_event");
  try {
    return parseEvent(input);
  } catch (error) {
    if (isCountersignError(error)) throw refusal(error.message, error.code);
    throw error;
  }
}

function requireOwnKey(event: BusinessEvent): void {
  const key = eventKey(event.source, event.id);
  const { workflowId } = workflowInfo();
  if (workflowId === key) return;
  throw refusal(
    `The workflow ID is ${JSON.stringify(workflowId)}, but the key of the event in its input is ${JSON.stringify(key)}; start it with that ID`,
    "bad_event",
  );
}
