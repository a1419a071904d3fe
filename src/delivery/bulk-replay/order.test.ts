import { describe, expect, test } from "vitest";
import {
  bulkReplayIdOf,
  bulkReplayWorkflowId,
  isBulkReplayId,
  markOf,
  readOrder,
  reasonOf,
  replayUpdateId,
} from "./order.ts";

const selection = { state: "needs-attention", endpoint: "crm" };

describe("an order", () => {
  test("has a rate and a note of its own, or the usual ones", () => {
    expect(readOrder({ selection, rate: 20, actor: " ana ", note: "mended" })).toMatchObject({
      selection: { endpoint: "crm" },
      rate: 20,
      actor: "ana",
      note: "mended",
    });
    expect(readOrder({ selection, actor: "ana" })).toMatchObject({ rate: 10, note: "" });
    expect(readOrder({ selection, actor: "ana", note: "x".repeat(2000) })).toMatchObject({ note: "x".repeat(1000) });
  });

  test.each([
    [null, "The selection must be an object"],
    [{ selection: {}, actor: "ana" }, "The selection takes the state"],
    [{ selection, rate: 0, actor: "ana" }, "The rate is a number of events a second, from 0.01 to 100"],
    [{ selection, rate: "20", actor: "ana" }, "The rate is a number"],
    [{ selection }, "It must be known who asks"],
    [{ v: 2, selection, actor: "ana" }, "Its v is of another version"],
    [{ selection, actor: "  " }, "It must be known who asks"],
  ])("is refused with a sentence: %j", (input, sentence) => {
    expect(readOrder(input)).toContain(sentence);
  });
});

test("an id and its workflow ID belong together", () => {
  expect(bulkReplayWorkflowId("crm-1")).toBe("bulk-replay:crm-1");
  expect(bulkReplayIdOf("bulk-replay:crm-1")).toBe("crm-1");
  for (const other of ["crm-1", "bulk-replay:", "bulk-replay:A", "shop/bulk-replay:x", `bulk-replay:${"a".repeat(64)}`])
    expect(bulkReplayIdOf(other)).toBeNull();
  expect(["a", "0-a", "a".repeat(63), "", "-a", "a b", "a".repeat(64)].map(isBulkReplayId)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("its words are known by their beginning, and each delivery has one", () => {
  const mark = markOf("crm-1", "3f9c2a1b-0000-4000-8000-000000000000");
  expect(mark).toBe("bulk replay crm-1 (3f9c2a1b)");
  expect([reasonOf(mark, ""), reasonOf(mark, "mended")]).toEqual([mark, `${mark}: mended`]);
  expect(replayUpdateId(mark, "crm")).not.toBe(replayUpdateId(mark, "erp"));
});
