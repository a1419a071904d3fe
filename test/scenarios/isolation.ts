/**
 * One worker process, one endpoint that never answers beside one that answers at once:
 * what goes to the second is delivered while the requests to the first are still open.
 * `count` = events per second to each, for as many seconds (at least eight). The worker has
 * half as many slots as requests will hang: without bulkheads they would fill it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const NEIGHBOR = "every delivery to an endpoint that answers ends while all requests to one that hangs are open";
const SIBLING = "a retry to one endpoint of an event is sent while the request to the other hangs";

const HUNG = "hung";
const QUICK = "quick";
const FLAKY = "flaky";
const MIN_SECONDS = 8;
/** No request may end by itself while the scenario runs. */
const FOREVER = { timeouts: { total: "10m" } } as const;

export const isolation: Scenario = {
  claims: [NEIGHBOR, SIBLING],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: { [HUNG]: FOREVER, [QUICK]: {}, [FLAKY]: {} },
      routes: [{ match: { type: FLAKY }, to: [HUNG] }],
      scripts: { [HUNG]: [{ how: "hang" }], [FLAKY]: [{ status: 503 }, {}] },
    });
    try {
      await stage.startWorker({ concurrency: (MIN_SECONDS / 2) * scene.count });
      return await flood(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

interface Submitted {
  readonly event: StageEvent;
  readonly atMs: number;
}

async function flood(stage: ProcessStage, scene: Scene): Promise<readonly Finding[]> {
  const seconds = Math.max(MIN_SECONDS, scene.count);
  const pair = stage.anEvent(FLAKY);
  await stage.client.submit(pair);
  const [hung, quick] = await Promise.all(
    [HUNG, QUICK].map(async (type) => await submitSteadily(stage, type, { scene, seconds })),
  );
  scene.say(`${scene.count} events a second to each of two endpoints for ${seconds} s are submitted`);
  const neighbors = await Promise.all((quick ?? []).map(async (one) => await delivered(stage, one)));
  await until("the retry to the second endpoint has arrived", () => stage.requestsFor(pair, FLAKY).length === 2);
  return [...neighbors, await stillOpen(stage, hung ?? []), await sibling(stage, pair)];
}

async function submitSteadily(
  stage: ProcessStage,
  type: string,
  { scene, seconds }: { readonly scene: Scene; readonly seconds: number },
): Promise<readonly Submitted[]> {
  const startedMs = Date.now();
  const submits = Array.from({ length: scene.count * seconds }, async (_, index) => {
    await pause(startedMs + (index * 1000) / scene.count - Date.now());
    const event = stage.anEvent(type, `${type}-${index + 1}`);
    const atMs = Date.now();
    await stage.client.submit(event);
    return { event, atMs };
  });
  return await Promise.all(submits);
}

async function delivered(stage: ProcessStage, { event, atMs }: Submitted): Promise<Finding> {
  const { state } = await stage.client.settled(keyOf(event), { timeout: "90s" });
  const requests = stage.requestsFor(event);
  const [first] = requests;
  const about = { claim: NEIGHBOR, subject: event.id };
  if (first === undefined) return { ...about, holds: false, seen: `${state}, no request` };
  const measuredS = (first.atMs - atMs) / 1000;
  const holds = state === "delivered" && requests.length === 1;
  const seen = `${state}, ${requests.length} requests, the first after ${measuredS.toFixed(3)} s`;
  return { ...about, holds, seen, measuredS };
}

/** Looked at after the last delivery to the neighbor: no attempt at the hanging endpoint has ended, by whatever cause. */
async function stillOpen(stage: ProcessStage, hung: readonly Submitted[]): Promise<Finding> {
  const reports = await Promise.all(hung.map(async ({ event }) => await stage.client.get(keyOf(event))));
  const ended = reports.filter(({ deliveries }) => deliveries.some(({ attempts }) => attempts.length > 0)).length;
  const open = hung.filter(({ event }) => stage.requestsFor(event).length === 1).length;
  const holds = ended === 0 && open > 0 && hung.length > 0;
  return {
    claim: NEIGHBOR,
    subject: "the hanging endpoint",
    holds,
    seen: `${open} requests open of ${hung.length} events, ${ended} ended`,
  };
}

async function sibling(stage: ProcessStage, pair: StageEvent): Promise<Finding> {
  const { deliveries } = await stage.client.get(keyOf(pair));
  const attempts = deliveries.map(({ endpoint, attempts: made }) => [endpoint, made.length]);
  const requests = [stage.requestsFor(pair, HUNG).length, stage.requestsFor(pair, FLAKY).length];
  const hanging = attempts.some(([endpoint, made]) => endpoint === HUNG && made === 0);
  return same({ claim: SIBLING, subject: pair.id }, { hanging, requests }, { hanging: true, requests: [1, 2] });
}
