/**
 * SIGTERM while requests are in flight: they finish within their time-outs, the process
 * leaves, and the next one has nothing to repeat. `count` = events on each way.
 */
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const FINISH = "a request in flight at SIGTERM finishes, and its answer is on record";
const BOUNDED = "a request that is never answered is given up at its time-out, not cut at SIGTERM";
const LEAVES = "the process leaves by itself with status 0";
const NO_REPEAT = "the next process repeats nothing that was answered";

/** Long after SIGTERM. */
const ANSWER_MS = 3000;
const COMPANION = "companion";
const HUNG = "hung";
const SLOW: Readonly<Record<string, RawEndpoint>> = {
  "slow-local": {},
  "slow-direct": {},
  "slow-lane": { limits: { concurrency: 10 } },
  "slow-fragile": { idempotent: false },
};

export const shutdown: Scenario = {
  claims: [FINISH, BOUNDED, LEAVES, NO_REPEAT],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: { ...SLOW, [COMPANION]: {}, [HUNG]: { timeouts: { total: "5s" } } },
      routes: [{ match: { type: "slow-direct" }, to: [COMPANION] }],
      scripts: {
        ...Object.fromEntries(Object.keys(SLOW).map((name) => [name, [{ delayMs: ANSWER_MS }]])),
        [HUNG]: [{ how: "hang" }, {}],
      },
    });
    try {
      return await shutDown(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function shutDown(stage: ProcessStage, { count, say }: Scene): Promise<readonly Finding[]> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const slow = Object.keys(SLOW).flatMap((name) => numbers.map((number) => stage.anEvent(name, `${name}-${number}`)));
  const hung = numbers.map((number) => stage.anEvent(HUNG, `${HUNG}-${number}`));
  const worker = await stage.startWorker();
  await Promise.all([...slow, ...hung].map(async (event) => await stage.client.submit(event)));
  await until("every request is open", () =>
    [...slow, ...hung].every((event) => stage.requestsFor(event).length === 1),
  );
  const terminatedMs = Date.now();
  const exit = await worker.terminate();
  const measuredS = (Date.now() - terminatedMs) / 1000;
  say(`the worker has left after ${measuredS.toFixed(1)} s`);
  const finished = await Promise.all(slow.map(async (event) => await finish(stage, event)));
  await stage.startWorker();
  return [
    ...finished,
    ...(await Promise.all(hung.map(async (event) => await givenUp(stage, event)))),
    { ...same({ claim: LEAVES, subject: "worker" }, exit, { code: 0, signal: null }), measuredS },
    ...(await Promise.all(slow.map(async (event) => await noRepeat(stage, event)))),
  ];
}

/** Read before another worker is up: the record must have been made by the one that left. */
async function finish(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const report = await stage.client.get(keyOf(event));
  const delivery = report.deliveries.find(({ endpoint }) => endpoint === event.type);
  return same(
    { claim: FINISH, subject: event.id },
    delivery?.attempts.map(({ code }) => code),
    ["http_200"],
  );
}

async function givenUp(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const report = await stage.client.settled(keyOf(event), { timeout: "90s" });
  const attempts = report.deliveries[0]?.attempts.map(({ code, certainty }) => `${code}/${certainty}`);
  return same({ claim: BOUNDED, subject: event.id }, attempts, ["timeout_total/unknown", "http_200/answered"]);
}

async function noRepeat(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const report = await stage.client.settled(keyOf(event), { timeout: "90s" });
  return same(
    { claim: NO_REPEAT, subject: event.id },
    [report.state, stage.requestsFor(event).length],
    ["delivered", 1],
  );
}
