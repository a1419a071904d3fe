/**
 * One process that serves very many endpoints, a few of which are in trouble: lanes, pollers and memory go by the few.
 * `count` = configured endpoints; 1.5 % of them, at least five, fail, ask to be left alone, or are paused by a person.
 */
import { randomUUID } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import proto from "@temporalio/proto";
import { readRegistry } from "../../src/client/gate-registry.ts";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import type { GateStatus } from "../../src/client/endpoint-overview.ts";
import type { Config } from "../../src/config/config.ts";
import { MINUTE_MS, SECOND_MS } from "../../src/delivery/durations.ts";
import { endpointWorkflowId, GATES_WORKFLOW_ID, laneQueue } from "../../src/delivery/names.ts";
import { aSession } from "../support/a-session.ts";
import { type Child, startChild } from "../support/child.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { inBatches } from "../support/in-batches.ts";
import { configOfMany, endpointName, kindOf, type ManyEndpoints, troubled } from "../support/many-endpoints.ts";
import type { ManyEndpointsOrder } from "../support/many-endpoints-process.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";
import { figureOf, judgeMemory, judgeStrays, MEMORY, type Memory, NONE } from "./many-findings.ts";

const FEW = "the lanes of those in trouble are open and polled, by one poller each, and none that nothing was sent by";
const HEALTHY = "events of the others are delivered meanwhile";
const ALL = "everything is delivered in the end, each event by one request that was answered 200, and none is hidden";
const CLOSED = "a lane that has nothing to do is closed again, and leaves the registry";

/** Events to each endpoint in trouble, per round. */
const EACH = 5;
const PATIENCE_MS = 3 * MINUTE_MS;
const LANE_IDLE_MS = 5 * SECOND_MS;
const MIB = 1024 ** 2;
/** From here on the trouble comes twice: what is left of the first time would show. */
const MANY = 1000;
/** How often each endpoint gets an event while all is well, where too many of them went by their lanes. */
const CALM_TRIES = 3;
/** So many of the others get an event while the few are in trouble. */
const BESIDE = 100;

export const manyEndpoints: Scenario = {
  claims: [NONE, FEW, HEALTHY, ALL, CLOSED, MEMORY],
  async play(scene) {
    const theater = await open(scene);
    try {
      return await play(theater, scene);
    } finally {
      await close(theater);
    }
  },
};

interface Theater {
  readonly many: ManyEndpoints;
  readonly config: Config;
  readonly destination: Destination;
  readonly temporal: Client;
  readonly client: ConnectedCountersign;
  readonly worker: Child;
  /** In trouble, and all others. */
  readonly few: readonly string[];
  readonly others: readonly string[];
  readonly trouble: { on: boolean };
  /**
   * Sound endpoints an attempt to which went by their lane: where a process cannot read the registry in time, as on a
   * machine that is too busy, it knows of no gate that it is open.
   */
  readonly strays: Set<string>;
}

async function open({ address, count }: Scene): Promise<Theater> {
  const destination = await startDestination();
  const prefix = `m${randomUUID().slice(0, 6)}`;
  const many = { count, baseUrl: destination.url, taskQueue: `queue-${randomUUID()}`, prefix };
  const config = configOfMany(many);
  const connection = await Connection.connect({ address, connectTimeout: PATIENCE_MS });
  const client = await connect({ config, address, environment: {}, deadlineMs: PATIENCE_MS });
  const order: ManyEndpointsOrder = { ...many, address, laneIdleMs: LANE_IDLE_MS };
  const worker = startChild("many-endpoints-process.ts", order);
  const names = Array.from({ length: count }, (_, index) => endpointName(many, index));
  const fewCount = Math.max(5, Math.round(count * 0.015));
  // Spread over all of them.
  const step = Math.floor(count / fewCount);
  const isFew = (index: number): boolean => index % step === 0 && index / step < fewCount;
  const [few, others] = [names.filter((_, index) => isFew(index)), names.filter((_, index) => !isFew(index))];
  const trouble = { on: false };
  for (const [index, name] of few.entries()) destination.script(`/${name}`, troubled(index, trouble));
  await worker.line("is up", ({ ready }) => ready === true, { withinMs: PATIENCE_MS });
  const temporal = new Client({ connection });
  return { many, config, destination, temporal, client, worker, few, others, trouble, strays: new Set() };
}

