/**
 * A mass replay in whose middle first the worker and then the Temporal server is killed; it goes on by itself on the
 * server's database file, and tells each event to go on once. A second one is canceled. `count` = parked events.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BulkReplayStatus } from "../../src/client/bulk-replay-show.ts";
import { bulkReplayWorkflowId } from "../../src/delivery/bulk-replay/order.ts";
import { paceOf } from "../../src/delivery/bulk-replay/pace.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import type { Resolution } from "../../src/delivery/event-state.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import type { Child } from "../support/child.ts";
import { aWish, resultsOf, untilEnded } from "../support/bulk-replays.ts";
import { inBatches } from "../support/in-batches.ts";
import { parkMany, REFUSES_FIRST } from "../support/parked-events.ts";
import { openProcessStage, type ProcessStage } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const FINISHES = "it finishes although its worker and then the Temporal server are killed in its middle";
const REPORT = "its report names every event once, and its numbers add up";
const ONCE = "each event is told to go on exactly once, and is delivered";
const EXPLAINED = "no request was made that no attempt on record explains";
const STOPS = "a cancel stops it within one interval of its pace, and leaves the rest parked";
const DEAD = "canceled while no worker runs it tells no further event, and counts those it had told";
const SMALL = "no run of its chain grows beyond 600 events";

/** The replayed ones, and those of the mass replays that are canceled. */
const [MANY, FEW, LAST] = ["many", "few", "last"];
/** Thousands take minutes; a batch in hand when the server goes away waits for it, a next task for a dead one's queue. */
const PATIENCE_MS = 600_000;
/** A second that a slow machine takes two for says nothing about a pace. */
const BEARABLE_RATE = 20;
/** For the word itself to travel on a busy machine. */
const SLACK_MS = 3000;
const MAX_EVENTS = 600;

