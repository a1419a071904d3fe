/**
 * Whether one endpoint that never answers slows another down: 10 events a second to each of two endpoints, first
 * while both answer (the control), then while the neighbor holds every request open.
 */
import { setTimeout as delay } from "node:timers/promises";
import { deliver, readSamples, startMeter } from "../measure.ts";
import type { Driver, Load, Round, Scenario, Submitted } from "../scenario.ts";

const EVERY_MS = 100;

export const slowNeighbour: Scenario = {
  name: "slow-neighbour",
  types: ["quick", "neighbor"],
  // A concurrency is not chosen here: events come at a rate, and those to the neighbor stay open.
  defaults: { events: 100, concurrency: 0 },
  rounds: 2,
  async open(stage) {
    const { openProduct } = await import("../product/contender.ts");
    return await openProduct(stage, { quick: {}, neighbor: {} });
  },
  round,
};

async function round(driver: Driver, { events }: Load): Promise<Round> {
  // Half of the control before and half after, so that a machine that gets busier meets both conditions alike.
  const before = await phase(driver, Math.ceil(events / 2));
  await driver.destination.ask("hold", null);
  const meter = await startMeter(driver);
  const beside = await phase(driver, events, async () => {
    if ((await driver.destination.ask("held", null)) === 0) throw new Error("The neighbor did not hang");
    await driver.destination.ask("release", null);
  });
  const spent = await meter.read();
  // An endpoint that hung is believed again after one quick answer.
  await deliver(driver, "neighbor");
  const after = await phase(driver, Math.floor(events / 2));
  return {
    samples: await readSamples(driver, beside.quick),
    control: await readSamples(driver, [...before.quick, ...after.quick]),
    concurrency: beside.concurrency,
    workedOn: 2 * events,
    ...spent,
  };
}

interface Phase {
  /** The events to the endpoint that answers. */
  readonly quick: readonly Submitted[];
  /** The most events of both endpoints that were open at once. */
  readonly concurrency: number;
}

/** Submits at the fixed rate; `afterQuick` runs when every delivery to the quick endpoint has ended. */
async function phase(driver: Driver, events: number, afterQuick?: () => Promise<void>): Promise<Phase> {
  const quick: Promise<Submitted>[] = [];
  const neighbor: Promise<Submitted>[] = [];
  let open = 0;
  let concurrency = 0;
  const submit = async (type: string): Promise<Submitted> => {
    open += 1;
    concurrency = Math.max(concurrency, open);
    const submitted = await deliver(driver, type);
    open -= 1;
    return submitted;
  };
  const startedMs = performance.now();
  for (let count = 0; count < events; count += 1) {
    await delay(Math.max(0, startedMs + count * EVERY_MS - performance.now()));
    neighbor.push(submit("neighbor"));
    quick.push(submit("quick"));
  }
  const ended = await Promise.all(quick);
  await afterQuick?.();
  await Promise.all(neighbor);
  return { quick: ended, concurrency };
}
