/** The product with one setback: 503, a second's wait, 200. The wait is part of every time here. */
import { closedLoop } from "../measure.ts";
import type { Scenario } from "../scenario.ts";

export const oneRetry: Scenario = {
  name: "one-retry",
  types: ["once-503"],
  // More at once than elsewhere: most of them only wait.
  defaults: { events: 80, concurrency: 20 },
  rounds: 4,
  async open(stage) {
    const { openProduct } = await import("../product/contender.ts");
    return await openProduct(stage, { "once-503": { retry: { schedule: ["1s"], jitter: 0 } } });
  },
  round: async (driver, load) => await closedLoop(driver, "once-503", load),
};
