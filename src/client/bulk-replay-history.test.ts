/** Recorded histories of bulk replays, read as `show` reads them: what comes out is what the workflow said itself. */
import { readFileSync } from "node:fs";
import { defaultPayloadConverter } from "@temporalio/common";
import { historyFromJSON } from "@temporalio/common/lib/proto-utils.js";
import { describe, expect, test } from "vitest";
import { advanceBulkReplay } from "../delivery/bulk-replay/progress.ts";
import { reportOf } from "../delivery/bulk-replay/report.ts";
import { readStory, resultsIn } from "./bulk-replay-history.ts";
import { type Decode, UNDECODABLE } from "./payloads.ts";

const decode: Decode = async (payload) => await Promise.resolve(defaultPayloadConverter.fromPayload(payload));

function eventsOf(name: string) {
  const file = new URL(`../../test/vectors/histories/${name}.json`, import.meta.url);
  return historyFromJSON(JSON.parse(readFileSync(file, "utf8"))).events ?? [];
}

async function reportAt(name: string, length?: number) {
  const story = await readStory(name, eventsOf(name).slice(0, length), decode);
  return story === null ? null : reportOf(story.facts.reduce(advanceBulkReplay, story.begun));
}

describe("the history of one that", () => {
  test.each([
    ["went through", "bulk-replay", "finished"],
    ["was paused and resumed by update", "bulk-replay-paused", "finished"],
    ["was canceled by signal", "bulk-replay-canceled", "canceled"],
    ["was canceled in Temporal", "bulk-replay-canceled-in-temporal", "canceled"],
    ["went on in a second run", "bulk-replay-continued", "finished"],
  ])("%s gives the report that it ended with", async (_what, name, state) => {
    const result = eventsOf(name).at(-1)?.workflowExecutionCompletedEventAttributes?.result?.payloads?.[0];
    const report = await reportAt(name);
    expect(report).toEqual(result === undefined ? null : await decode(result));
    expect(report).toMatchObject({ id: name, state });
  });

  test("was refused gives none", async () => {
    expect(await reportAt("bulk-replay-refused")).toBeNull();
    expect(await readStory("x", [], decode)).toBeNull();
  });

  test("still runs gives what the server has recorded, also what no task has taken in", async () => {
    const name = "bulk-replay-canceled";
    const whole = eventsOf(name);
    const signaled = whole.findIndex(
      (event) =>
        event.workflowExecutionSignaledEventAttributes !== null &&
        event.workflowExecutionSignaledEventAttributes !== undefined,
    );
    expect(await reportAt(name, signaled)).toMatchObject({ state: "running", endedAt: null, done: 1, words: [] });
    expect(await reportAt(name, signaled + 1)).toMatchObject({
      state: "canceled",
      endedAt: null,
      words: [{ action: "cancel" }],
    });
  });
});

test("results come once each, in order, and add up to the report", async () => {
  const story = await readStory("bulk-replay-paused", eventsOf("bulk-replay-paused"), decode);
  const results = story === null ? [] : resultsIn(story);
  expect(results).toHaveLength(3);
  expect(new Set(results.map(({ key }) => key)).size).toBe(3);
  expect(await reportAt("bulk-replay-paused")).toMatchObject({ replayed: 3, expected: 3 });
});

test("what cannot be decoded is not made up", async () => {
  const events = eventsOf("bulk-replay");
  const blindAfter = async (length: number) => {
    const story = await readStory("bulk-replay", events, async (payload) =>
      events.slice(0, length).some((event) => JSON.stringify(event).includes(JSON.stringify(payload)))
        ? await decode(payload)
        : UNDECODABLE,
    );
    return story === null ? null : reportOf(story.facts.reduce(advanceBulkReplay, story.begun));
  };
  expect(await blindAfter(0)).toBeNull();
  expect(await blindAfter(1)).toMatchObject({ state: "finished", done: 0 });
});
