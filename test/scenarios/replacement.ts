/**
 * A deploy: every worker is replaced by a new process while requests are in flight and
 * retries wait. Nothing is lost, nothing is sent twice, and what waits is sent when due.
 * `count` = events in a retry wait on each way; five times as many are in flight, and as
 * many come, each time a worker leaves.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import type { Child } from "../support/child.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const LEAVES = "a worker leaves by itself, with status 0, once its requests are done";
const IN_FLIGHT = "a request in flight while its worker leaves is answered, and is the only one";
const MEANWHILE = "an event that comes while a worker leaves is delivered by exactly one request";
const WHEN_DUE = "a retry that waits while all workers are replaced is sent, and not before it is due";

const WAIT_S = 25;
/** How late a retry may be before something else than a busy machine is at fault. */
const LATE_AFTER_S = 60;
const STEADY = "steady";
const STEADY_MS = 1500;
const COMPANION = "companion";
const WAITING: RawEndpoint = { retry: { schedule: [`${WAIT_S}s`, "1s"], jitter: 0 } };
const WAYS: Readonly<Record<string, RawEndpoint>> = {
  "wait-local": WAITING,
  "wait-direct": WAITING,
  "wait-lane": { ...WAITING, limits: { concurrency: 10 } },
};

export const replacement: Scenario = {
  claims: [LEAVES, IN_FLIGHT, MEANWHILE, WHEN_DUE],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: { ...WAYS, [STEADY]: {}, [COMPANION]: {} },
      routes: [{ match: { type: "wait-direct" }, to: [COMPANION] }],
      scripts: {
        [STEADY]: [{ delayMs: STEADY_MS }],
        ...Object.fromEntries(Object.keys(WAYS).map((name) => [name, [{ status: 503 }, {}]])),
      },
    });
    try {
      return await replaceAll(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function replaceAll(stage: ProcessStage, scene: Scene): Promise<readonly Finding[]> {
  const waiting = Object.keys(WAYS).flatMap((way) => many(stage, way, { count: scene.count, name: way }));
  const [one, other] = await Promise.all([stage.startWorker(), stage.startWorker()]);
  await submitAll(stage, waiting);
  await until("every first try is answered", () => waiting.every((event) => stage.requestsFor(event).length === 1));
  const inFlight: StageEvent[] = [];
  const meanwhile: StageEvent[] = [];
  const exits: Finding[] = [];
  // One of two leaves; then its successor comes, and the second leaves too.
  for (const [number, worker] of [one, other].entries()) {
    const before = many(stage, STEADY, { count: 5 * scene.count, name: `in-flight-${number + 1}` });
    const during = many(stage, STEADY, { count: 5 * scene.count, name: `meanwhile-${number + 1}` });
    inFlight.push(...before);
    meanwhile.push(...during);
    await submitAll(stage, before);
    await until("all requests are in flight", () => before.every((event) => stage.requestsFor(event).length === 1));
    const [exit] = await Promise.all([leave(worker, `worker ${number + 1}`, scene), submitAll(stage, during)]);
    exits.push(exit);
    if (number === 0) await stage.startWorker();
  }
  return [
    ...exits,
    ...(await Promise.all(inFlight.map(async (event) => await answered(stage, event)))),
    ...(await Promise.all(meanwhile.map(async (event) => await once(stage, event)))),
    ...(await Promise.all(waiting.map(async (event) => await whenDue(stage, event)))),
  ];
}

function many(
  stage: ProcessStage,
  type: string,
  { count, name }: { readonly count: number; readonly name: string },
): readonly StageEvent[] {
  return Array.from({ length: count }, (_, index) => stage.anEvent(type, `${name}-${index + 1}`));
}

async function submitAll(stage: ProcessStage, events: readonly StageEvent[]): Promise<void> {
  await Promise.all(events.map(async (event) => await stage.client.submit(event)));
}

async function leave(worker: Child, subject: string, scene: Scene): Promise<Finding> {
  const startedMs = Date.now();
  const exit = await Promise.race([worker.terminate(), pause(LATE_AFTER_S * 1000, null, { ref: false })]);
  const measuredS = (Date.now() - startedMs) / 1000;
  scene.say(`${subject} has left after ${measuredS.toFixed(1)} s`);
  return { ...same({ claim: LEAVES, subject }, exit, { code: 0, signal: null }), measuredS };
}

async function answered(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const { state, deliveries } = await stage.client.settled(keyOf(event), { timeout: "90s" });
  const seen = [state, deliveries[0]?.attempts.map(({ code }) => code), stage.requestsFor(event).length];
  return same({ claim: IN_FLIGHT, subject: event.id }, seen, ["delivered", ["http_200"], 1]);
}

async function once(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const { state, deliveries } = await stage.client.settled(keyOf(event), { timeout: "90s" });
  const record = deliveries[0]?.attempts ?? [];
  const requests = stage.requestsFor(event).length;
  const holds = state === "delivered" && requests === 1 && codesSent(record) === "http_200";
  return { claim: MEANWHILE, subject: event.id, holds, seen: `${state}, ${codesOf(record)}, ${requests} requests` };
}

async function whenDue(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const { state, deliveries } = await stage.client.settled(keyOf(event), { timeout: "90s" });
  const record = deliveries.find(({ endpoint }) => endpoint === event.type)?.attempts ?? [];
  const [first, second, ...more] = stage.requestsFor(event);
  const about = { claim: WHEN_DUE, subject: event.id };
  if (first === undefined || second === undefined)
    return { ...about, holds: false, seen: `${state}, ${codesOf(record)}` };
  const measuredS = (second.atMs - first.atMs) / 1000;
  const inTime = measuredS >= WAIT_S && measuredS < WAIT_S + LATE_AFTER_S;
  const holds = inTime && more.length === 0 && codesSent(record) === "http_503, http_200" && state === "delivered";
  const seen = `${codesOf(record)}, due after ${WAIT_S} s, sent after ${measuredS.toFixed(1)} s`;
  return { ...about, holds, seen, measuredS };
}

function codesOf(attempts: readonly AttemptRecord[]): string {
  return attempts.map(({ code }) => code).join(", ");
}

/**
 * Without one lost attempt: the SDK drops tasks that it has fetched but not begun when it is
 * told to stop (1.24.0), and nobody can tell such a task from one whose request left.
 */
function codesSent(attempts: readonly AttemptRecord[]): string {
  const lost = attempts.findIndex(({ code }) => code === "worker_lost");
  return codesOf(attempts.filter((_, index) => index !== lost));
}
