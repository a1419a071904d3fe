import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { aDelivery, aReport } from "../../../test/support/an-event.ts";
import type { CliContext } from "../context.ts";
import { confirm } from "./replay.ts";

const attention = { reason: "refused", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
const PARKED = aReport({ deliveries: [aDelivery({ state: "needs-attention", attention })] });

async function noted(json: boolean, canAsk = false): Promise<readonly string[]> {
  const notes: string[] = [];
  const terminal = {
    note: (text: string) => void notes.push(text),
    noteColors: picocolors.createColors(false),
    canAsk,
  };
  expect(await confirm({ terminal, json } as unknown as CliContext, PARKED, { reason: "mended" })).toBe(true);
  return notes;
}

describe("confirm", () => {
  test("says what is known of the last attempt", async () => {
    expect((await noted(false)).join("\n")).toContain("crm answered 200");
  });

  test("says and asks nothing where a program reads", async () => {
    expect(await noted(true, true)).toEqual([]);
  });
});
