import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { type BulkReplayOrder, exactOrder, madeId } from "./bulk-replay-order.ts";

const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {}, erp: {} } });
const NOW_MS = Date.parse("2026-11-29T12:00:00Z");
const exact = (wish: Partial<BulkReplayOrder> = {}) =>
  exactOrder({ config }, { state: "needs-attention", actor: "ana", ...wish }, NOW_MS);

test("how long ago becomes a moment, and what is empty does not narrow", () => {
  const { order } = exact({ endpoint: "crm", since: "2h", until: "2026-11-29T11:30:00Z", source: "", rate: 20 });
  expect(order).toEqual({
    selection: {
      state: "needs-attention",
      endpoint: "crm",
      source: null,
      type: null,
      reason: null,
      since: "2026-11-29T10:00:00.000Z",
      until: "2026-11-29T11:30:00.000Z",
    },
    rate: 20,
    actor: "ana",
    note: "",
  });
});

describe("the id that is made", () => {
  const id = (wish: Partial<BulkReplayOrder>, nth = 1): string => madeId(exact(wish), nth);

  test("is that of the selection as it was given, whoever asks, how fast and when", () => {
    const first = id({ endpoint: "crm", since: "2h" });
    expect(first).toMatch(/^crm-[0-9a-f]{10}$/u);
    expect(id({ since: "2h", endpoint: "crm", rate: 5, actor: "bo", note: "mended" })).toBe(first);
    const later = exactOrder(
      { config },
      { state: "needs-attention", actor: "ana", endpoint: "crm", since: "2h" },
      NOW_MS + 60_000,
    );
    expect(madeId(later, 1)).toBe(first);
    expect(id({ endpoint: "crm", since: "2h" }, 3)).toBe(`${first}-3`);
  });

  test("differs for every other selection", () => {
    const wishes: readonly Partial<BulkReplayOrder>[] = [
      {},
      { endpoint: "crm" },
      { endpoint: "erp" },
      { source: "shop" },
      { type: "shop" },
      { reason: "refused" },
      { since: "2h" },
      { until: "2h" },
    ];
    expect(new Set(wishes.map((wish) => id(wish))).size).toBe(wishes.length);
    expect(id({})).toMatch(/^parked-/u);
  });
});

test.each([
  [{ id: "Mine" }, "bad_argument", /is 1–63 lower-case letters, digits and hyphens.*not "Mine"/u],
  [{ endpoint: "crn" }, "unknown_endpoint", /no endpoint "crn"; the configured ones are: crm, erp/u],
  [{ since: "2 hours" }, "bad_argument", /^since takes an RFC 3339 time .* not "2 hours"$/u],
  [{ rate: 1000 }, "bad_argument", /^The rate is a number of events a second, from 0\.01 to 100$/u],
] as const)("%j is refused with a sentence", (wish, code, message) => {
  let thrown: unknown = null;
  try {
    exact(wish);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code, message: expect.stringMatching(message) });
});

test("an id of one's own is kept", () => {
  expect(exact({ id: "mine-1" }).id).toBe("mine-1");
  expect(exact().id).toBeNull();
});