export const bulkReplay: Scenario = {
  claims: [FINISHES, REPORT, ONCE, EXPLAINED, STOPS, DEAD, SMALL],
  async play(scene) {
    const folder = await mkdtemp(join(tmpdir(), "countersign-bulk-"));
    const claimed = await claimPort("127.0.0.1", 0);
    if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
    const { port } = claimed;
    const dbFilename = join(folder, "temporal.db");
    const start = async (): Promise<DevServer> =>
      await startDevServer({ environment: process.env, namespace: "default", port, dbFilename });
    const temporal = { server: await start(), start };
    const stage = await openProcessStage({
      address: temporal.server.address,
      endpoints: { [MANY]: {}, [FEW]: {}, [LAST]: {} },
      scripts: { [MANY]: REFUSES_FIRST, [FEW]: REFUSES_FIRST, [LAST]: REFUSES_FIRST },
    });
    try {
      return await play({ stage, temporal }, scene);
    } finally {
      await stage.close();
      await temporal.server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Theater {
  readonly stage: ProcessStage;
  readonly temporal: { server: DevServer; start(): Promise<DevServer> };
}

async function play({ stage, temporal }: Theater, { count, say }: Scene): Promise<readonly Finding[]> {
  const first = await stage.startWorker();
  const keys = await parkMany(stage.client, { type: MANY, count, withinMs: PATIENCE_MS });
  say(`${count} events are parked`);
  const rate = Math.min(50, count / 5);
  const { id } = await stage.client.bulkReplays.start(aWish(MANY, { rate }));
  await untilReplayed(stage, MANY, count / 3);
  await first.kill();
  say(`the worker is killed with ${replaysAt(stage, MANY)} of them replayed`);
  const second = await stage.startWorker();
  await untilReplayed(stage, MANY, (2 * count) / 3);
  process.kill(temporal.server.pid, "SIGKILL");
  await temporal.server.exited;
  say(`the Temporal server is killed with ${replaysAt(stage, MANY)} of them replayed`);
  temporal.server = await temporal.start();
  const status = await untilEnded(stage.client, id, PATIENCE_MS + (count / rate) * SECOND_MS);
  say(`it has ended: ${status.replayed} replayed, ${status.notReplayed} not`);
  return [
    same({ claim: FINISHES, subject: id }, status.state, "finished"),
    ...(await reported(stage, status, keys)),
    ...(await inBatches(keys, async (key) => await judge(stage, key))).flat(),
    ...(await sizes(stage, id)),
    ...(await cancel(stage, { count: Math.ceil(count / 5), say })),
    ...(await cancelWithoutWorker(stage, second, { count: Math.ceil(count / 5), say })),
  ];
}

function replaysAt({ destination }: ProcessStage, endpoint: string): number {
  return destination.requests.filter(({ path, nth }) => path === `/${endpoint}` && nth === 2).length;
}

async function untilReplayed(stage: ProcessStage, endpoint: string, atLeast: number): Promise<void> {
  const reached = () => replaysAt(stage, endpoint) >= atLeast;
  await until(`${atLeast} events of ${endpoint} are replayed`, reached, { withinMs: PATIENCE_MS });
}

async function reported(
  { client }: ProcessStage,
  { id, expected, done, replayed, notReplayed, because }: BulkReplayStatus,
  keys: readonly string[],
): Promise<readonly Finding[]> {
  const results = await resultsOf(client, id);
  const { complete } = await client.bulkReplays.items(id);
  const named = results.map(({ key }) => key).toSorted();
  const sum = Object.values(because).reduce((total, one) => total + one, replayed);
  return [
    same({ claim: REPORT, subject: "the events it names" }, [complete, named], [true, keys.toSorted()]),
    same({ claim: REPORT, subject: "its numbers" }, [expected, done, replayed, sum], Array(4).fill(keys.length)),
    same({ claim: REPORT, subject: "what was not replayed" }, notReplayed, 0),
  ];
}

async function judge({ client, destination }: ProcessStage, key: string): Promise<readonly Finding[]> {
  const { state, deliveries } = await client.settled(key, { timeout: "120s" });
  const [delivery] = deliveries;
  const words = (delivery?.resolutions ?? []).map(({ action, counted }: Resolution) => [action, counted]);
  const requests = destination.requestsOf(delivery?.idempotencyKey ?? "").length;
  const attempts = delivery?.attemptCount ?? 0;
  return [
    same({ claim: ONCE, subject: key }, [state, words], ["delivered", [["replay", true]]]),
    { claim: EXPLAINED, subject: key, holds: requests <= attempts, seen: `${requests} requests, ${attempts} attempts` },
  ];
}

async function sizes({ temporal, client }: ProcessStage, id: string): Promise<readonly Finding[]> {
  const query = `WorkflowId = "${bulkReplayWorkflowId(id)}"`;
  const { done } = await client.bulkReplays.show(id);
  const findings: Finding[] = [];
  for await (const { runId, historyLength } of temporal.workflow.list({ query })) {
    const seen = `${historyLength} events`;
    findings.push({ claim: SMALL, subject: `run ${runId}, ${done} in all`, holds: historyLength <= MAX_EVENTS, seen });
  }
  return findings;
}

async function cancel(stage: ProcessStage, { count, say }: Pick<Scene, "count" | "say">): Promise<readonly Finding[]> {
  const { client } = stage;
  const keys = await parkMany(client, { type: FEW, count, withinMs: PATIENCE_MS });
  const rate = Math.min(BEARABLE_RATE, Math.max(1, count / 10));
  const { intervalMs } = paceOf(rate);
  const { id } = await client.bulkReplays.start(aWish(FEW, { rate }));
  await untilReplayed(stage, FEW, 2);
  const verdict = await client.bulkReplays.cancel(id, { actor: "ana@example.com", note: "enough" });
  const canceledMs = Date.parse(verdict.at);
  const { state, replayed, endedAt } = await untilEnded(client, id);
  const reports = await inBatches(keys, async (key) => await client.settled(key, { timeout: "60s" }));
  const told = reports.flatMap(({ deliveries }) => deliveries.flatMap(({ resolutions }) => resolutions));
  const lateMs = Math.max(0, ...told.map(({ at }) => Date.parse(at) - canceledMs));
  const endedMs = Date.parse(endedAt ?? "") - canceledMs;
  const left = reports.filter((report) => report.state === "needs-attention").length;
  say(`canceled with ${replayed} of ${count} replayed; the last one ${lateMs} ms after the word`);
  return [
    same({ claim: STOPS, subject: "its state" }, [state, told.length, left], ["canceled", replayed, count - replayed]),
    {
      claim: STOPS,
      subject: "the last replay",
      holds: lateMs < intervalMs + SLACK_MS,
      seen: `${lateMs} ms`,
      measuredS: lateMs / 1000,
    },
    {
      claim: STOPS,
      subject: "its end",
      holds: endedMs < intervalMs + SLACK_MS,
      seen: `${endedMs} ms`,
      measuredS: endedMs / 1000,
    },
  ];
}

async function cancelWithoutWorker(
  stage: ProcessStage,
  worker: Child,
  { count, say }: Pick<Scene, "count" | "say">,
): Promise<readonly Finding[]> {
  const { client } = stage;
  const keys = await parkMany(client, { type: LAST, count, withinMs: PATIENCE_MS });
  const { id } = await client.bulkReplays.start(
    aWish(LAST, { rate: Math.min(BEARABLE_RATE, Math.max(1, count / 10)) }),
  );
  await untilReplayed(stage, LAST, 2);
  await worker.kill();
  const { pending } = await client.bulkReplays.cancel(id, { actor: "ana@example.com" });
  await stage.startWorker();
  const { state, replayed } = await untilEnded(client, id);
  const reports = await inBatches(keys, async (key) => await client.settled(key, { timeout: "60s" }));
  const told = reports.filter(({ deliveries }) => deliveries.some(({ resolutions }) => resolutions.length > 0));
  const tellers = new Set(await inBatches(told, async ({ key }) => await tellerOf(stage, key)));
  say(`canceled without a worker: ${told.length} of ${count} had been told`);
  return [
    same({ claim: DEAD, subject: id }, [pending, state, replayed, tellers.size], [true, "canceled", told.length, 1]),
    {
      claim: DEAD,
      subject: "what stays parked",
      holds: told.length < count,
      seen: `${count - told.length} of ${count}`,
    },
  ];
}

/** The process that told the event to go on. A word of the killed one may be taken in only once there is another worker. */
async function tellerOf({ temporal }: ProcessStage, key: string): Promise<string> {
  const { events } = await temporal.workflow.getHandle(key).fetchHistory();
  const tellers = (events ?? []).flatMap(
    ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => accepted?.acceptedRequest?.meta?.identity ?? [],
  );
  if (tellers.length === 0) throw new Error(`${key} was told to go on by nobody`);
  return tellers.join(", ");
}
