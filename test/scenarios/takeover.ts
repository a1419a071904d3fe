/**
 * A lane whose only process is killed is taken up by another one: a process that runs
 * already, and one started later that holds the credentials of an isolated endpoint.
 * `count` = events on each lane.
 */
import proto from "@temporalio/proto";
import { laneQueue } from "../../src/delivery/names.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const BY_RUNNING = "a lane whose only process is killed is taken up by a process that runs already";
const BACKLOG = "what waits on a lane whose only process is killed is taken up by a process that runs already";
const BY_NEW = "an isolated endpoint whose only process is killed is taken up by a new one";
const WHILE_DOWN = "what comes for an isolated endpoint while no process serves it waits and is delivered";
const NOT_ELSEWHERE = "an isolated endpoint is never called by a worker not started for it";

const LANE = "limited";
const STILL = "still";
const VAULT = "vault";
const PATIENT = { timeouts: { total: "120s" }, retry: { schedule: ["1s", "1s"], jitter: 0 } } as const;
const ON_LANE = { ...PATIENT, limits: { concurrency: 50 } } as const;
const LOST_THEN_DELIVERED = ["worker_lost/lane", "http_200/lane"];
const DELIVERED = ["http_200/lane"];

export const takeover: Scenario = {
  claims: [BY_RUNNING, BACKLOG, BY_NEW, WHILE_DOWN, NOT_ELSEWHERE],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: { [LANE]: ON_LANE, [STILL]: ON_LANE, [VAULT]: { ...PATIENT, isolated: true } },
      scripts: {
        [LANE]: [{ how: "hang" }, {}],
        [VAULT]: ({ nth, body }) => ({ how: nth === 1 && body.includes("held-") ? "hang" : "answer" }),
      },
    });
    try {
      return await takeOver(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function takeOver(stage: ProcessStage, scene: Scene): Promise<readonly Finding[]> {
  const onLane = numbered(scene, (number) => stage.anEvent(LANE, `on-lane-${number}`));
  const held = numbered(scene, (number) => stage.anEvent(VAULT, `held-${number}`));
  const waiting = numbered(scene, (number) => stage.anEvent(STILL, `waiting-${number}`));
  const later = numbered(scene, (number) => stage.anEvent(VAULT, `later-${number}`));
  const [only, keeper] = await Promise.all([stage.startWorker(), stage.startWorker({ only: [VAULT] })]);
  await setLanePace(stage, 0);
  await submitAll(stage, [...onLane, ...waiting, ...held]);
  await until("each first request is open", () =>
    [...onLane, ...held].every((event) => stage.requestsFor(event).length === 1),
  );
  await until("the others wait on their lane", async () => {
    const reports = await Promise.all(waiting.map(async (event) => await stage.client.get(keyOf(event))));
    return reports.every(({ deliveries }) => deliveries[0]?.waitingFor === "worker");
  });
  await stage.startWorker();
  await Promise.all([only.kill(), keeper.kill()]);
  await setLanePace(stage, null);
  scene.say("the process of each lane is killed");
  await submitAll(stage, later);
  await Promise.all(onLane.map(async (event) => await stage.client.settled(keyOf(event), { timeout: "120s" })));
  // Every other worker has been busy meanwhile; had one of them called the vault, it would show here.
  const early = later.map((event) =>
    same({ claim: NOT_ELSEWHERE, subject: event.id }, stage.requestsFor(event).length, 0),
  );
  await stage.startWorker({ only: [VAULT] });
  return [
    ...early,
    ...(await Promise.all(
      onLane.map(async (event) => await ends(stage, event, { claim: BY_RUNNING, attempts: LOST_THEN_DELIVERED })),
    )),
    ...(await Promise.all(
      waiting.map(async (event) => await ends(stage, event, { claim: BACKLOG, attempts: DELIVERED })),
    )),
    ...(await Promise.all(
      held.map(async (event) => await ends(stage, event, { claim: BY_NEW, attempts: LOST_THEN_DELIVERED })),
    )),
    ...(await Promise.all(
      later.map(async (event) => await ends(stage, event, { claim: WHILE_DOWN, attempts: DELIVERED })),
    )),
  ];
}

/** Tasks a second; 0 keeps the work of the lane on the server, null takes every limit away. */
async function setLanePace({ temporal, config }: ProcessStage, requestsPerSecond: number | null): Promise<void> {
  await temporal.workflowService.updateTaskQueueConfig({
    namespace: temporal.options.namespace,
    identity: "takeover",
    taskQueue: laneQueue(config.temporal.taskQueue, STILL),
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    updateQueueRateLimit: {
      reason: "scenario",
      ...(requestsPerSecond === null ? {} : { rateLimit: { requestsPerSecond } }),
    },
  });
}

function numbered<T>({ count }: Scene, make: (number: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

async function submitAll(stage: ProcessStage, events: readonly StageEvent[]): Promise<void> {
  await Promise.all(events.map(async (event) => await stage.client.submit(event)));
}

interface End {
  readonly claim: string;
  readonly attempts: readonly string[];
}

async function ends(stage: ProcessStage, event: StageEvent, { claim, attempts }: End): Promise<Finding> {
  const report = await stage.client.settled(keyOf(event), { timeout: "120s" });
  const [delivery] = report.deliveries;
  const record = delivery?.attempts.map(({ code, via }) => `${code}/${via}`);
  const keys = new Set(stage.requestsFor(event).map(({ key }) => key));
  const seen = [report.state, record, stage.requestsFor(event).length, [...keys]];
  return same({ claim, subject: event.id }, seen, ["delivered", attempts, attempts.length, [delivery?.idempotencyKey]]);
}
