import { describe, expect, test } from "vitest";
import { aReport } from "../../test/support/an-event.ts";
import { CountersignError, type ErrorCode } from "../errors.ts";
import type { EventReport } from "./get-event.ts";
import type { EventRow, ListFilter } from "./list-events.ts";
import { listAuditedKeys, readAudit, readAudits, sortedKeys } from "./read-audit.ts";

function aRow(key: string, changes: Partial<EventRow> = {}): EventRow {
  const seen = { state: "delivered", reason: null, type: "order.created", endpoints: ["crm"], approval: null } as const;
  return { key, startedAt: "2026-11-29T10:00:00.000Z", ...seen, ...changes };
}

interface Listing {
  list(filter?: ListFilter): AsyncGenerator<EventRow>;
  /** Rows that were taken. */
  taken(): number;
  filters(): readonly (ListFilter | undefined)[];
}

function listing(rows: readonly EventRow[]): Listing {
  let taken = 0;
  const filters: (ListFilter | undefined)[] = [];
  return {
    async *list(filter) {
      filters.push(filter);
      for (const row of rows) {
        taken += 1;
        yield row;
      }
    },
    taken: () => taken,
    filters: () => filters,
  };
}

/** A facade that knows these events, and fails for the rest as told. */
function reading(reports: Readonly<Record<string, Partial<EventReport> | ErrorCode>>) {
  return {
    get: async (key: string): Promise<EventReport> => {
      const known = reports[key] ?? "not_found";
      if (typeof known === "string") throw new CountersignError(known, `No ${key}`);
      return aReport({ key, ...known });
    },
  };
}

async function keysOf(audits: ReturnType<typeof readAudits>): Promise<readonly (string | null)[]> {
  const keys: (string | null)[] = [];
  for await (const records of audits) keys.push(records?.[0]?.key ?? null);
  return keys;
}

describe("readAudit", () => {
  test("says when conflicts may be missing", async () => {
    const facade = reading({ "shop/1": {}, "shop/2": { conflictsUnknown: true } });
    expect(await readAudit(facade, "shop/1")).toMatchObject({
      complete: true,
      records: [{ action: "accepted" }, {}, {}],
    });
    expect(await readAudit(facade, "shop/2")).toMatchObject({ complete: false });
    await expect(readAudit(facade, "shop/3")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("listAuditedKeys", () => {
  const rows = ["shop/b", "shop/B", "shop/a", "shop/ä", "shop/a"].map((key) => aRow(key));

  test("gives each key once, in the order of code units, with the filter passed on", async () => {
    const facade = listing(rows);
    const filter = { state: "delivered", source: "shop" } as const;
    expect(await listAuditedKeys(facade, filter, null)).toEqual({
      keys: ["shop/B", "shop/a", "shop/b", "shop/ä"],
      partial: false,
    });
    expect(facade.filters()).toEqual([filter]);
  });

  test.each([
    [1, ["shop/b"], true, 2],
    [3, ["shop/B", "shop/a", "shop/b"], true, 4],
    [4, ["shop/B", "shop/a", "shop/b", "shop/ä"], false, 5],
    [9, ["shop/B", "shop/a", "shop/b", "shop/ä"], false, 5],
  ])("takes the newest %d and says whether there are more, reading no further", async (limit, keys, partial, taken) => {
    const facade = listing(rows);
    expect(await listAuditedKeys(facade, {}, limit)).toEqual({ keys, partial });
    expect(facade.taken()).toBe(taken);
  });

  test("passes over runs that were refused as no event", async () => {
    const facade = listing([aRow("shop/x", { state: "refused" }), aRow("shop/y")]);
    expect(await listAuditedKeys(facade, {}, null)).toEqual({ keys: ["shop/y"], partial: false });
  });
});

test("sortedKeys gives named keys as a list would", () => {
  expect(sortedKeys(["shop/b", "app/1", "shop/b"])).toEqual(["app/1", "shop/b"]);
});

describe("readAudits", () => {
  const many = Array.from({ length: 20 }, (_, index) => `shop/${String(index).padStart(2, "0")}`);

  test("keeps the order of the keys, however long each takes", async () => {
    const { get } = reading(Object.fromEntries(many.map((key) => [key, {}])));
    const unevenly = {
      get: async (key: string) => {
        for (let turns = key.charCodeAt(6) % 5; turns > 0; turns -= 1) await Promise.resolve();
        return await get(key);
      },
    };
    expect(await keysOf(readAudits(unevenly, { keys: many, origin: "listed" }))).toEqual(many);
  });

  test("asks for a few events at a time", async () => {
    let [open, most] = [0, 0];
    const { get } = reading(Object.fromEntries(many.map((key) => [key, {}])));
    const counting = {
      get: async (key: string) => {
        open += 1;
        most = Math.max(most, open);
        await Promise.resolve();
        open -= 1;
        return await get(key);
      },
    };
    await keysOf(readAudits(counting, { keys: many, origin: "listed" }));
    expect(most).toBe(8);
  });

  test.each(["not_found", "bad_event"] as const)("leaves out a listed event that is gone by now (%s)", async (code) => {
    const facade = reading({ "shop/1": {}, "shop/2": code, "shop/3": {} });
    const keys = ["shop/1", "shop/2", "shop/3"];
    expect(await keysOf(readAudits(facade, { keys, origin: "listed" }))).toEqual(["shop/1", null, "shop/3"]);
    await expect(keysOf(readAudits(facade, { keys, origin: "named" }))).rejects.toMatchObject({ code });
  });

  test("does not pass over what it could not read", async () => {
    const origin = "listed";
    const unreachable = readAudits(reading({ "shop/1": "temporal_unreachable" }), { keys: ["shop/1"], origin });
    await expect(keysOf(unreachable)).rejects.toMatchObject({ code: "temporal_unreachable" });
    const unlisted = readAudits(reading({ "shop/1": { conflictsUnknown: true } }), { keys: ["shop/1"], origin });
    await expect(keysOf(unlisted)).rejects.toThrow('conflicts of "shop/1"');
  });
});
