/** Pins what a run costs the server. */
import { expect } from "vitest";

interface Cost {
  readonly transitions: number;
  readonly events: number;
}

/**
 * The cost of a run that is left alone, as `transitions/events`. A busy machine may add to it (an eager hand-over
 * missed, a task more where two reports do not meet), so a few runs are asked: one must show the figure, and none
 * may be cheaper.
 */
export async function expectCost(
  readCost: (key: string) => Promise<Cost>,
  expected: string,
  play: () => Promise<string>,
): Promise<void> {
  const seen: Cost[] = [];
  const shown = (): readonly string[] => seen.map(({ transitions, events }) => `${transitions}/${events}`);
  while (seen.length < 5 && !shown().includes(expected)) seen.push(await readCost(await play()));
  expect(shown(), shown().join(" ")).toContain(expected);
  const [transitions = 0, events = 0] = expected.split("/").map(Number);
  for (const one of seen) {
    expect(one.transitions).toBeGreaterThanOrEqual(transitions);
    expect(one.events).toBeGreaterThanOrEqual(events);
  }
}
