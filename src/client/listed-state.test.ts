import { TypedSearchAttributes } from "@temporalio/common";
import type { WorkflowExecutionStatusName } from "@temporalio/client";
import { describe, expect, test } from "vitest";
import { STATE_ATTRIBUTE } from "../temporal/search-attributes.ts";
import { LISTED_STATES, listedState, type ListedState } from "./listed-state.ts";

function described(name: WorkflowExecutionStatusName, written: string | null): Parameters<typeof listedState>[0] {
  const pairs = written === null ? [] : [{ key: STATE_ATTRIBUTE, value: written }];
  return { status: { name, code: 0 }, typedSearchAttributes: new TypedSearchAttributes(pairs) };
}

describe("listedState", () => {
  test.each<[WorkflowExecutionStatusName, string | null, ListedState]>([
    ["RUNNING", null, "in-progress"],
    ["RUNNING", "needs-attention", "needs-attention"],
    ["RUNNING", "awaiting-approval", "awaiting-approval"],
    ["RUNNING", "a state of another version", "in-progress"],
    ["PAUSED", null, "in-progress"],
    ["CONTINUED_AS_NEW", null, "in-progress"],
    ["COMPLETED", null, "delivered"],
    ["COMPLETED", "discarded", "discarded"],
    ["COMPLETED", "rejected", "rejected"],
    ["COMPLETED", "expired", "expired"],
    ["FAILED", null, "refused"],
    ["FAILED", "needs-attention", "refused"],
    ["TERMINATED", null, "terminated"],
    ["TERMINATED", "needs-attention", "terminated"],
    ["TIMED_OUT", null, "terminated"],
    ["CANCELLED", null, "terminated"],
  ])("takes %s with the written state %s for %s", (status, written, state) => {
    expect(listedState(described(status, written))).toBe(state);
  });

  test("shows every state that can be listed and is written", () => {
    for (const state of LISTED_STATES) expect(listedState(described("RUNNING", state))).toBe(state);
  });
});
