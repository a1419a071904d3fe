import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import type { EventRow } from "../../client/list-events.ts";
import { collect, listLines } from "./list.ts";

const NOW_MS = Date.parse("2026-11-29T12:00:00.000Z");

function aRow(number: number, changes: Partial<EventRow> = {}): EventRow {
  const startedAt = new Date(NOW_MS - number * 1000).toISOString();
  return {
    key: `shop/evt_${number}`,
    state: "delivered",
    reason: null,
    type: "order.created",
    endpoints: ["crm"],
    startedAt,
    approval: null,
    ...changes,
  };
}

/** Newest first, as the server gives them; counts how many were asked for. */
async function* rows(count: number, asked: { count: number } = { count: 0 }): AsyncGenerator<EventRow> {
  for (let number = 1; number <= count; number += 1) {
    asked.count = number;
    yield aRow(number);
  }
}

const keys = (items: readonly EventRow[]): readonly string[] => items.map(({ key }) => key);

describe("collect", () => {
  test("reads no more than the limit and one to know whether there are more", async () => {
    const asked = { count: 0 };
    const found = await collect(rows(50, asked), { limit: 2 });
    expect(keys(found.items)).toEqual(["shop/evt_1", "shop/evt_2"]);
    expect([found.partial, asked.count]).toEqual([true, 3]);
    expect((await collect(rows(2), { limit: 2 })).partial).toBe(false);
  });

  test("sorts one page of 1,000 for the oldest and says when there are more", async () => {
    const whole = await collect(rows(1000), { limit: 2, oldest: true });
    expect([keys(whole.items), whole.partial, whole.lookedAt]).toEqual([
      ["shop/evt_1000", "shop/evt_999"],
      false,
      1000,
    ]);
    const partial = await collect(rows(1001), { limit: 1, oldest: true });
    expect([keys(partial.items), partial.partial]).toEqual([["shop/evt_1000"], true]);
  });
});

describe("what waits for approval", () => {
  const WAITING = { limit: 3, state: "awaiting-approval" } as const;
  const view = { options: WAITING, nowMs: NOW_MS, colors: picocolors.createColors(false) };
  const waits = (number: number, sinceMinutes: number, untilMinutes: number): EventRow => {
    const at = (minutes: number): string => new Date(NOW_MS + minutes * 60_000).toISOString();
    const digest = `sha256:0123456789ab${String(number).padStart(52, "0")}`;
    const approval = { endpoint: "payments", digest, since: at(-sinceMinutes), until: at(untilMinutes) };
    return aRow(number, { state: "awaiting-approval", endpoints: ["crm", "payments"], approval });
  };
  const listed = async function* (items: readonly EventRow[]): AsyncGenerator<EventRow> {
    yield* await Promise.resolve(items);
  };

  test("shows the age of the proposal, the time that is left, and the digest to decide on", () => {
    const items = [waits(1, 130, 61), waits(2, 5000, -3), aRow(240, { state: "awaiting-approval" })];
    expect(listLines({ items, partial: false }, view).slice(0, 4)).toEqual([
      "AGE    LEFT               STATE              KEY           TYPE           ENDPOINT  DIGEST",
      "2 h    1 h                awaiting-approval  shop/evt_1    order.created  payments  0123456789ab",
      "3 d    expired 3 min ago  awaiting-approval  shop/evt_2    order.created  payments  0123456789ab",
      "4 min  ?                  awaiting-approval  shop/evt_240  order.created  crm       ?",
    ]);
    expect(listLines({ items, partial: false }, view).join("\n")).toContain(
      "countersign show KEY` prints what to type",
    );
  });

  test("sorts the oldest by when people were asked", async () => {
    const items = [waits(1, 30, 60), waits(2, 10, 60), aRow(1200, { state: "awaiting-approval" })];
    const oldest = await collect(listed(items), { ...WAITING, oldest: true });
    expect(keys(oldest.items)).toEqual(["shop/evt_1", "shop/evt_1200", "shop/evt_2"]);
    const ofAll = await collect(listed(items), { limit: 3, oldest: true });
    expect(keys(ofAll.items)).toEqual(["shop/evt_1200", "shop/evt_2", "shop/evt_1"]);
  });
});

describe("listLines", () => {
  const view = { options: { limit: 2 }, nowMs: NOW_MS, colors: picocolors.createColors(false) };

  test("makes a table with ages and reasons, and says that lists lag behind", () => {
    const items = [aRow(5), aRow(120, { state: "needs-attention", reason: "refused", endpoints: ["crm", "ledger"] })];
    expect(listLines({ items, partial: false }, view)).toEqual([
      "AGE    STATE                      KEY           TYPE           ENDPOINTS",
      "5 s    delivered                  shop/evt_5    order.created  crm",
      "2 min  needs-attention (refused)  shop/evt_120  order.created  crm, ledger",
      "",
      "2 events, newest first, those that have not ended before the others.",
      expect.stringContaining("eventually consistent"),
    ]);
  });

  test("says when there are more than it shows", () => {
    expect(listLines({ items: [aRow(1)], partial: true }, view).join("\n")).toContain(
      "1 event, newest first, those that have not ended before the others; there are more than --limit 2 shows",
    );
    const parked = { ...view, options: { limit: 2, state: "needs-attention" } };
    expect(listLines({ items: [aRow(1)], partial: true }, parked).join("\n")).toContain("1 event, newest first; there");
    const oldest = { ...view, options: { limit: 2, oldest: true } };
    expect(listLines({ items: [aRow(1)], partial: true }, oldest).join("\n")).toContain(
      "of 1000 that were looked at: there are more",
    );
    expect(listLines({ items: [aRow(1)], partial: false, lookedAt: 30 }, oldest).join("\n")).toContain(
      "1 event, oldest first, of 30; --limit 2 shows no more.",
    );
    expect(listLines({ items: [aRow(1)], partial: false }, oldest).join("\n")).toContain("1 event, oldest first.");
  });

  test("says so when there is nothing", () => {
    expect(listLines({ items: [], partial: false }, view)[0]).toBe("No events.");
  });

  test("shows runs of others without trusting them, and ones not yet described", () => {
    const text = listLines(
      { items: [aRow(1, { key: "x\u001b[2J", type: "", endpoints: [] })], partial: false },
      view,
    ).join("\n");
    expect(text).toContain("x?[2J  ?     ?");
  });

  test("colors the state and nothing else", () => {
    const colored = listLines({ items: [aRow(1)], partial: false }, { ...view, colors: picocolors.createColors(true) });
    expect(colored[1]).toContain("\u001b[32mdelivered\u001b[39m");
  });
});
