import { describe, expect, test } from "vitest";
import { someSettings } from "../../test/support/deliveries.ts";
import { chooseWay, type WayFacts } from "./choose-way.ts";

const BOTH = [false, true] as const;

/** Every combination of what the way depends on. */
const combinations = BOTH.flatMap((isolated) =>
  BOTH.flatMap((lane) =>
    BOTH.flatMap((sentToLane) =>
      [1, 2, 5].flatMap((deliveries) =>
        [0, 1, 7].flatMap((messages) =>
          BOTH.flatMap((leftLocal) =>
            BOTH.flatMap((idempotent) =>
              BOTH.map((approval): WayFacts => ({
                settings: someSettings({ isolated, lane, idempotent, ...(approval ? { approval } : {}) }),
                deliveries,
                messages,
                leftLocal,
                sentToLane,
              })),
            ),
          ),
        ),
      ),
    ),
  ),
);

describe("chooseWay", () => {
  const alone: WayFacts = { settings: someSettings(), deliveries: 1, messages: 0, leftLocal: false, sentToLane: false };
  const isolated = someSettings({ isolated: true });
  const limited = someSettings({ lane: true });
  const notIdempotent = someSettings({ idempotent: false });
  const approval = someSettings({ approval: true });

  test.each<[string, WayFacts, string]>([
    ["tries a lone quick delivery locally", alone, "local"],
    ["leaves the local way when another delivery would be blocked", { ...alone, deliveries: 2 }, "direct"],
    ["leaves the local way once a message has arrived", { ...alone, messages: 1 }, "direct"],
    ["never comes back to the local way", { ...alone, leftLocal: true }, "direct"],
    ["never tries an endpoint locally that is not idempotent", { ...alone, settings: notIdempotent }, "direct"],
    ["never tries locally what a person must approve: messages will come", { ...alone, settings: approval }, "direct"],
    ["takes the lane to an isolated endpoint", { ...alone, settings: isolated }, "lane"],
    ["takes the lane to an endpoint with limits", { ...alone, settings: limited }, "lane"],
    ["stays on the lane once sent there", { ...alone, sentToLane: true, leftLocal: true }, "lane"],
    ["prefers the lane whatever else holds", { ...alone, deliveries: 3, messages: 2, settings: limited }, "lane"],
  ])("%s", (_, facts, way) => {
    expect(chooseWay(facts)).toBe(way);
  });

  test("goes locally in exactly one kind of case", () => {
    const local = combinations.filter((facts) => chooseWay(facts) === "local");
    expect(local).toEqual([alone]);
  });

  test("takes the lane when the endpoint or a worker asks for it, and only then", () => {
    for (const facts of combinations) {
      const asked = facts.settings.isolated || facts.settings.lane || facts.sentToLane;
      expect(chooseWay(facts) === "lane").toBe(asked);
    }
  });
});
