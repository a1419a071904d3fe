import { expect, test } from "vitest";
import { anEndpoint } from "../../test/support/an-endpoint.ts";
import { CountersignError } from "../errors.ts";
import { heldInstead, heldWarning } from "./held-endpoint.ts";

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

const NOW_MS = Date.parse("2026-11-29T10:00:00Z");

test.each([
  ["is open", async () => anEndpoint(), null],
  ["is being tried", async () => anEndpoint({ gate: { state: "tripped", probing: true } }), null],
  [
    "is held",
    async () => PAUSED,
    "crm is held, so what is replayed waits there: paused; until somebody says `countersign resume crm`.",
  ],
  ["may not be looked at", async () => await Promise.reject(new CountersignError("refused", "Not allowed")), null],
] as const)(
  "whoever replays to an endpoint that %s is warned where there is something to wait for",
  async (_, look, said) => {
    expect(await heldWarning(look, NOW_MS)).toBe(said);
  },
);

test("a server that does not answer the look will not answer what follows", async () => {
  await expect(heldWarning(async () => await Promise.reject(SILENCE), NOW_MS)).rejects.toBe(SILENCE);
});
