/** Accepting an event: one start call is the durable record and the job. */
import { WorkflowExecutionAlreadyStartedError, type WorkflowExecutionDescription } from "@temporalio/client";
import { canonicalEvent, planEvent } from "../config/plan-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { listedEndpoints } from "../delivery/listed-endpoints.ts";
import { eventKey, RESERVED_SOURCE } from "../delivery/names.ts";
import { parseEvent } from "../delivery/parse-event.ts";
import type { EventPlan } from "../delivery/plan.ts";
import { CountersignError } from "../errors.ts";
import { ENDPOINTS_ATTRIBUTE, TYPE_ATTRIBUTE, withSearchAttributeRetry } from "../temporal/search-attributes.ts";
import { FINGERPRINT_MEMO } from "../workflows/messages.ts";
import { type ConflictOrigin, recordConflict } from "./conflicts.ts";
import { listedState, type ListedState } from "./listed-state.ts";
import { checkBody } from "./read-event.ts";
import { type Session, withDeadline } from "./session.ts";
import { fingerprintOfRun } from "./stored-event.ts";

export interface Receipt {
  /** `source/id`, the workflow ID. */
  readonly key: string;
  /** The very same event was accepted before. */
  readonly duplicate: boolean;
  readonly state: ListedState;
  readonly workflowId: string;
  readonly runId: string;
}

export interface SubmitOptions {
  /** Noted with a conflict. */
  readonly via?: ConflictOrigin;
  /** Top-level members of a JSON body that may change between redeliveries: other values there are no conflict. */
  readonly volatileMembers?: readonly string[];
}

/**
 * Accepts an event; when it returns, the event survives any crash of ours.
 *
 * Throws `bad_event`, `bad_id`, `unknown_source`, `no_route`, `body_too_large`: nothing
 * was started. Throws `conflict` when the key holds other content, which is recorded.
 */
export async function submit(session: Session, input: unknown, options: SubmitOptions = {}): Promise<Receipt> {
  const parsed = parseEvent(input);
  if (parsed.source === RESERVED_SOURCE) throw reserved();
  return await submitParsed(session, parsed, options);
}

/** Accepts an event of our own: a test, or a notice about an approval. Not for what comes from outside. */
export async function submitOwn(session: Session, input: unknown): Promise<Receipt> {
  return await submitParsed(session, parseEvent(input), {});
}

function reserved(): CountersignError {
  return new CountersignError(
    "unknown_source",
    `The source ${JSON.stringify(RESERVED_SOURCE)} is Countersign's own; send under a configured source, or use \`test\` to try an endpoint`,
  );
}

async function submitParsed(session: Session, parsed: BusinessEvent, options: SubmitOptions): Promise<Receipt> {
  const event = canonicalEvent(session.config, parsed);
  checkBody(event, { maxBodyBytes: MAX_BODY_BYTES });
  const plan = planEvent(session.config, event, { volatileMembers: options.volatileMembers });
  requireRoom({ event, plan });
  const { eager } = await session.ready();
  return await startOnce(session, { event, plan, eager, via: options.via ?? "client" }, "REJECT_DUPLICATE");
}

/** The largest `maxBodyBytes` an endpoint may have; the endpoint's own limit is checked with the plan. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The server takes payloads of 2 MiB; the rest of the room is for what an encoding adds. */
const MAX_INPUT_BYTES = Math.floor(1.9 * 1024 * 1024);

/** Throws `body_too_large`: the start would be refused, or the run with it could not go on. */
function requireRoom(input: Pick<Submission, "event" | "plan">): void {
  const inputBytes = Buffer.byteLength(JSON.stringify(inputOf(input)));
  if (inputBytes <= MAX_INPUT_BYTES) return;
  throw new CountersignError(
    "body_too_large",
    `The event takes ${inputBytes} bytes as Temporal keeps it; accepted are at most ${MAX_INPUT_BYTES}. Everything counts: the body as JSON or base64, the evidence and the plan of its deliveries`,
    { details: { inputBytes, maxInputBytes: MAX_INPUT_BYTES } },
  );
}

/** What the run is started with. */
function inputOf({ event, plan }: Pick<Submission, "event" | "plan">) {
  return { ...event, plan };
}

interface Submission {
  readonly event: BusinessEvent;
  readonly plan: EventPlan;
  readonly eager: boolean;
  readonly via: ConflictOrigin;
}

type ReusePolicy = "REJECT_DUPLICATE" | "ALLOW_DUPLICATE_FAILED_ONLY";

async function startOnce(session: Session, submission: Submission, reuse: ReusePolicy): Promise<Receipt> {
  const key = eventKey(submission.event.source, submission.event.id);
  try {
    const { firstExecutionRunId: runId } = await start(session, submission, reuse);
    return { key, duplicate: false, state: "in-progress", workflowId: key, runId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return await meetEarlier(session, submission, reuse);
  }
}

async function start(session: Session, submission: Submission, reuse: ReusePolicy) {
  const { event, plan, eager } = submission;
  const { client, config } = session;
  const endpoints = plan.deliveries.map((delivery) => delivery.endpoint);
  return await withSearchAttributeRetry(() =>
    withDeadline(session, () =>
      client.workflow.start("event", {
        workflowId: eventKey(event.source, event.id),
        taskQueue: config.temporal.taskQueue,
        args: [inputOf(submission)],
        workflowIdReusePolicy: reuse,
        workflowIdConflictPolicy: "FAIL",
        memo: { [FINGERPRINT_MEMO]: plan.fingerprint },
        typedSearchAttributes: [
          { key: TYPE_ATTRIBUTE, value: event.type.slice(0, MAX_KEYWORD) },
          { key: ENDPOINTS_ATTRIBUTE, value: [...listedEndpoints(endpoints)] },
        ],
        staticSummary: `${event.type} to ${endpoints.join(", ")}`.slice(0, MAX_SUMMARY),
        requestEagerStart: eager,
      }),
    ),
  );
}

/** Keyword attributes of SQL visibility hold 255 characters. */
const MAX_KEYWORD = 255;
/** The server takes 400 bytes; four per character at most. */
const MAX_SUMMARY = 100;

/** The key was used before: is it the same event, another one, or one whose input was refused? */
async function meetEarlier(session: Session, submission: Submission, reuse: ReusePolicy): Promise<Receipt> {
  const key = eventKey(submission.event.source, submission.event.id);
  const earlier = await withDeadline(session, () => session.client.workflow.getHandle(key).describe());
  const failed = earlier.status.name === "FAILED";
  if (failed && reuse === "REJECT_DUPLICATE")
    return await startOnce(session, submission, "ALLOW_DUPLICATE_FAILED_ONLY");
  const state = listedState(earlier);
  const { runId } = earlier;
  if (state === "terminated") return { key, duplicate: true, state, workflowId: key, runId };
  await requireSameContent(session, submission, earlier);
  return { key, duplicate: true, state, workflowId: key, runId };
}

async function requireSameContent(
  session: Session,
  { event, plan, via }: Submission,
  earlier: WorkflowExecutionDescription,
): Promise<void> {
  const key = eventKey(event.source, event.id);
  const known = await fingerprintOfRun(session, earlier);
  const { fingerprint } = plan;
  if (known === fingerprint) return;
  await recordConflict(session, { key, fingerprint, via });
  throw new CountersignError(
    "conflict",
    `Event ${JSON.stringify(key)} was accepted before with other content; this one is refused and recorded, nothing was sent`,
    { details: { key, accepted: known, refused: fingerprint } },
  );
}