async function close({ client, temporal, destination, worker, few }: Theater): Promise<void> {
  await worker.kill();
  // One per namespace, on a queue that ends here.
  for (const id of [GATES_WORKFLOW_ID, ...few.map(endpointWorkflowId)]) {
    await temporal.workflow
      .getHandle(id)
      .terminate("end of a scenario")
      .catch(() => undefined);
  }
  await Promise.all([client.close(), temporal.connection.close(), destination.close()]);
}

async function play(theater: Theater, { say }: Scene): Promise<readonly Finding[]> {
  const { many, few } = theater;
  const calm = [await eventToEach(theater)];
  const fewest = (): number => Math.min(...calm.map(({ strays }) => strays));
  while (calm.length < CALM_TRIES && !judgeStrays(fewest(), many.count).holds) calm.push(await eventToEach(theater));
  const straysBefore = theater.strays.size;
  const atRest = await memoryOf(theater, "at rest");
  say(`${many.count} endpoints have one event each: ${figureOf(atRest)}`);
  const none = same({ claim: NONE, subject: "after one event to each" }, unaskedLanes(theater, []), []);
  const rounds: Round[] = [];
  for (let number = 1; number <= (many.count < MANY ? 1 : 2); number += 1) {
    const round = await roundOfTrouble(theater, `round ${number}`);
    say(`round ${number}, ${few.length} are in trouble: ${figureOf(round.memory)}`);
    rounds.push({ ...round, findings: [...round.findings, await untilClosed(theater)] });
  }
  const after = await memoryOf(theater, "after all");
  say(`at rest again: ${figureOf(after)}`);
  return [
    ...calm.flatMap(({ findings }) => findings),
    none,
    judgeStrays(fewest() + theater.strays.size - straysBefore, many.count),
    ...rounds.flatMap(({ findings }) => findings),
    ...rounds.map(({ memory }, index) =>
      judgeMemory({ subject: `in trouble, round ${index + 1}`, lanes: few.length }, memory, atRest),
    ),
    judgeMemory({ subject: "at rest again", lanes: 0 }, after, atRest),
  ];
}

/** All is well; a machine that is too busy for a moment gets another one. */
async function eventToEach(theater: Theater): Promise<{ findings: readonly Finding[]; strays: number }> {
  const { few, others } = theater;
  const round = { ...theater, strays: new Set<string>() };
  const events = await settled(round, await submitEach(round, [...few, ...others]));
  const findings = await once(round, { claim: ALL, events });
  for (const stray of round.strays) theater.strays.add(stray);
  return { findings, strays: round.strays.size };
}

interface Submitted {
  readonly endpoint: string;
  readonly id: string;
  readonly key: string;
}

async function submitEach({ client }: Theater, endpoints: readonly string[]): Promise<readonly Submitted[]> {
  return await inBatches(endpoints, async (endpoint) => {
    const id = randomUUID();
    const { key } = await client.submit({ source: "shop", id, type: endpoint, data: { id } });
    return { endpoint, id, key };
  });
}

async function settled({ client }: Theater, events: readonly Submitted[]): Promise<readonly Submitted[]> {
  await inBatches(events, async ({ key }) => await client.settled(key, { timeout: `${PATIENCE_MS / SECOND_MS}s` }));
  return events;
}

interface Round {
  readonly memory: Memory;
  readonly findings: readonly Finding[];
}

/** Trouble begins, is seen, holds, and ends; meanwhile the others get an event each. */
async function roundOfTrouble(theater: Theater, name: string): Promise<Round> {
  const { client, few, others, trouble } = theater;
  const { length: linesBefore } = theater.worker.lines;
  trouble.on = true;
  const paused = few.filter((_, index) => kindOf(index) === "paused");
  await Promise.all(paused.map(async (one) => await client.pause(one, { actor: "ana@example.com", reason: name })));
  const held = await submitEach(
    theater,
    few.flatMap((one) => Array.from({ length: EACH }, () => one)),
  );
  await untilGates(theater, ({ state }) => state !== "open");
  const opened = (): readonly unknown[] =>
    theater.worker.lines.slice(linesBefore).flatMap(({ msg, endpoint }) => (msg === "lane.opened" ? [endpoint] : []));
  await until("their lanes are opened", () => few.every((one) => opened().includes(one)), { withinMs: PATIENCE_MS });
  const memory = await memoryOf(theater, name);
  const pollers = await pollersFinding(theater, name);
  const sample = others.filter((_, index) => index % Math.ceil(others.length / BESIDE) === 0);
  const beside = await settled(theater, await submitEach(theater, sample));
  const healthy = await once(theater, { claim: HEALTHY, events: beside });
  const lanes = same({ claim: FEW, subject: `lanes, ${name}` }, unaskedLanes(theater, few), []);
  trouble.on = false;
  await Promise.all(paused.map(async (one) => await client.resume(one, { actor: "ana@example.com" })));
  await settled(theater, held);
  await untilGates(theater, ({ state, ramping }) => state === "open" && !ramping);
  const findings = [lanes, pollers, ...healthy, ...(await once(theater, { claim: ALL, events: held }))];
  return { memory, findings };
}

