/** What waits for a person: exact however many there are, bounded in calls, and honest about what nobody can tell. */
import { describe, expect, test } from "vitest";
import type { EventRow, ListFilter } from "../client/list-events.ts";
import type { PageRequest } from "../client/list-page.ts";
import { CountersignError } from "../errors.ts";
import { readWaiting, waitingAt, type WaitingSource } from "./waiting-reading.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00.000Z");
const agoMs = (ms: number) => new Date(NOW_MS - ms).toISOString();

type State = "needs-attention" | "awaiting-approval";

/** Row number `at` of a list that is newest first: one second older than the one before. */
function aRow(state: State, at: number, changes: Partial<EventRow> = {}): EventRow {
  const startedAt = agoMs((at + 1) * 1000);
  const base = { key: `shop/${at}`, state, type: "t", endpoints: ["crm"], startedAt, approval: null };
  return { ...base, reason: state === "needs-attention" ? "refused" : null, ...changes };
}

function rows(state: State, count: number, changes: Partial<EventRow> = {}): readonly EventRow[] {
  return Array.from({ length: count }, (_, at) => aRow(state, at, changes));
}

interface Held {
  readonly source: WaitingSource;
  readonly calls: ("list" | "count")[];
  readonly pauses: number[];
}

/** Lists that answer as the server does; each call takes a while. */
function holding(all: readonly EventRow[], callMs = 0): Held {
  const [calls, pauses]: [Held["calls"], number[]] = [[], []];
  let atMs = NOW_MS;
  const found = ({ state, reason, startedBefore }: ListFilter): readonly EventRow[] =>
    all.filter(
      (row) =>
        row.state === state &&
        (reason === undefined || row.reason === reason) &&
        (startedBefore === undefined || row.startedAt < startedBefore),
    );
  const answer = async <T>(call: "list" | "count", value: T): Promise<T> => {
    calls.push(call);
    atMs += callMs;
    return await Promise.resolve(value);
  };
  return {
    calls,
    pauses,
    source: {
      countersign: {
        listPage: async (filter: ListFilter, { limit }: PageRequest) => {
          const items = found(filter).slice(0, limit);
          return await answer("list", { items, nextCursor: items.length === limit ? "more" : null });
        },
        count: async (filter: ListFilter = {}) => await answer("count", found(filter).length),
      },
      now: () => atMs,
      pause: async (durationMs) => await Promise.resolve(void pauses.push(durationMs)),
    },
  };
}

async function waiting({ source }: Held, atMs = NOW_MS) {
  return waitingAt(await readWaiting(source), atMs);
}

describe("parked events", () => {
  test("are counted by reason, with the age of the oldest; a reason without any is 0", async () => {
    const { needsAttention } = await waiting(
      holding([
        aRow("needs-attention", 0),
        aRow("needs-attention", 1, { reason: "tls-invalid" }),
        aRow("needs-attention", 2),
      ]),
    );
    expect(needsAttention.get("refused")).toEqual({ count: 2, oldestAgeSeconds: 3 });
    expect(needsAttention.get("tls-invalid")).toEqual({ count: 1, oldestAgeSeconds: 2 });
    expect(needsAttention.get("endpoint-gone")).toEqual({ count: 0, oldestAgeSeconds: 0 });
    expect([...needsAttention.keys()]).toHaveLength(12);
  });

  test("with a word that is none of ours, or none, are others: whoever starts runs may write any", async () => {
    const strange = Array.from({ length: 500 }, (_, at) => aRow("needs-attention", at, { reason: `reason-${at}` }));
    const more = [null, "toString"].map((reason, at) => aRow("needs-attention", 500 + at, { reason }));
    const { needsAttention } = await waiting(holding([...strange, ...more]));
    expect(needsAttention.get("other")).toEqual({ count: 502, oldestAgeSeconds: 502 });
    expect([...needsAttention.keys()]).toHaveLength(13);
  });

  test.each([999, 1000])("are read for %i of them", async (count) => {
    const held = holding(rows("needs-attention", count));
    expect((await waiting(held)).needsAttention.get("refused")).toEqual({ count, oldestAgeSeconds: count });
    expect(held.calls.toSorted()).toEqual(["count", "count", "list"]);
  });

  test.each([1001, 5000])("are counted for %i of them: exact in number, their age to a twentieth", async (count) => {
    const held = holding([...rows("needs-attention", count), aRow("needs-attention", 90, { reason: "tls-invalid" })]);
    const { needsAttention } = await waiting(held);
    const [refused, invalid] = [needsAttention.get("refused"), needsAttention.get("tls-invalid")];
    expect([refused?.count, invalid?.count]).toEqual([count, 1]);
    expect(refused?.oldestAgeSeconds).toBeLessThanOrEqual(count);
    expect(refused?.oldestAgeSeconds).toBeGreaterThanOrEqual(count * 0.95 - 1);
    expect(invalid?.oldestAgeSeconds).toBeGreaterThanOrEqual(91 * 0.95 - 1);
    expect(needsAttention.get("endpoint-gone")).toEqual({ count: 0, oldestAgeSeconds: 0 });
    expect(needsAttention.has("other")).toBe(false);
    expect(held.calls).not.toContain("list");
  });

  test("that are many and have strange words are counted, and nobody claims to know their age", async () => {
    const { needsAttention } = await waiting(holding(rows("needs-attention", 1500, { reason: "mine" })));
    expect(needsAttention.get("other")).toEqual({ count: 1500, oldestAgeSeconds: null });
  });
});

