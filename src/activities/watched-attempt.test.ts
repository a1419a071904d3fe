import { ApplicationFailure } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import type { AttemptRecord } from "../delivery/attempt.ts";
import { NOON_MS, someSettings } from "../../test/support/deliveries.ts";
import { aStage, anAnswer, anEvent, anInput, perform, stageConfig } from "../../test/support/activity-stage.ts";
import type { AttemptGates, BegunAttempt, LaneWord } from "./dependencies.ts";

const config = stageConfig({ crm: { url: "https://crm.example/in" } });

interface Seen {
  readonly gates: AttemptGates;
  readonly begun: BegunAttempt[];
  readonly ended: (AttemptRecord | null)[];
  /** How often each lane attempt had been handed out. */
  readonly asked: number[];
}

function gatesThatSay(word: LaneWord): Seen {
  const seen: Omit<Seen, "gates"> = { begun: [], ended: [], asked: [] };
  const gates: AttemptGates = {
    onLane(_, tries) {
      seen.asked.push(tries);
      return word;
    },
    begin(attempt) {
      seen.begun.push(attempt);
      return { end: (record) => void seen.ended.push(record) };
    },
  };
  return { ...seen, gates };
}

describe("an attempt that came by the lane of a held endpoint", () => {
  test("goes back there without using an attempt, sends nothing and is no failure", async () => {
    const { gates, begun, asked } = gatesThatSay({ kind: "held", afterMs: 4000 });
    const stage = aStage(config, { gates });
    const failure: unknown = await perform(stage.deps, ["attemptDelivery", anInput({ via: "lane" })], {
      tries: 3,
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: "held",
      nonRetryable: false,
      nextRetryDelay: 4000,
      message: "crm is held; nothing was sent",
    });
    expect([stage.sent, stage.failures, begun, asked]).toEqual([[], [], [], [3]]);
  });

  test("is made later under the same number, and says how long it has waited since it was first put there", async () => {
    const { gates } = gatesThatSay({ kind: "go" });
    const stage = aStage(config, { gates });
    stage.clock.nowMs = NOON_MS + 90_000;
    const result = await perform(stage.deps, ["attemptDelivery", anInput({ via: "lane" })], { tries: 7 });
    expect(result).toMatchObject({ kind: "attempted", record: { number: 1, outcome: "delivered", heldMs: 90_000 } });
  });
});

describe("what the gate hears of an attempt", () => {
  test("is its beginning and its end, with the probes it belongs to", async () => {
    const { gates, begun, ended } = gatesThatSay({ kind: "probe", round: 7 });
    const stage = aStage(config, { gates, answers: [anAnswer({ status: 503 })] });
    await perform(stage.deps, ["attemptDelivery", anInput({ via: "lane" })]);
    expect(begun).toEqual([{ endpoint: "crm", round: 7, counts: true, retryAfterMaxMs: 86_400_000 }]);
    expect(ended).toMatchObject([{ status: 503, outcome: "retry" }]);
  });

  test.each([
    ["a replay", anInput({ replayed: true })],
    ["a synthetic event", anInput({ event: anEvent({ synthetic: true }) })],
  ])("is that %s does not count", async (_, input) => {
    const { gates, begun } = gatesThatSay({ kind: "go" });
    await perform(aStage(config, { gates }).deps, ["attemptDelivery", input]);
    expect(begun).toMatchObject([{ counts: false, round: null }]);
  });

  test("is the end also where it could not be made", async () => {
    const { gates, ended } = gatesThatSay({ kind: "go" });
    const stage = aStage(config, { gates, answers: [async () => await Promise.reject(new Error("broken"))] });
    await expect(perform(stage.deps, ["attemptDelivery", anInput()])).rejects.toThrow();
    expect(ended).toEqual([null]);
  });

  test("is each attempt once, also where a re-run is answered from memory", async () => {
    const { gates, begun } = gatesThatSay({ kind: "go" });
    const { deps } = aStage(config, { gates });
    const input = anInput({ settings: someSettings() });
    await perform(deps, ["attemptDelivery", input]);
    await perform(deps, ["attemptDelivery", input]);
    expect(begun).toHaveLength(1);
  });
});
