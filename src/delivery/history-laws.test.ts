import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simulateRun } from "../../test/support/simulated-run.ts";
import { progressFromHistory } from "./history.ts";
import { project } from "./project.ts";

/** Such a tape is long to shrink: a failure is told within the time of the test. */
const inTime = { interruptAfterTimeLimit: 15_000 };
const tapes = fc.array(fc.nat({ max: 5039 }), { minLength: 400, maxLength: 600 });

describe("a history", () => {
  test("tells the very progress its workflow has lived, up to the last completed task", () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const { start, entries, lived } = simulateRun(tape);
        const told = progressFromHistory(start, entries);
        expect(project(told)).toEqual(project(lived));
        expect(told).toEqual(lived);
      }),
      { numRuns: 1500, ...inTime },
    );
  });

  test("gives a whole state wherever it is cut off", () => {
    fc.assert(
      fc.property(tapes, fc.nat(), (tape, cut) => {
        const { start, entries } = simulateRun(tape);
        const state = project(progressFromHistory(start, entries.slice(0, cut % (entries.length + 1))));
        expect(state.key).toBe("shop/evt_1");
        for (const { attempts } of state.deliveries) {
          expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
        }
      }),
      inTime,
    );
  });

  test("takes back nothing that was recorded: attempts only grow", () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const { start, entries } = simulateRun(tape);
        const counts = entries.map((_, end) => {
          const { deliveries } = progressFromHistory(start, entries.slice(0, end));
          return deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0);
        });
        expect(counts).toEqual(counts.toSorted((left, right) => left - right));
      }),
      inTime,
    );
  });
});
