import type { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { aClue, anAnswer, anInput, aStage, perform, stageConfig } from "../../test/support/activity-stage.ts";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import { whileBeating } from "./heartbeat.ts";

const config = stageConfig({ crm: { url: "https://crm.example/" } });

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** How often an attempt beats while its answer takes this long, and how many tickers it leaves behind. */
async function beatsOf(
  changes: Partial<AttemptInput>,
  tookMs: number,
): Promise<{ readonly beats: number; readonly left: number }> {
  let beats = 0;
  const answers = [() => Promise.resolve(vi.advanceTimersByTime(tookMs)).then(() => anAnswer())];
  const slow = async () => {
    await Promise.resolve();
    return await (answers[0]?.() ?? anAnswer());
  };
  const stage = aStage(config, { answers: [slow] });
  const meet = (environment: MockActivityEnvironment) => void environment.on("heartbeat", () => (beats += 1));
  await perform(stage.deps, ["attemptDelivery", anInput(changes)], { meet });
  return { beats, left: vi.getTimerCount() };
}

describe("a regular attempt", () => {
  test.each(["direct", "lane"] as const)(
    "by %s beats every two seconds while it is in flight, and no longer",
    async (via) => {
      expect(await beatsOf({ via }, 1999)).toEqual({ beats: 0, left: 0 });
      expect(await beatsOf({ via }, 9000)).toEqual({ beats: 4, left: 0 });
    },
  );

  test("stops beating when it fails on our side", async () => {
    const failing = whileBeating(Promise.reject(new Error("x")));
    await expect(failing).rejects.toThrow("x");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a local attempt", () => {
  test("does not beat: its task does", async () => {
    expect(await beatsOf({ via: "local", clues: aClue() }, 9000)).toEqual({ beats: 0, left: 0 });
  });
});
