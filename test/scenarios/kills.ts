/**
 * Worker processes die by SIGKILL at the worst moments, and everything accepted is
 * delivered all the same: with one key, and with every lost attempt on record.
 * `count` = events of each kind.
 */
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import type { Child } from "../support/child.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { judge, KILL_CLAIMS } from "./kill-findings.ts";
import type { Finding, Scenario, Scene } from "./finding.ts";
import { type Boarding, nthHang, type Passenger, PASSENGERS } from "./passengers.ts";

/** The endpoint that makes an event one of two deliveries. */
const COMPANION = "companion";
/** Noticing takes 10 s of time-out, perhaps 10 s on a dead worker's queue, and the start of the next worker. */
const PATIENCE = { withinMs: 90_000 };

export interface Traveler {
  readonly passenger: Passenger;
  readonly event: StageEvent;
}

interface Journey {
  readonly stage: ProcessStage;
  readonly scene: Scene;
  readonly travelers: readonly Traveler[];
}

export const kills: Scenario = {
  claims: KILL_CLAIMS,
  async play(scene) {
    const stage = await openProcessStage(parts(scene.address));
    try {
      return await travel({ stage, scene, travelers: travelersOf(stage, scene.count) });
    } finally {
      await stage.close();
    }
  },
};

async function travel(journey: Journey): Promise<readonly Finding[]> {
  const { stage, scene, travelers } = journey;
  await board(journey, ["before-the-worker"], null);
  const first = await stage.startWorker();
  await board(journey, ["early"], null);
  await untilHanging(journey, 1, ["early"]);
  await untilHeartbeat(journey);
  await board(journey, ["ordinary", "eager", "plain"], first);
  await untilHanging(journey, 1, ["ordinary", "eager", "plain"]);
  await untilWaiting(journey);
  await disturb(journey);
  await board(journey, ["last-moment"], null);
  await first.kill();
  const firstKillMs = Date.now();
  scene.say("the first worker is killed");
  const second = await stage.startWorker();
  await untilHanging(journey, 2, ["ordinary"]);
  await untilOthersRest(journey);
  await second.kill();
  const killsMs = [firstKillMs, Date.now()];
  scene.say("the second worker is killed");
  await stage.startWorker();
  const findings = await Promise.all(travelers.map(async (traveler) => await judge(stage, { ...traveler, killsMs })));
  return findings.flat();
}

function parts(address: string): Parameters<typeof openProcessStage>[0] {
  const own = PASSENGERS.map(({ name, endpoint }): readonly [string, RawEndpoint] => [name, endpoint]);
  return {
    address,
    endpoints: { ...Object.fromEntries(own), [COMPANION]: {} },
    routes: PASSENGERS.filter(({ accompanied }) => accompanied).map(({ name }) => ({
      match: { type: name },
      to: [COMPANION],
    })),
    scripts: Object.fromEntries(PASSENGERS.map(({ name, answers }) => [name, answers])),
  };
}

function travelersOf(stage: ProcessStage, count: number): readonly Traveler[] {
  return PASSENGERS.flatMap((passenger) => {
    const { name } = passenger;
    return Array.from({ length: count }, (_, index) => ({
      passenger,
      event: stage.anEvent(name, `${name}-${index + 1}`),
    }));
  });
}

async function board(
  { stage, travelers }: Journey,
  boardings: readonly Boarding[],
  worker: Child | null,
): Promise<void> {
  const boarders = travelers.filter(({ passenger }) => boardings.includes(passenger.boarding));
  await Promise.all(
    boarders.map(async ({ passenger: { boarding }, event }) => {
      if (boarding === "eager") worker?.tell(JSON.stringify(event));
      else if (boarding === "plain") await startPlainly(stage, event);
      else await stage.client.submit(event);
    }),
  );
}

async function startPlainly({ temporal, config }: ProcessStage, event: StageEvent): Promise<void> {
  await temporal.workflow.start("event", {
    workflowId: keyOf(event),
    taskQueue: config.temporal.taskQueue,
    args: [event],
  });
}

/** Until the nth hanging request of everyone who has one has arrived; it cannot have ended. */
async function untilHanging({ stage, travelers }: Journey, nth: number, boardings: readonly Boarding[]): Promise<void> {
  const expected = travelers.flatMap(({ passenger, event }) => {
    const number = boardings.includes(passenger.boarding) ? nthHang(passenger, nth) : null;
    return number === null ? [] : [{ event, number }];
  });
  const open = (): boolean => expected.every(({ event, number }) => stage.requestsFor(event).length >= number);
  await until(`the hanging request ${nth} of each event is open`, open, PATIENCE);
}

/** The second kill is meant for those that hang twice: an attempt of another one must not be in its way. */
async function untilOthersRest({ stage, travelers }: Journey): Promise<void> {
  const others = travelers.filter(({ passenger }) => nthHang(passenger, 2) === null);
  await Promise.all(others.map(async ({ event }) => await stage.client.settled(keyOf(event), { timeout: "90s" })));
}

/** A task that runs for 8 s completes empty and goes on as another: three more events (measured, server 1.32.0). */
async function untilHeartbeat({ stage, travelers }: Journey): Promise<void> {
  const early = travelers.filter(({ passenger }) => passenger.boarding === "early");
  const heartbeaten = async (): Promise<boolean> => {
    const runs = await Promise.all(
      early.map(({ event }) => stage.temporal.workflow.getHandle(keyOf(event)).describe()),
    );
    return runs.every(({ historyLength }) => historyLength >= 6);
  };
  await until("the long local attempts have outlived a task heartbeat", heartbeaten, PATIENCE);
}

async function untilWaiting({ stage, travelers }: Journey): Promise<void> {
  const waiting = travelers.filter(({ passenger }) => passenger.inWait === true);
  const allWait = async (): Promise<boolean> => {
    const reports = await Promise.all(waiting.map(async ({ event }) => await stage.client.get(keyOf(event))));
    return reports.every(({ deliveries }) => deliveries.some(({ state }) => state === "waiting-retry"));
  };
  await until("the events in a retry wait are waiting", allWait, PATIENCE);
}

async function disturb({ stage, travelers }: Journey): Promise<void> {
  await Promise.all(
    travelers.map(async ({ passenger, event }) => {
      const run = stage.temporal.workflow.getHandle(keyOf(event));
      if (passenger.disturbed === "signal") await run.signal("by-the-way", {});
      if (passenger.disturbed === "cancel") await run.cancel();
    }),
  );
}
