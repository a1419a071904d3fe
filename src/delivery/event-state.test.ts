import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DeliveryStateName, isTerminal, mostUrgent, waitsForPerson } from "./event-state.ts";

/** A new state is a type error here until it has its place. */
const TERMINAL: Readonly<Record<DeliveryStateName, boolean>> = {
  "needs-attention": false,
  "awaiting-approval": false,
  held: false,
  reconciling: false,
  "waiting-retry": false,
  delivering: false,
  accepted: false,
  rejected: true,
  expired: true,
  discarded: true,
  delivered: true,
};
const states = Object.keys(TERMINAL) as DeliveryStateName[]; // the keys of the table above
const anyState = fc.constantFrom(...states);
const someStates = fc.array(anyState, { minLength: 1, maxLength: 8 });

describe("mostUrgent", () => {
  test.each(states.map((state, place) => [state, states.slice(place)] as const))(
    "shows %s before everything below it",
    (state, atMostAsUrgent) => {
      expect(mostUrgent(atMostAsUrgent)).toBe(state);
      expect(mostUrgent(atMostAsUrgent.toReversed())).toBe(state);
    },
  );

  test("is accepted while there is no delivery yet", () => {
    expect(mostUrgent([])).toBe("accepted");
  });

  test("orders every state against every other one", () => {
    fc.assert(
      fc.property(anyState, anyState, anyState, (a, b, c) => {
        expect(mostUrgent([a, a])).toBe(a);
        expect([a, b]).toContain(mostUrgent([a, b]));
        expect(mostUrgent([a, b])).toBe(mostUrgent([b, a]));
        expect(mostUrgent([mostUrgent([a, b]), c])).toBe(mostUrgent([a, mostUrgent([b, c])]));
      }),
    );
  });

  test("is terminal only when every delivery is", () => {
    fc.assert(
      fc.property(someStates, (some) => {
        expect(isTerminal(mostUrgent(some))).toBe(some.every(isTerminal));
      }),
    );
  });

  test("is delivered only when every delivery is", () => {
    fc.assert(
      fc.property(someStates, (some) => {
        expect(mostUrgent(some) === "delivered").toBe(some.every((state) => state === "delivered"));
      }),
    );
  });
});

describe("states", () => {
  test.each(states)("knows whether %s is the end", (state) => {
    expect(isTerminal(state)).toBe(TERMINAL[state]);
  });

  test("waits for a person in needs-attention and awaiting-approval alone", () => {
    expect(states.filter(waitsForPerson)).toEqual(["needs-attention", "awaiting-approval"]);
  });
});