describe("events that wait for approval", () => {
  test("are as old as their proposal, not as the event", async () => {
    const approval = { endpoint: "crm", digest: `sha256:${"0".repeat(64)}`, since: agoMs(5000), until: agoMs(-5000) };
    const { approvals } = await waiting(
      holding([aRow("awaiting-approval", 99, { approval }), aRow("awaiting-approval", 7)]),
    );
    expect(approvals).toEqual({ count: 2, oldestAgeSeconds: 8 });
  });

  test.each([0, 1, 1000])("are exact for %i of them", async (count) => {
    const { approvals } = await waiting(holding(rows("awaiting-approval", count)));
    expect(approvals).toEqual({ count, oldestAgeSeconds: count });
  });

  test("are exact in number beyond a page, and as old as the oldest event among them", async () => {
    const { approvals } = await waiting(holding(rows("awaiting-approval", 5000)));
    expect(approvals.count).toBe(5000);
    expect(approvals.oldestAgeSeconds).toBeLessThanOrEqual(5000);
    expect(approvals.oldestAgeSeconds).toBeGreaterThanOrEqual(4749);
  });
});

describe("the cost of a reading", () => {
  test("is two counts while nothing waits", async () => {
    const held = holding([]);
    await readWaiting(held.source);
    expect([held.calls, held.pauses]).toEqual([["count", "count"], []]);
  });

  test("is some thirty counts for a long list of one reason, four in a second at most", async () => {
    const held = holding(rows("needs-attention", 5000));
    await readWaiting(held.source);
    expect(held.calls.length).toBeLessThanOrEqual(30);
    // Each but the first two, which are those of a short list.
    expect(held.pauses).toEqual(Array.from({ length: held.calls.length - 2 }, () => 250));
  });

  test("has an end where the server takes long for each count", async () => {
    await expect(readWaiting(holding(rows("needs-attention", 2000), 10_000).source)).rejects.toMatchObject({
      code: "timeout",
    });
  });
});

test("ages go on after a reading; the moment of the reading stays", async () => {
  const reading = await readWaiting(holding(rows("needs-attention", 1)).source);
  const later = waitingAt(reading, NOW_MS + 30_000);
  expect(later.needsAttention.get("refused")).toEqual({ count: 1, oldestAgeSeconds: 31 });
  expect(later.readAtMs).toBe(NOW_MS);
  // A clock that was put back makes no negative age.
  expect(waitingAt(reading, NOW_MS - 30_000).needsAttention.get("refused")?.oldestAgeSeconds).toBe(0);
});

test("a server that does not answer is the caller's to judge", async () => {
  const { source } = holding([]);
  const count = async () => await Promise.reject(new CountersignError("temporal_unreachable", "x"));
  const silent = { ...source, countersign: { ...source.countersign, count } };
  await expect(readWaiting(silent)).rejects.toMatchObject({ code: "temporal_unreachable" });
});
