/**
 * What the front door adds to a start: `POST /v1/events` until its 202, beside the SDK's own start of the same events
 * in the same process (the control). Nothing runs what is started, so only the accepting is measured.
 */
import { acceptLoop, readAccepted, startMeter } from "../measure.ts";
import type { Driver, Load, Round, Scenario } from "../scenario.ts";

/** How an event of this type comes in: see `product/door.ts`, which is loaded by the measured process alone. */
const POSTED = "posted";
const STARTED = "started";

export const accept: Scenario = {
  name: "accept",
  types: [POSTED, STARTED],
  defaults: { events: 400, concurrency: 10 },
  rounds: 4,
  async open(stage) {
    const { openDoor } = await import("../product/door.ts");
    return await openDoor(stage);
  },
  async warmUp(driver, load) {
    for (const type of [POSTED, STARTED]) await acceptLoop(driver, type, load);
  },
  round,
};

async function round(driver: Driver, load: Load): Promise<Round> {
  const { events, concurrency } = load;
  // Half of the control before and half after, so that a machine that gets busier meets both conditions alike.
  const before = await acceptLoop(driver, STARTED, { events: Math.ceil(events / 2), concurrency });
  const meter = await startMeter(driver);
  const posted = await acceptLoop(driver, POSTED, load);
  const spent = await meter.read();
  const after = await acceptLoop(driver, STARTED, { events: Math.floor(events / 2), concurrency });
  return {
    samples: await readAccepted(driver, posted),
    control: await readAccepted(driver, [...before, ...after]),
    concurrency: Math.min(concurrency, events),
    workedOn: events,
    ...spent,
  };
}
