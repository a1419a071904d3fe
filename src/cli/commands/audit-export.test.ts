import { describe, expect, test } from "vitest";
import { aReport } from "../../../test/support/an-event.ts";
import { writeChain } from "../../audit/write-chain.ts";
import type { EventReport } from "../../client/get-event.ts";
import type { EventRow, ListFilter } from "../../client/list-events.ts";
import { VERSION } from "../../version.ts";
import { sourceOf, summaryLines, type Wanted } from "./audit-export.ts";

const HEAD = `sha256:${"a".repeat(64)}`;
const WHOLE = { events: 3, leftOut: 0, partial: false, records: 12, head: HEAD };

describe("summaryLines", () => {
  test("hands over the head hash and says what it is for", () => {
    expect(summaryLines(WHOLE, "my audit.jsonl")).toEqual([
      "12 records of 3 events in 'my audit.jsonl'.",
      `Head hash: ${HEAD}`,
      `Keep it elsewhere: \`countersign audit verify 'my audit.jsonl' --head ${HEAD}\` then tells this file from a rewritten one.`,
    ]);
    expect(summaryLines(WHOLE, undefined).join("\n")).toContain(`audit verify FILE --head ${HEAD}`);
  });

  test("says what is not in the file", () => {
    const lines = summaryLines({ ...WHOLE, events: 1, records: 1, leftOut: 1, partial: true }, undefined);
    expect(lines.slice(0, 3)).toEqual([
      "1 record of 1 event.",
      "There are more events than --limit let in: the first ones of `countersign list` were taken.",
      "1 event left out: listed, but gone or no event when read.",
    ]);
  });
});

describe("sourceOf", () => {
  const filters: ListFilter[] = [];
  const facade = {
    get: async (key: string): Promise<EventReport> => aReport({ key }),
    async *list(filter: ListFilter = {}): AsyncGenerator<EventRow> {
      filters.push(filter);
      const seen = { state: "delivered", reason: null, type: "order.created", endpoints: [], approval: null } as const;
      for (const key of ["shop/2", "shop/1"]) yield { key, startedAt: "2026-11-29T10:00:00.000Z", ...seen };
    },
  };

  async function exported(wanted: Partial<Wanted>) {
    const lines: Readonly<Record<string, unknown>>[] = [];
    const source = await sourceOf(facade, { keys: [], filter: {}, limit: null, ...wanted }, "prod");
    await writeChain(source, (line) => void lines.push(JSON.parse(line) as Record<string, unknown>)); // our own output
    return lines;
  }

  test("exports the events that are named, in order and each once", async () => {
    const lines = await exported({ keys: ["shop/b", "app/a", "shop/b"] });
    expect(lines[0]).toMatchObject({ kind: "head", namespace: "prod", by: `countersign/${VERSION}`, keys: 2 });
    expect(new Set(lines.map(({ key }) => key))).toEqual(new Set([undefined, "app/a", "shop/b"]));
    expect(lines.at(-1)).toMatchObject({ events: 2, partial: false, count: 6 });
    expect(filters).toEqual([]);
  });

  test("exports what the list gives, and says in the head what was asked for", async () => {
    const lines = await exported({ filter: { state: "delivered", type: "order.created" }, limit: 1 });
    expect(filters).toEqual([{ state: "delivered", type: "order.created" }]);
    expect(lines[0]).toMatchObject({ kind: "head", state: "delivered", type: "order.created", limit: 1 });
    expect(lines[0]).not.toHaveProperty("keys");
    expect(lines.slice(1, -1).map(({ key }) => key)).toEqual(["shop/2", "shop/2", "shop/2"]);
    expect(lines.at(-1)).toMatchObject({ kind: "end", events: 1, partial: true });
  });
});
