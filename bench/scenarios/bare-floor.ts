/** The least that Temporal can do for a durable request: eager start, local activity, one workflow task. */
import { closedLoop } from "../measure.ts";
import type { Scenario } from "../scenario.ts";

/** What a worker of the product has. */
const SLOTS = 200;

export const bareFloor: Scenario = {
  name: "bare-floor",
  types: ["quick"],
  defaults: { events: 200, concurrency: 10 },
  rounds: 4,
  async open(stage) {
    const { openBare } = await import("../bare/contender.ts");
    return await openBare(stage, { workflow: "floor", eager: true, slots: SLOTS });
  },
  round: async (driver, load) => await closedLoop(driver, "quick", load),
};
