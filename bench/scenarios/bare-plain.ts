/** The SDK alone, as its first tutorial page has it: an ordinary start, a regular activity, default slots. */
import { closedLoop } from "../measure.ts";
import type { Scenario } from "../scenario.ts";

export const barePlain: Scenario = {
  name: "bare-plain",
  types: ["quick"],
  defaults: { events: 200, concurrency: 10 },
  rounds: 4,
  async open(stage) {
    const { openBare } = await import("../bare/contender.ts");
    return await openBare(stage, { workflow: "plain", eager: false });
  },
  round: async (driver, load) => await closedLoop(driver, "quick", load),
};
