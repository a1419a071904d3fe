import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import type { BulkReplayStatus } from "../client/bulk-replay-show.ts";
import { barText } from "./bulk-replay-follow.ts";
import { itemLine, statusLines } from "./bulk-replay-lines.ts";
import { previewLines, receiptLines } from "./commands/bulk-replay-start.ts";
import { bulkReplayLines } from "./commands/bulk-replay-list.ts";

const plain = picocolors.createColors(false);
const AT = "2026-11-29T12:00:00.000Z";
const NOW_MS = Date.parse("2026-11-29T12:05:00Z");

function aStatus(changes: Partial<BulkReplayStatus> = {}): BulkReplayStatus {
  return {
    v: 1,
    id: "crm-1",
    state: "running",
    selection: {
      state: "needs-attention",
      endpoint: "crm",
      source: null,
      type: null,
      reason: null,
      since: null,
      until: null,
    },
    rate: 20,
    actor: "ana@example.com",
    note: "mended",
    startedAt: AT,
    endedAt: null,
    expected: 5000,
    done: 1250,
    replayed: 1249,
    notReplayed: 1,
    because: { "already-ended": 1 },
    lastNotReplayed: [],
    paused: null,
    canceled: null,
    words: [],
    ...changes,
  };
}

describe("a bulk replay in words", () => {
  test("says how far it is, what it is about and who asked", () => {
    expect(statusLines(aStatus(), plain)).toEqual([
      "Bulk replay crm-1: running",
      "1250 of about 5000 events done: 1249 replayed, 1 not (1 already-ended)",
      "needs-attention, endpoint crm, at 20 a second",
      "by ana@example.com, 2026-11-29 12:00:00 UTC: mended",
      "Which ones, and why: countersign bulk-replay show crm-1 --items",
    ]);
  });

  test("says who stopped it, what was said and did not count, and that nothing is hidden in what people wrote", () => {
    const stop = { actor: "bo\u202e", note: "enough\u0007", at: AT };
    const lines = statusLines(
      aStatus({
        state: "canceled",
        note: "",
        endedAt: AT,
        notReplayed: 0,
        because: {},
        canceled: stop,
        words: [{ ...stop, action: "resume", counted: false, refusedBecause: "not-paused" }],
      }),
      plain,
    );
    expect(lines).toContain("canceled by bo?, 2026-11-29 12:00:00 UTC: enough?");
    expect(lines).toContain("2026-11-29 12:00:00 UTC  resume by bo?: enough? (did not count: not-paused)");
    expect(lines).toContain("ended 2026-11-29 12:00:00 UTC");
    expect(lines.join()).not.toContain("--items");
  });

  test("names every part of its selection", () => {
    const selection = {
      state: "needs-attention",
      endpoint: null,
      source: "shop",
      type: "order.*",
      reason: "refused",
      since: AT,
      until: AT,
    } as const;
    expect(statusLines(aStatus({ selection }), plain)[2]).toBe(
      "needs-attention, source shop, type order.*, reason refused, accepted since 2026-11-29 12:00:00 UTC, until 2026-11-29 12:00:00 UTC, at 20 a second",
    );
  });

  test("says when it was ended from outside, and that it is paused", () => {
    expect(statusLines(aStatus({ endedOutside: { at: AT } }), plain)[0]).toBe(
      "Bulk replay crm-1: ended from outside in Temporal, 2026-11-29 12:00:00 UTC",
    );
    const paused = { actor: "bo", note: "", at: AT };
    expect(statusLines(aStatus({ state: "paused", paused }), plain)).toContain("paused by bo, 2026-11-29 12:00:00 UTC");
  });
});

test.each([
  [aStatus(), "[######------------------] 1250 of 5000, 1249 replayed, running, 3 min 8 s left at least"],
  [aStatus({ expected: 0, done: 0, replayed: 0 }), "[------------------------] 0 of 0, 0 replayed, running"],
  [aStatus({ state: "paused", done: 5000 }), "[########################] 5000 of 5000, 1249 replayed, paused"],
])("the bar of %# is %s", (status, bar) => {
  expect(barText(status)).toBe(bar);
});

test.each([
  [{ key: "shop/1", replayed: 1, because: null }, "replayed  shop/1"],
  [{ key: "shop/1", replayed: 2, because: null }, "replayed  shop/1 (2 deliveries)"],
  [{ key: "shop/1\u202e", replayed: 0, because: "no-answer" as const }, "no-answer  shop/1?"],
])("the line of result %# is %s", (item, line) => {
  expect(itemLine(item, plain)).toBe(line);
});

describe("a preview in words", () => {
  const row = {
    key: "shop/1",
    state: "needs-attention",
    reason: "refused",
    type: "order",
    endpoints: ["crm"],
    startedAt: AT,
    approval: null,
  } as const;
  const preview = { count: 12, uncertain: 0, sample: [row], rate: 20, leastMs: 600, asOf: AT, exact: false } as const;

  test("counts, shows a few, and says what is left alone", () => {
    const lines = previewLines({ ...preview, uncertain: 2 }, NOW_MS, plain);
    expect(lines).toContain("12 events parked; at 20 a second it takes 0.6 s at least.");
    expect(lines.join("\n")).toContain("2 of them are left alone: their last attempt may have taken effect.");
    expect(lines).toContain("5 min  refused  shop/1  order  crm");
    expect(lines).toContain("… and 11 more");
    expect(previewLines({ ...preview, count: 1, uncertain: 1 }, NOW_MS, plain)[1]).toContain(
      "1 of them is left alone: its",
    );
  });

  test("says when there is nothing", () => {
    expect(previewLines({ ...preview, count: 0, sample: [] }, NOW_MS, plain)[0]).toBe(
      "The selection finds nothing that is parked.",
    );
  });
});

test("a start says whether it is a new one", () => {
  const receipt = { id: "crm-1", duplicate: false, workflowId: "bulk-replay:crm-1", runId: "r" };
  expect(receiptLines(receipt, plain)[0]).toBe("Bulk replay crm-1 is started.");
  expect(receiptLines({ ...receipt, duplicate: true }, plain)[0]).toContain(
    "had been started before; nothing was started again",
  );
});

test("a list tells what each last noted, also of one that no worker has taken up", () => {
  const { words: _words, lastNotReplayed: _last, ...noted } = aStatus();
  const lines = bulkReplayLines(
    [
      { id: "crm-1", state: "running", startedAt: AT, noted },
      { id: "crm-2", state: "running", startedAt: AT, noted: null },
    ],
    NOW_MS,
  );
  expect(lines.slice(1, 3)).toEqual([
    "5 min  running  1250 of 5000  crm-1  ana@example.com",
    "5 min  running  ?             crm-2  ?",
  ]);
  expect(bulkReplayLines([], NOW_MS)).toEqual(["No bulk replays."]);
});
