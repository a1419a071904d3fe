/** Plays a scenario once and makes a test of each of its claims. */
import { beforeAll, describe, expect, test } from "vitest";
import { against, type Finding, type Scenario } from "../scenarios/finding.ts";
import { temporalAddress } from "./temporal.ts";

const PLAY_WITHIN_MS = 240_000;

/** `count` is the smallest with which each claim can fail. */
export function prove(title: string, scenario: Scenario, count: number): void {
  describe(title, () => {
    let findings: readonly Finding[] = [];

    const play = async (): Promise<void> => {
      findings = await scenario.play({ address: temporalAddress(), count, say: () => undefined });
    };
    beforeAll(play, PLAY_WITHIN_MS);

    test.for(scenario.claims)("%s", { timeout: PLAY_WITHIN_MS }, async (claim, { task }) => {
      // What was found once stays so: another try is another play.
      if ((task.result?.retryCount ?? 0) > 0) await play();
      expect(against(findings, claim)).toEqual([]);
    });
  });
}
