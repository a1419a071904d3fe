/**
 * An endpoint is paused while events come in. The worker that knew of it is killed, more come, and a new one takes
 * them all up: they wait on the lane, at no cost, until somebody resumes. `count` = events.
 */
import { setTimeout as pause } from "node:timers/promises";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import { type Accepted, type ControlStage, openControlStage } from "../support/control-stage.ts";
import { inBatches } from "../support/in-batches.ts";
import { readCost } from "../support/temporal.ts";
import { patiently } from "../support/patiently.ts";
import { deliveredOnce, keepsToRamp, lastMs, PROBES, standing, untilHeld } from "./control-findings.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const HOLDS = "a pause returns once it holds everywhere";
const ACCEPTED = "every event that comes in while its endpoint is paused is accepted, and waits for the gate untried";
const UNSENT = "nothing is sent to a paused endpoint, also not by a worker that is started meanwhile";
const FREE = "an event that is held costs no state transition and no history event";
const VISIBLE = "how many wait, and how long the oldest has waited, is visible";
const PROBED = "a resume lets a few probes through, and nothing else before they are answered";
const RAMPED = "then what waits drains at a rising rate, as asked";
const ONCE = "each event is sent once, and delivered";
const WRITTEN = "who paused and resumed it, and why, stands in its ledger";

const CRM = "crm";
const ANA = { actor: "ana@example.com", reason: "vendor maintenance" } as const;
const BOB = { actor: "bob@example.com", reason: "vendor says done" } as const;
/** So long the first probes are left without an answer. */
const THINKS_MS = 1500;
/** The server's own statistics are up to 5 s old. */
const STATISTICS_MS = 10 * SECOND_MS;
/** Why a resume with a ramp opened it. */
const OPENED = /^\d+ probes? succeeded; what waits drains at a rising rate$/u;
/** Between two looks at what waiting costs. */
const APART_MS = 5 * SECOND_MS;

