/** The product where nothing goes wrong: one delivery, answered 200 at once. */
import { closedLoop } from "../measure.ts";
import type { Scenario } from "../scenario.ts";

export const firstTry: Scenario = {
  name: "first-try",
  types: ["quick"],
  defaults: { events: 200, concurrency: 10 },
  rounds: 4,
  async open(stage) {
    const { openProduct } = await import("../product/contender.ts");
    return await openProduct(stage, { quick: {} });
  },
  round: async (driver, load) => await closedLoop(driver, "quick", load),
};
