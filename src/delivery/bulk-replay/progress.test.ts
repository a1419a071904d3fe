import { describe, expect, test } from "vitest";
import type { WithoutTime } from "../without-time.ts";
import { nextBulkStep } from "./next-step.ts";
import type { BulkOrder } from "./order.ts";
import { advanceBulkReplay, beginBulkReplay, type BulkFact, type BulkProgress, settledBy } from "./progress.ts";
import { bulkDetails, reportOf } from "./report.ts";

const START_MS = Date.parse("2026-11-29T12:00:00Z");
const order = (until: string | null = null): BulkOrder => ({
  selection: { state: "needs-attention", endpoint: "crm", source: null, type: null, reason: null, since: null, until },
  rate: 2,
  actor: "ana",
  note: "mended",
});
const begun = (until: string | null = null) =>
  beginBulkReplay({ id: "crm-1", order: order(until), mark: "mark", startedMs: START_MS });

function after(...facts: readonly WithoutTime<BulkFact>[]): BulkProgress {
  return facts.reduce<BulkProgress>(
    (progress, fact) => advanceBulkReplay(progress, { ...fact, atMs: START_MS }),
    begun(),
  );
}

const listed = (keys: readonly string[], more = false): WithoutTime<BulkFact> => ({
  fact: "listed",
  items: keys.map((key, index) => ({ key, acceptedMs: START_MS - index })),
  more,
  beyond: more ? 7 : 0,
});
const replayed = (...keys: readonly string[]): WithoutTime<BulkFact> => ({
  fact: "batch-ended",
  results: keys.map((key) => ({ key, replayed: 1, because: null })),
});

test("it looks at nothing accepted after its start, or after the time that was asked for", () => {
  expect(begun().position).toEqual({ untilMs: START_MS, taken: [] });
  expect(begun("2026-11-29T11:00:00.000Z").position?.untilMs).toBe(START_MS - 3_600_000);
  expect(begun("2027-11-29T11:00:00.000Z").position?.untilMs).toBe(START_MS);
});

describe("the next step", () => {
  test("is to read, then to replay a batch, then to wait for the next one, then to finish", () => {
    expect(nextBulkStep(begun(), START_MS)).toEqual({ do: "read", position: begun().position });
    const read = after(listed(["a", "b", "c"]));
    expect(nextBulkStep(read, START_MS)).toEqual({
      do: "replay",
      items: [
        { key: "a", tries: 0 },
        { key: "b", tries: 0 },
      ],
    });
    const once = after(listed(["a", "b", "c"]), { fact: "batch-begun" }, replayed("a", "b"));
    expect(nextBulkStep(once, START_MS + 400)).toEqual({ do: "wait", delayMs: 600 });
    expect(nextBulkStep(once, START_MS + 1000)).toEqual({ do: "replay", items: [{ key: "c", tries: 0 }] });
    expect(nextBulkStep(after(listed([])), START_MS)).toEqual({ do: "finish" });
  });

  test("is to hold while it is paused, and to finish once it is canceled", () => {
    const pause = { fact: "message", name: "pause", argument: { actor: "bo" } } as const;
    expect(nextBulkStep(after(pause), START_MS)).toEqual({ do: "hold" });
    expect(nextBulkStep(after(pause, { fact: "cancel-requested" }), START_MS)).toEqual({ do: "finish" });
  });
});

describe("a list that cannot be read", () => {
  test("pauses it with the reason, and a person resumes it where it stood", () => {
    const failed = after({ fact: "list-failed" });
    expect(failed.paused).toMatchObject({ actor: "countersign", note: expect.stringContaining("cannot be read") });
    const resumed = after({ fact: "list-failed" }, { fact: "message", name: "resume", argument: { actor: "ana" } });
    expect(nextBulkStep(resumed, START_MS)).toEqual({ do: "read", position: begun().position });
  });

  test("leaves the pause of a person as it is", () => {
    const pause = { fact: "message", name: "pause", argument: { actor: "bo" } } as const;
    expect(after(pause, { fact: "list-failed" }).paused).toMatchObject({ actor: "bo" });
  });
});

test("a page that comes when the list was at its end, and a result nobody waits for, change nothing", () => {
  const whole = after(listed(["a"]));
  expect(advanceBulkReplay(whole, { ...listed(["b"]), atMs: START_MS })).toEqual(whole);
  expect(advanceBulkReplay(whole, { ...replayed("z"), atMs: START_MS })).toEqual(whole);
  expect(settledBy(whole, { ...replayed("z"), atMs: START_MS })).toEqual([]);
});

test("a message that is no word leaves no trace, one that does not count is recorded", () => {
  expect(after({ fact: "message", name: "by-the-way", argument: null })).toEqual(begun());
  expect(after({ fact: "message", name: "resume", argument: { actor: "ana" } })).toMatchObject({
    paused: null,
    words: [{ action: "resume", counted: false, refusedBecause: "not-paused" }],
  });
});

test("a cancel request of Temporal does not take the place of a person's", () => {
  const cancel = { fact: "message", name: "cancel", argument: { actor: "bo", note: "enough" } } as const;
  expect(after(cancel, { fact: "cancel-requested" }).canceled).toMatchObject({ actor: "bo", note: "enough" });
  expect(after({ fact: "cancel-requested" }).canceled).toMatchObject({ actor: "temporal" });
});

describe("the report", () => {
  const half = after(listed(["a", "b", "c"], true), { fact: "batch-begun" }, replayed("a"), {
    fact: "batch-ended",
    results: [{ key: "b", replayed: 0, because: "already-ended" }],
  });

  test("counts what is done, what waits and what the list holds behind", () => {
    expect(reportOf(half)).toMatchObject({
      v: 1,
      id: "crm-1",
      state: "running",
      rate: 2,
      actor: "ana",
      note: "mended",
      startedAt: "2026-11-29T12:00:00.000Z",
      endedAt: null,
      expected: 10,
      done: 2,
      replayed: 1,
      notReplayed: 1,
      because: { "already-ended": 1 },
      lastNotReplayed: [{ key: "b", because: "already-ended" }],
    });
  });

  test.each([
    ["running", []],
    ["paused", [{ fact: "message", name: "pause", argument: { actor: "bo" } }]],
    ["canceled", [{ fact: "cancel-requested" }]],
    ["canceled", [{ fact: "cancel-requested" }, { fact: "ended" }]],
    ["finished", [{ fact: "ended" }]],
  ] as const)("is %s after %j", (state, facts) => {
    expect(reportOf(after(...facts)).state).toBe(state);
  });

  test("is said in the Temporal UI, with what is left and what can be done", () => {
    const details = bulkDetails(reportOf(half));
    expect(details).toContain(
      "**bulk replay** `crm-1`: running, 2 of about 10 events at 2 a second, 4 s left at least",
    );
    expect(details).toContain("1 replayed, 1 not (1 already-ended)");
    expect(details).toContain('Signals `pause`, `resume`, `cancel` take {"actor"');
    expect(bulkDetails(reportOf(after({ fact: "ended" })))).toContain("finished, 0 of about 0 events at 2 a second\n");
  });
});