export const pausedEndpoint: Scenario = {
  claims: [HOLDS, ACCEPTED, UNSENT, FREE, VISIBLE, PROBED, RAMPED, ONCE, WRITTEN],
  async play(scene) {
    const stage = await openControlStage({ endpoints: { [CRM]: {} } });
    try {
      return await play(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function play(stage: ControlStage, scene: Scene): Promise<readonly Finding[]> {
  const { count, say } = scene;
  await stage.startWorker();
  const [healthy] = await stage.submitMany(CRM, 1);
  if (healthy !== undefined) await stage.client.settled(healthy.key, { timeout: "60s" });
  const before = stage.requestsTo(CRM).length;
  const held = await holdFrom(stage);
  const firstMs = Date.now();
  const early = await stage.submitMany(CRM, Math.ceil(count / 2));
  await untilHeld(stage, early);
  await stage.killWorkers();
  const late = await stage.submitMany(CRM, Math.floor(count / 2));
  say(`${count} events are accepted, half of them while no worker runs`);
  await stage.startWorker();
  await untilHeld(stage, late);
  const events = [...early, ...late];
  const waited = await wait(stage, events, firstMs);
  const sent = stage.requestsTo(CRM).length - before;
  say(`${count} events are held, ${sent} requests were made`);
  return [
    held,
    ...waited,
    same({ claim: UNSENT, subject: CRM }, sent, 0),
    ...(await drain(stage, scene, { events, before })),
  ];
}

async function holdFrom({ client }: ControlStage): Promise<Finding> {
  const startedMs = Date.now();
  const { workers, confirmed, heldOnServer } = await client.pause(CRM, ANA);
  const measuredS = (Date.now() - startedMs) / SECOND_MS;
  return { ...same({ claim: HOLDS, subject: CRM }, [workers, confirmed, heldOnServer], [1, true, true]), measuredS };
}

async function wait(stage: ControlStage, events: readonly Accepted[], firstMs: number): Promise<readonly Finding[]> {
  const costs = await inBatches(events, async (event) => ({ event, cost: await costOf(stage, event) }));
  const costedMs = Date.now();
  const shown = await standing(stage, CRM, ({ lane }) => isAbout(lane.held, events.length));
  const visible = isVisible(shown, { count: events.length, ageMs: Date.now() - firstMs });
  await pause(costedMs + APART_MS - Date.now());
  const free = await inBatches(costs, async ({ event, cost }) =>
    same({ claim: FREE, subject: event.id }, await costOf(stage, event), cost),
  );
  const accepted = await inBatches(events, async ({ id, key }) => {
    const { state, deliveries } = await patiently(async () => await stage.client.get(key));
    const [delivery] = deliveries;
    const seen = [state, delivery?.waitingFor, delivery?.attempts.length];
    return same({ claim: ACCEPTED, subject: id }, seen, ["held", "gate", 0]);
  });
  return [...accepted, ...free, visible];
}

async function costOf({ temporal }: ControlStage, { key }: Accepted): ReturnType<typeof readCost> {
  return await patiently(async () => await readCost(temporal, key));
}

function isVisible(
  { gate, lane }: EndpointDetail,
  expected: { readonly count: number; readonly ageMs: number },
): Finding {
  const { held, oldestAgeMs, ratePerSecond } = lane;
  const offMs = Math.abs((oldestAgeMs ?? 0) - expected.ageMs);
  const holds =
    gate.state === "paused" && isAbout(held, expected.count) && ratePerSecond === 0 && offMs < STATISTICS_MS;
  const figure = `${held} wait, the oldest for ${(oldestAgeMs ?? 0) / SECOND_MS} s of ${expected.ageMs / SECOND_MS}`;
  return { claim: VISIBLE, subject: CRM, holds, seen: `${gate.state}, ${figure}, rate ${ratePerSecond}`, figure };
}

/** The server's count of many is approximate. */
function isAbout(held: number | null, count: number): boolean {
  return Math.abs((held ?? 0) - count) <= count / 100;
}

async function drain(
  stage: ControlStage,
  { count, say }: Scene,
  { events, before }: { readonly events: readonly Accepted[]; readonly before: number },
): Promise<readonly Finding[]> {
  const rampMs = Math.max(20, count / 50) * SECOND_MS;
  const firstAnswer = { atMs: Number.NaN };
  stage.destination.script(`/${CRM}`, async ({ atMs }) => {
    if (Number.isNaN(firstAnswer.atMs)) firstAnswer.atMs = atMs + THINKS_MS;
    await pause(Math.max(0, firstAnswer.atMs - Date.now()));
    return {};
  });
  const resumed = await stage.client.resume(CRM, { ...BOB, ramp: `${rampMs / SECOND_MS}s` });
  const once = await deliveredOnce(stage, ONCE, events);
  const detail = await standing(stage, CRM, ({ gate }) => gate.state === "open" && !gate.ramping);
  const requestsMs = stage
    .requestsTo(CRM)
    .slice(before)
    .map(({ atMs }) => atMs);
  const probes = requestsMs.filter((atMs) => atMs < firstAnswer.atMs).length;
  const openedMs = lastMs(detail, "opened");
  say(`${probes} probes, then ${requestsMs.length - probes} more`);
  return [
    same({ claim: PROBED, subject: "the resume" }, resumed.counted, true),
    {
      claim: PROBED,
      subject: "probes",
      holds: probes > 0 && probes <= PROBES,
      seen: `${probes}`,
      figure: `${probes} probes`,
    },
    keepsToRamp({ claim: RAMPED, subject: CRM }, requestsMs, { openedMs, rampMs, probes: PROBES }),
    ...once,
    same({ claim: WRITTEN, subject: CRM }, wordsOf(detail), [
      ["paused", ANA.actor, ANA.reason],
      ["resumed", BOB.actor, BOB.reason],
      ["opened", "workers", OPENED.exec(detail.ledger.at(-1)?.why ?? "")?.[0]],
    ]),
  ];
}

function wordsOf({ ledger }: EndpointDetail): readonly (readonly string[])[] {
  return ledger.map(({ what, who, why }) => [what, who, why]);
}
