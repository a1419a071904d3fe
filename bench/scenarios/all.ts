/** The scenarios, in the order in which they are run and shown. */
import type { Scenario } from "../scenario.ts";
import { accept } from "./accept.ts";
import { bareFloor } from "./bare-floor.ts";
import { barePlain } from "./bare-plain.ts";
import { firstTry } from "./first-try.ts";
import { oneRetry } from "./one-retry.ts";
import { slowNeighbour } from "./slow-neighbour.ts";

export const SCENARIOS: readonly Scenario[] = [barePlain, bareFloor, firstTry, oneRetry, slowNeighbour, accept];

export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((candidate) => candidate.name === name);
  if (scenario === undefined) throw new TypeError(`There is no scenario ${JSON.stringify(name)}`);
  return scenario;
}
