/**
 * Messages that reach a run in the middle of a local attempt, while the process lives:
 * the server refuses the task's completion, and no second request may come of it.
 * `count` = events of each kind.
 */
import proto from "@temporalio/proto";
import type { WorkflowHandle } from "@temporalio/client";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const ONE_REQUEST = "a message in the middle of a local attempt leads to no second request";
const ON_RECORD = "the attempt stays on record, and the message after it";
const IN_THE_MIDDLE = "the message did come in the middle of the attempt";

/** The attempt lasts this long; the message is sent as soon as the request has arrived. */
const ATTEMPT_MS = 300;
const WORD = { actor: "ana@example.com", reason: "in the middle" };

interface Interruption {
  /** Endpoint and event type. */
  readonly name: string;
  readonly status: number;
  interrupt(run: WorkflowHandle, client: ProcessStage["client"]): Promise<unknown>;
  /** State, attempts, resolutions. */
  readonly end: readonly [string, readonly string[], readonly string[]];
}

const INTERRUPTIONS: readonly Interruption[] = [
  {
    name: "signaled",
    status: 200,
    interrupt: async (run) => await run.signal("replay", WORD),
    end: ["delivered", ["http_200/local"], ["replay already-ended"]],
  },
  {
    name: "unknown-signal",
    status: 200,
    interrupt: async (run) => await run.signal("by-the-way", {}),
    end: ["delivered", ["http_200/local"], []],
  },
  {
    name: "canceled",
    status: 200,
    interrupt: async (run) => await run.cancel(),
    // A cancel request that finds nothing to discard is no word of a person: nothing is recorded.
    end: ["delivered", ["http_200/local"], []],
  },
  {
    name: "canceled-after-503",
    status: 503,
    interrupt: async (run) => await run.cancel(),
    end: ["discarded", ["http_503/local"], ["discard counted"]],
  },
  {
    name: "updated",
    status: 200,
    interrupt: async (run, client) => await client.discard(run.workflowId, WORD),
    // An update that meets the end of its run leaves no trace; its sender is told.
    end: ["delivered", ["http_200/local"], []],
  },
];

export const interruptions: Scenario = {
  claims: [ONE_REQUEST, ON_RECORD, IN_THE_MIDDLE],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: Object.fromEntries(INTERRUPTIONS.map(({ name }) => [name, {}])),
      scripts: Object.fromEntries(INTERRUPTIONS.map(({ name, status }) => [name, [{ status, delayMs: ATTEMPT_MS }]])),
    });
    try {
      await stage.startWorker();
      const findings = await Promise.all(
        INTERRUPTIONS.map(async (interruption) => await interruptEach(stage, scene, interruption)),
      );
      return findings.flat();
    } finally {
      await stage.close();
    }
  },
};

async function interruptEach(
  stage: ProcessStage,
  { count }: Scene,
  interruption: Interruption,
): Promise<readonly Finding[]> {
  const { name } = interruption;
  const events = Array.from({ length: count }, (_, index) => stage.anEvent(name, `${name}-${index + 1}`));
  const findings: Finding[] = [];
  const middles: boolean[] = [];
  // One after the other: each message must meet its attempt.
  for (const event of events) {
    middles.push(await interrupt(stage, event, interruption));
    findings.push(...(await judge(stage, event, interruption)));
  }
  const met = middles.filter(Boolean).length;
  return [...findings, { claim: IN_THE_MIDDLE, subject: name, holds: met > 0, seen: `${met} of ${count}` }];
}

/** Whether the message stands in the history before the end of the attempt. */
async function interrupt(
  stage: ProcessStage,
  event: StageEvent,
  { interrupt: disturb, name }: Interruption,
): Promise<boolean> {
  await stage.client.submit(event);
  const run = stage.temporal.workflow.getHandle(keyOf(event));
  await until(`the request of ${event.id} is open`, () => stage.requestsFor(event).length > 0);
  const sentMs = Date.now();
  const requestMs = stage.requestsFor(event)[0]?.atMs ?? 0;
  // An update leaves no event before the task that answers it.
  const answered = disturb(run, stage.client);
  await stage.client.settled(keyOf(event), { timeout: "60s" });
  await answered;
  return name === "updated" ? sentMs - requestMs < ATTEMPT_MS : await cameBeforeTheEnd(run);
}

async function cameBeforeTheEnd(run: WorkflowHandle): Promise<boolean> {
  const { EventType } = proto.temporal.api.enums.v1;
  const events = (await run.fetchHistory()).events ?? [];
  const message = events.find(
    ({ eventType }) =>
      eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED,
  );
  const end = events.find(({ eventType }) => eventType === EventType.EVENT_TYPE_MARKER_RECORDED);
  return nanosOf(message) < nanosOf(end);
}

/** A message that came during a task stands behind it in the history, but keeps its time. */
function nanosOf(event: proto.temporal.api.history.v1.IHistoryEvent | undefined): number {
  return Number(event?.eventTime?.seconds ?? 0) * 1e9 + (event?.eventTime?.nanos ?? 0);
}

async function judge(stage: ProcessStage, event: StageEvent, { end }: Interruption): Promise<readonly Finding[]> {
  // The message may be answered after the delivery has ended.
  const report = await until(`${event.id} is closed`, async () => {
    const { status } = await stage.temporal.workflow.getHandle(keyOf(event)).describe();
    return status.name === "RUNNING" ? null : await stage.client.get(keyOf(event));
  });
  const [delivery] = report.deliveries;
  const attempts = delivery?.attempts.map(({ code, via }) => `${code}/${via}`);
  const words = delivery?.resolutions.map(
    ({ action, counted, refusedBecause }) => `${action} ${counted ? "counted" : String(refusedBecause)}`,
  );
  const subject = event.id;
  return [
    same({ claim: ONE_REQUEST, subject }, stage.requestsFor(event).length, 1),
    same({ claim: ON_RECORD, subject }, [report.state, attempts, words], end),
  ];
}