/** By what the worker has said of them. */
function openLanes({ worker }: Theater): readonly string[] {
  const lanes = new Set<string>();
  for (const { msg, endpoint } of worker.lines) {
    if (msg === "lane.opened") lanes.add(String(endpoint));
    if (msg === "lane.closed") lanes.delete(String(endpoint));
  }
  return [...lanes];
}

/** Open although no attempt has asked for them. */
function unaskedLanes(theater: Theater, inTrouble: readonly string[]): readonly string[] {
  return openLanes(theater).filter((name) => !inTrouble.includes(name) && !theater.strays.has(name));
}

/** Each at some moment: what asks to be left alone does so again and again. */
async function untilGates({ client, few }: Theater, like: (gate: GateStatus) => boolean): Promise<void> {
  await inBatches(few, async (name) => {
    await until(`${name} stands as expected`, async () => like((await client.endpoint(name)).gate), {
      withinMs: PATIENCE_MS,
    });
  });
}

/** As the server lists them, over every configured endpoint; one that has left is listed for five minutes. */
async function pollersFinding({ temporal, config, few, others, strays }: Theater, name: string): Promise<Finding> {
  const pollersOf = async (endpoint: string): Promise<number> => {
    const { pollers } = await temporal.workflowService.describeTaskQueue({
      namespace: temporal.options.namespace,
      taskQueue: { name: laneQueue(config.temporal.taskQueue, endpoint) },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    return pollers?.length ?? 0;
  };
  const ofFew = await inBatches(few, pollersOf);
  const sound = others.filter((other) => !strays.has(other));
  const ofOthers = await inBatches(sound, pollersOf);
  const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);
  const figure = `${sum(ofFew)} pollers of ${few.length} lanes, ${sum(ofOthers)} of ${sound.length} others`;
  const holds = ofFew.every((count) => count === 1) && sum(ofOthers) === 0;
  return { claim: FEW, subject: `pollers, ${name}`, holds, seen: figure, figure };
}

interface Judged {
  readonly claim: string;
  readonly events: readonly Submitted[];
}

async function once(
  { client, destination, few, strays }: Theater,
  { claim, events }: Judged,
): Promise<readonly Finding[]> {
  return await inBatches(events, async ({ endpoint, key }) => {
    const { state, deliveries } = await client.get(key);
    const [delivery] = deliveries;
    const attempts = delivery?.attempts ?? [];
    if (!few.includes(endpoint) && attempts.some(({ via }) => via === "lane")) strays.add(endpoint);
    const taken = attempts.filter(({ status }) => status === 200).length;
    const requests = destination.requestsOf(delivery?.idempotencyKey ?? "").length;
    const holds = state === "delivered" && taken === 1 && requests <= attempts.length;
    const made = attempts.map(({ code, via }) => `${code}/${via}`).join(", ");
    return { claim, subject: endpoint, holds, seen: `${state}, ${requests} requests: ${made}` };
  });
}

async function untilClosed(theater: Theater): Promise<Finding> {
  const session = aSession(theater.temporal, theater.config);
  await until("the lanes are closed", () => openLanes(theater).length === 0, { withinMs: PATIENCE_MS });
  const left = await until("the registry forgets them", async () => {
    const { gates } = await readRegistry(session);
    return Object.values(gates).every(({ laneInUse }) => !laneInUse) && Object.keys(gates);
  });
  return same({ claim: CLOSED, subject: "entries of the registry" }, left, []);
}

async function memoryOf({ worker }: Theater, asked: string): Promise<Memory> {
  worker.tell(asked);
  const line = await worker.line("tells its memory", (one) => one["asked"] === asked);
  return { liveMib: Number(line["live"]) / MIB, residentMib: Number(line["resident"]) / MIB };
}
