import { expect, test } from "vitest";
import { anEndpoint } from "../../test/support/an-endpoint.ts";
import { CountersignError } from "../errors.ts";
import { heldInstead } from "./held-endpoint.ts";

const TIMEOUT = new CountersignError("timeout", "It is still held after 35 s", { details: { key: "k/1" } });
const SILENCE = new CountersignError("temporal_unreachable", "It does not answer");
const HELD = { code: "endpoint_held", details: { key: "k/1", gate: "paused" } };
const PAUSED = anEndpoint({ gate: { state: "paused" } });

test.each([
  ["whose time is over at an endpoint that is held by now says so", TIMEOUT, async () => PAUSED, HELD],
  ["whose time is over at one that is open says that", TIMEOUT, async () => anEndpoint(), TIMEOUT],
  [
    "whose time is over keeps its key where the look fails",
    TIMEOUT,
    async () => await Promise.reject(SILENCE),
    TIMEOUT,
  ],
  ["that failed otherwise says how", SILENCE, async () => PAUSED, SILENCE],
] as const)("a test event %s", async (_, error, look, expected) => {
  const told = await heldInstead(error, { key: "k/1", look });
  if (expected instanceof Error) expect(told).toBe(expected);
  else expect(told).toMatchObject(expected);
});
