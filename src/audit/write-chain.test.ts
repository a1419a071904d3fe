import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aHead, anExport, anyEvents, aRecord } from "../../test/support/an-export.ts";
import { hashOf } from "./flat-line.ts";
import { writeChain } from "./write-chain.ts";

type Members = Readonly<Record<string, string | number | boolean | null>>;

function parsed(lines: readonly string[]): readonly Members[] {
  // Our own output.
  return lines.map((line) => JSON.parse(line) as Members);
}

describe("writeChain", () => {
  test("writes a head line, a line per record and an end line, each hanging on the one before", async () => {
    const events = [[aRecord({ actor: "ana@example.com" }), aRecord()], null, [aRecord({ key: "shop/evt_2" })]];
    const { lines, summary } = await anExport(events, aHead({ state: "delivered", limit: 5 }));
    const [head, first, second, third, end] = parsed(lines);
    expect(head).toEqual({
      kind: "head",
      v: 1,
      namespace: "default",
      exportedAt: "2026-11-29T18:00:00.000Z",
      by: "countersign/0.1.0",
      state: "delivered",
      limit: 5,
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(first).toMatchObject({ kind: "record", seq: 1, prevHash: null, actor: "ana@example.com" });
    expect(second).toMatchObject({ kind: "record", seq: 2, prevHash: first?.["hash"] });
    expect(third).toMatchObject({ kind: "record", seq: 3, prevHash: second?.["hash"], key: "shop/evt_2" });
    expect(end).toEqual({
      kind: "end",
      count: 3,
      events: 2,
      leftOut: 1,
      partial: false,
      opening: head?.["hash"],
      prevHash: third?.["hash"],
      hash: expect.any(String),
    });
    expect(summary).toEqual({ records: 3, events: 2, leftOut: 1, partial: false, head: end?.["hash"] });
    for (const line of parsed(lines)) expect(line["hash"]).toBe(hashOf(line));
  });

  test("gives the same record lines whenever and by whomever the same events are exported", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const [one, other] = [
          await anExport(events),
          await anExport(events, aHead({ exportedAt: "2027-01-01T00:00:00.000Z", by: "countersign/9.9.9" })),
        ];
        expect(other.lines.slice(1, -1)).toEqual(one.lines.slice(1, -1));
        expect(other.summary.head).not.toBe(one.summary.head);
      }),
    );
  });

  test("never lets a record stand for another kind of line", async () => {
    const disguised = { ...aRecord(), kind: "end", seq: 99, prevHash: "x", hash: "y" };
    const { lines } = await anExport([[disguised]]);
    expect(parsed(lines)[1]).toMatchObject({ kind: "record", seq: 1, prevHash: null });
  });

  test("writes no end line when an event cannot be read", async () => {
    const lines: string[] = [];
    async function* failing() {
      yield [aRecord()];
      throw new Error("gone");
    }
    const writing = writeChain({ head: aHead(), events: failing(), partial: false }, (line) => void lines.push(line));
    await expect(writing).rejects.toThrow("gone");
    expect(parsed(lines).map(({ kind }) => kind)).toEqual(["head", "record"]);
  });

  test("waits for each line to be written before the next", async () => {
    let [open, most] = [0, 0];
    async function* events() {
      yield [aRecord(), aRecord()];
    }
    await writeChain({ head: aHead(), events: events(), partial: true }, async () => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
    });
    expect(most).toBe(1);
  });
});
